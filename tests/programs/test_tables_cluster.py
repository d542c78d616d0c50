"""`insync tables` gives the same rows on a Spark cluster of two workers as on one machine.

A killed refresh leaves the published tables.
"""

import json
import shutil
from pathlib import Path

import pyspark
import pytest
from pyarrow import parquet

from commands import Done, insync, start_insync
from insync.analysis.tables.contracts import LAYERS
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
    lines = done.stderr.splitlines()
    assert not [line for line in lines if "WARN" in line or "Exception" in line]
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


@pytest.mark.long
def test_two_workers_give_the_same_tables(runs: Path, alone: Path, tmp_path: Path) -> None:
    """Spark starts them as processes of their own, with a core each."""
    into, home = tmp_path / "tables", spark_home(tmp_path / "spark")
    done = tables(
        runs, into, "--spark-master", "local-cluster[2,1,1024]", "--spark-home", str(home),
        "--spark-conf", "spark.sql.shuffle.partitions=4",
        "--spark-conf", "spark.executor.memory=1g",
    )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert len(list((home / "work").glob("app-*/*"))) == 2, "two executors"
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
