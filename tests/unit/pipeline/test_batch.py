"""The tables of many runs are computed together, and only if a run is new, changed or gone."""

import shutil
from pathlib import Path

import pytest

from insync.analysis.engine.session import Session
from insync.analysis.tables import pipeline
from insync.analysis.tables.batch import Summary, _compute
from insync.analysis.tables.build import steps_for
from insync.analysis.tables.rows import Row, read_parquet
from insync.progress import silent
from unit.run_folder import Story, write_run


def a_run(folder: Path, name: str, seed: int) -> None:
    write_run(folder / "runs" / name, Story(repeats=1, interval_ms=500.0, seed=seed))


def computed(session: Session, folder: Path) -> Summary:
    named, into = [str(folder / "runs")], str(folder / "all")
    return _compute(session, named, into, folder / "spark.log", silent)


def rows(folder: Path, layer: str, name: str) -> list[Row]:
    return read_parquet(sorted((folder / "all" / layer / name).glob("*.parquet")))


@pytest.fixture
def _only_bronze(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute bronze and the tables of runs and folders only."""
    monkeypatch.setattr(pipeline, "steps_for", list)


@pytest.mark.usefixtures("_only_bronze")
def test_tables_are_computed_again_if_a_run_is_new_changed_or_gone(
    session: Session, tmp_path: Path
) -> None:
    a_run(tmp_path, "first", 1)
    assert computed(session, tmp_path).computed
    assert not computed(session, tmp_path).computed

    a_run(tmp_path, "second", 2)
    two = computed(session, tmp_path)
    assert (two.computed, two.runs) == (True, 2)
    assert len(rows(tmp_path, "silver", "runs")) == 2
    again = computed(session, tmp_path)
    assert (again.computed, again.lines) == (False, two.lines)

    with next((tmp_path / "runs/first/events").rglob("produce-0.jsonl")).open("a") as file:
        file.write('{"v":1,"torn\n')
    torn = computed(session, tmp_path)
    assert (torn.computed, torn.unreadable) == (True, 1)

    shutil.rmtree(tmp_path / "runs" / "second")
    assert computed(session, tmp_path).computed
    assert len(rows(tmp_path, "silver", "runs")) == 1
    assert {path.name for path in tmp_path.iterdir()} == {"all", "runs"}


@pytest.mark.usefixtures("_only_bronze")
def test_a_folder_that_is_new_and_holds_no_run_is_listed(session: Session, tmp_path: Path) -> None:
    a_run(tmp_path, "first", 1)
    assert not computed(session, tmp_path).problems
    (tmp_path / "runs" / "notes").mkdir()
    found = computed(session, tmp_path)
    assert (found.computed, len(found.problems)) == (True, 1)
    assert {row["used"] for row in rows(tmp_path, "silver", "inputs")} == {True, False}


def test_medians_are_over_the_repeats_of_all_runs(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "steps_for", lambda: steps_for(["medians"]))
    a_run(tmp_path, "first", 1)
    computed(session, tmp_path)
    a_run(tmp_path, "second", 2)
    computed(session, tmp_path)
    found = rows(tmp_path, "gold", "medians")
    assert {(row["repeats"], row["runs"]) for row in found} == {(2, 2)}
    keys = [(row["arm"], row["metric"]) for row in found]
    assert len(keys) == len(set(keys))
