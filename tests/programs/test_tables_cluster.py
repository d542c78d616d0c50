"""`insync tables` gives the same rows on a Spark cluster of two workers as on one machine.

A killed refresh leaves the published tables.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pyspark
import pytest
from pyarrow import parquet

from commands import Done, insync, start_insync
from insync.analysis.tables.catalogue import LAYERS
from unit.run_folder import Story, append, write_run
from waiting import wait_for


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write two runs, one of them with a torn line and one with a copy."""
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder / "first", Story(repeats=2, interval_ms=200.0))
    second = write_run(folder / "second", Story(repeats=2, interval_ms=200.0, seed=8))
    with (second / "events/stock/produce-0.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"v":1,"arm":"sto')
    append(folder / "foreign" / "notes.jsonl", [{"a": 1}])
    return folder


def tables(runs: Path, into: Path, *options: str) -> Done:
    return insync("tables", runs, "--into", into, "--json", *options)


@pytest.fixture(scope="module")
def alone(runs: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compute the tables in one process, and check what the command printed."""
    into = tmp_path_factory.mktemp("alone") / "tables"
    done = tables(runs, into)
    assert done.returncode == 3, done.stderr
    said = json.loads(done.stdout)
    assert (said["runs"], said["unreadable"], said["skewed"]) == (2, 1, 0)
    assert said["problems"] == [f"{runs}/foreign: holds no run: no run.json"]
    assert [
        line for line in done.stderr.splitlines() if "WARN" in line or "Exception" in line
    ] == []
    return into


def spark_home(folder: Path) -> Path:
    """Make a Spark home of links, so that workers write their files into it."""
    package = Path(pyspark.__file__).parent
    folder.mkdir()
    for name in ("bin", "jars", "python"):
        if (package / name).exists():
            (folder / name).symlink_to(package / name)
    return folder


def rows(into: Path, layer: str, name: str) -> list[str]:
    """Return a table's rows as text, in the order of its files."""
    return [
        json.dumps(row, default=str)
        for file in sorted((into / layer / name).glob("*.parquet"))
        for row in parquet.read_table(file).to_pylist()
    ]


@pytest.mark.long
def test_one_machine_computes_every_table_of_the_runs(alone: Path) -> None:
    for layer, contracts in LAYERS.items():
        assert {path.name for path in (alone / layer).iterdir()} == {
            contract.name for contract in contracts
        }
    assert {json.loads(row)["run"] for row in rows(alone, "silver", "repeats")} == {
        json.loads(row)["run"] for row in rows(alone, "silver", "runs")
    }


@contextmanager
def local_cluster(home: Path, _: Path) -> Iterator[str]:
    """Return a master that Spark starts in the driver, with two workers of one core."""
    yield "local-cluster[2,1,1024]"
    assert len(list((home / "work").glob("app-*/*"))) == 2, "two executors"


@contextmanager
def standalone(home: Path, folder: Path) -> Iterator[str]:
    """Run a master and two workers of one core as processes of their own."""
    with (
        node(home, folder / "master.log", "master.Master", "--host", "127.0.0.1", "--port", "0")
        as log,
    ):  # fmt: skip
        url = wait_for(lambda: re.findall(r"spark://127\.0\.0\.1:\d+", log.read_text()), bool)[0]
        workers = [folder / f"worker-{number}" for number in (1, 2)]
        options = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--work-dir")
        with (
            node(home, folder / "1.log", "worker.Worker", *options, str(workers[0]), url) as first,
            node(home, folder / "2.log", "worker.Worker", *options, str(workers[1]), url) as second,
        ):
            for each in (first, second):
                wait_for(each.read_text, lambda text: "registered with master" in text)
            yield url
            for worker in workers:
                assert list(worker.glob("app-*/*")), "an executor on each worker"


@contextmanager
def node(home: Path, log: Path, name: str, *arguments: str) -> Iterator[Path]:
    """Run a node of a Spark cluster on the loopback interface; return the file of its log."""
    command = [str(home / "bin/spark-class"), f"org.apache.spark.deploy.{name}"]
    settings = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    with (
        log.open("wb") as printed,
        subprocess.Popen(
            [*command, "--webui-port", "0", *arguments],
            stdout=printed, stderr=subprocess.STDOUT, env=settings,
        ) as process,
    ):  # fmt: skip
        yield log
        process.terminate()


@pytest.mark.long
@pytest.mark.parametrize("cluster", [local_cluster, standalone])
def test_two_workers_give_the_same_tables(
    runs: Path,
    alone: Path,
    tmp_path: Path,
    cluster: Callable[[Path, Path], AbstractContextManager[str]],
) -> None:
    into = tmp_path / "tables"
    home = spark_home(tmp_path / "spark")
    with cluster(home, tmp_path) as url:
        done = tables(
            runs, into, "--spark-master", url, "--spark-home", str(home),
            "--spark-conf", "spark.sql.shuffle.partitions=4",
            "--spark-conf", "spark.executor.memory=1g",
        )  # fmt: skip
        assert done.returncode == 3, done.stderr
    for layer, contracts in LAYERS.items():
        for contract in contracts:
            found, expected = rows(into, layer, contract.name), rows(alone, layer, contract.name)
            if contract.bulk:
                found, expected = sorted(found), sorted(expected)
            assert found == expected, contract.name


@pytest.mark.long
def test_a_killed_refresh_leaves_the_tables(runs: Path, tmp_path: Path) -> None:
    own, into = tmp_path / "runs", tmp_path / "tables"
    shutil.copytree(runs / "first", own / "first")
    assert tables(own, into).returncode == 0
    before = {name: rows(into, "gold", name) for name in ("medians", "checked")}
    shutil.copytree(runs / "second", own / "second")
    with start_insync("tables", own, "--into", into) as refreshing:
        wait_for((tmp_path / "tables.new/silver/repeats").exists, bool, 120)
        refreshing.kill()
    assert {name: rows(into, "gold", name) for name in before} == before
    done = tables(own, into)
    said = json.loads(done.stdout)
    assert (said["runs"], said["computed"]) == (2, True), done.stderr
    assert not (tmp_path / "tables.new").exists()
