"""Which engine computes the tables, and how Spark is set up."""

import pytest

from commands import invoke_refused
from insync import engines
from insync.analysis.engine.apache import settings
from insync.analysis.engine.options import MOST_BYTES, Choice, choose
from insync.cli.options import require
from insync.engines import AnalysisOptions, require_engine
from insync.errors import InputError

HERE = ["file:///runs"]


@pytest.mark.parametrize(
    ("asked", "folders", "size", "why"),
    [
        (AnalysisOptions(), HERE, MOST_BYTES, ""),
        (AnalysisOptions("embedded"), HERE, MOST_BYTES + 1, ""),
        (AnalysisOptions(), HERE, MOST_BYTES + 1, "1.1 GB of events, more than 1.1 GB"),
        (AnalysisOptions(), [*HERE, "s3a://bucket/runs"], 0, "the folder s3a://bucket/runs"),
        (AnalysisOptions(master="local[2]"), HERE, 0, "--spark-master local[2]"),
        (AnalysisOptions(conf={"a": "b"}), HERE, 0, "--spark-conf a=b"),
        (AnalysisOptions("spark"), HERE, 0, "--engine spark"),
    ],
)
def test_spark_is_for_what_is_large_or_remote_or_asked_for(
    asked: AnalysisOptions, folders: list[str], size: int, why: str
) -> None:
    found = choose(asked, folders, size)
    assert found == Choice("spark" if why else "embedded", why)
    assert ("Apache Spark, because of" in found.starting) == bool(why)


def test_the_embedded_engine_takes_local_folders_only() -> None:
    with pytest.raises(InputError, match="--engine embedded: s3a://b/runs, expected local folders"):
        choose(AnalysisOptions("embedded"), [*HERE, "s3a://b/runs"], 0)
    for asked in (
        AnalysisOptions("embedded", master="local[2]"), AnalysisOptions("embedded", conf={"a": "b"})
    ):  # fmt: skip
        with pytest.raises(InputError, match="expected --engine spark or auto with it"):
            choose(asked, HERE, 0)


def test_without_the_embedded_engine_auto_takes_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "pyspark", "pyspark.core", "pandas", "pyarrow", "scipy", "networkx")
    for asked in (AnalysisOptions(), AnalysisOptions("spark")):
        engines.require_analysis("run")
        require_engine(asked)
        assert choose(asked, HERE, 0).name == "spark"
    with pytest.raises(InputError, match=r"--engine embedded: needs .*insync\[analysis\]"):
        choose(AnalysisOptions("embedded"), HERE, 0)


def test_without_spark_what_needs_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, "pyspark", "pysail")
    assert choose(AnalysisOptions(), HERE, 0).name == "embedded"
    with pytest.raises(InputError, match=r"the folder s3a://b/runs: needs .*insync\[spark\]"):
        choose(AnalysisOptions(), ["s3a://b/runs"], 0)
    for asked in (AnalysisOptions("spark"), AnalysisOptions(master="spark://host:7077")):
        with pytest.raises(InputError, match=r"insync\[spark\]"):
            choose(asked, HERE, 0)


def test_a_command_that_needs_an_engine_is_refused_before_it_starts_a_broker(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    install(monkeypatch, *engines.PACKAGES)
    for asked in ("auto", "embedded", "spark"):
        with pytest.raises(InputError, match=rf"--engine {asked}: needs .* pip install"):
            require("run", AnalysisOptions(asked))
    recorded = ("run", "nonsense", "--record-only")
    assert "nonsense: no such scenario" in invoke_refused(capsys, *recorded)


def install(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """Let only these modules be found."""
    monkeypatch.setattr(engines, "find_spec", lambda name: name if name in modules else None)


def test_a_local_spark_listens_on_loopback_only_and_a_setting_of_the_user_counts() -> None:
    conf = settings(AnalysisOptions(conf={"spark.driver.memory": "9g"}))
    listening = ("spark.driver.host", "spark.driver.bindAddress")
    assert {conf[name] for name in (*listening, "spark.connect.grpc.binding.address")} == {
        "127.0.0.1"
    }
    assert (conf["spark.driver.memory"], conf["spark.ui.enabled"]) == ("9g", "false")


def test_a_cluster_keeps_its_own_settings() -> None:
    conf = settings(AnalysisOptions(master="spark://host:7077"))
    assert {"spark.driver.memory", "spark.sql.shuffle.partitions"}.isdisjoint(conf)
