"""The tables of several folders that are computed in one pass are those of each folder alone."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from insync.analysis import job
from insync.analysis.job import parse_job
from insync.analysis.tables import together
from insync.analysis.tables.catalogue import CONTRACTS
from insync.analysis.tables.current import folder_of
from insync.analysis.tables.rows import Row, read_parquet
from insync.errors import InsyncError
from insync.events.run_info import load_run
from unit.run_folder import Story, write_run

OTHER = Story(repeats=1, interval_ms=500.0, seed=8)
Judge = Callable[..., Any]
RESULTS = ("verdict.json", "report.html")


WHERE = ("folder", "folder_uri")
"""The columns with the place of a run, which a copy does not share."""


def rows(folder: Path) -> list[Row]:
    """Return the rows of a table, without the place of their run."""
    found = read_parquet(sorted(folder.glob("*.parquet")))
    return [{name: value for name, value in row.items() if name not in WHERE} for row in found]


def tables(run: Path) -> dict[str, list[Row]]:
    """Return the rows of every table, and those of bronze by the folders that they are in."""
    found = {name: rows(folder_of(run / "tables", name)) for name in CONTRACTS}
    bronze = run / "tables" / "bronze"
    folders = {file.parent for file in bronze.rglob("*.parquet")}
    return found | {str(folder.relative_to(bronze)): rows(folder) for folder in folders}


@pytest.mark.long
def test_a_folder_has_the_tables_and_results_that_it_has_alone(
    judge: Judge, made_up_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one is of the same scenario, so that rows over repeats could be mixed."""
    monkeypatch.setattr(job, "refresh", None)  # what computes the tables of one folder
    other = write_run(tmp_path / "other", OTHER)
    run = shutil.copytree(made_up_folder, tmp_path / "run")
    for made in (run / "tables", *(run / name for name in RESULTS)):
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    judge(other, run)
    alone, found = tables(made_up_folder), tables(run)
    assert found.keys() == alone.keys()
    assert {name for name in alone if found[name] != alone[name]} == set()
    for name in RESULTS:
        assert (run / name).read_bytes() == (made_up_folder / name).read_bytes()
    assert {row["runs"] for row in tables(other)["medians"]} == {1}
    assert not [*tmp_path.glob("*/tables.*")]


def test_a_pass_that_fails_changes_no_folder(
    judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs = [write_run(tmp_path / "a", OTHER), write_run(tmp_path / "b", replace(OTHER, seed=9))]
    for run in runs:
        (run / "tables").mkdir()
        (run / "tables" / "earlier").touch()
        (run / "verdict.json").write_text("earlier")

    def fails(*_: object) -> None:
        (tmp_path / "a" / "tables.together" / "bronze").mkdir(parents=True)
        raise InsyncError("gold failed: no disk left")

    monkeypatch.setattr(together, "compute_tables", fails)
    with pytest.raises(InsyncError, match="no disk left"):
        judge(*runs)
    for run in runs:
        assert [path.name for path in run.glob("tables*/*")] == ["earlier"]
        assert (run / "verdict.json").read_text() == "earlier"


def test_a_copy_of_a_run_has_tables_of_its_own(spark: SparkSession, tmp_path: Path) -> None:
    """Rows of a run and of its copy could not be told apart."""
    run = write_run(tmp_path / "a", OTHER)
    targets = [
        together.Target(
            tables=tmp_path, folders=job._folders(spark, place, {run: load_run(run)}), digest=None
        )
        for place in 2 * job.places(parse_job([str(run)]))
    ]
    assert not together.can_be_together(targets)
    assert not together.can_be_together(targets[:1])
