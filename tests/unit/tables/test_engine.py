"""Which engine computes the tables, and how Spark is set up."""

import pytest

from insync.analysis.engine import options
from insync.analysis.engine.apache import settings
from insync.analysis.engine.options import MOST_BYTES, Choice, EngineOptions, choose
from insync.errors import InputError

HERE = ["file:///runs"]


@pytest.mark.parametrize(
    ("asked", "folders", "size", "why"),
    [
        (EngineOptions(), HERE, MOST_BYTES, ""),
        (EngineOptions("embedded"), HERE, MOST_BYTES + 1, ""),
        (EngineOptions(), HERE, MOST_BYTES + 1, "1.1 GB of events, more than 1.1 GB"),
        (EngineOptions(), [*HERE, "s3a://bucket/runs"], 0, "the folder s3a://bucket/runs"),
        (EngineOptions(master="local[2]"), HERE, 0, "--spark-master local[2]"),
        (EngineOptions(conf={"a": "b"}), HERE, 0, "--spark-conf"),
        (EngineOptions("spark"), HERE, 0, "--engine spark"),
    ],
)
def test_spark_is_for_what_is_large_or_remote_or_asked_for(
    asked: EngineOptions, folders: list[str], size: int, why: str
) -> None:
    found = choose(asked, folders, size)
    assert found == Choice("spark" if why else "embedded", why)
    assert ("Apache Spark, because of" in found.starting) == bool(why)


def test_without_the_embedded_engine_auto_takes_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "_has", lambda module: module != "pysail")
    assert choose(EngineOptions(), HERE, 0).name == "spark"
    with pytest.raises(InputError, match=r"--engine embedded: not installed, .*insync\[analysis\]"):
        choose(EngineOptions("embedded"), HERE, 0)


def test_without_spark_what_needs_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "_has", lambda module: module != "pyspark.core")
    assert choose(EngineOptions(), HERE, 0).name == "embedded"
    for asked in (EngineOptions("spark"), EngineOptions(master="spark://host:7077")):
        with pytest.raises(InputError, match=r"insync\[spark\]"):
            choose(asked, HERE, 0)


def test_a_local_spark_listens_on_loopback_only_and_a_setting_of_the_user_counts() -> None:
    conf = settings(EngineOptions(conf={"spark.driver.memory": "9g"}))
    listening = ("spark.driver.host", "spark.driver.bindAddress")
    assert {conf[name] for name in (*listening, "spark.connect.grpc.binding.address")} == {
        "127.0.0.1"
    }
    assert (conf["spark.driver.memory"], conf["spark.ui.enabled"]) == ("9g", "false")


def test_a_cluster_keeps_its_own_settings() -> None:
    conf = settings(EngineOptions(master="spark://host:7077"))
    assert {"spark.driver.memory", "spark.sql.shuffle.partitions"}.isdisjoint(conf)
