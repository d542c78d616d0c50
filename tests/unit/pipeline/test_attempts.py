"""The tables of many runs are published at once, and only those of new runs are computed."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.analysis.engine import paths
from insync.analysis.engine.session import Session
from insync.analysis.tables import attempts, pipeline
from insync.analysis.tables.attempts import MOST_ATTEMPTS, Refreshed, kept_attempts, publish
from insync.analysis.tables.bronze.folders import look
from insync.analysis.tables.catalogue import CONTRACTS
from insync.errors import InsyncError
from unit.run_folder import Story, write_run

ATTEMPTS = st.dictionaries(
    st.sampled_from("abcdefg"), st.dictionaries(st.sampled_from("rstuvw"), st.sampled_from("12"))
)


def refreshed(session: Session, folder: Path) -> Refreshed:
    folders = look(session.files, [paths.local(folder / "runs")])
    return publish(session, folders, paths.local(folder / "all"), "spark.log")


@pytest.fixture(autouse=True)
def _only_bronze(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute bronze and the tables of runs and folders, because no others matter here."""
    monkeypatch.setattr(pipeline, "steps_for", list)


def a_run(folder: Path, name: str, seed: int) -> None:
    write_run(folder / "runs" / name, Story(repeats=1, interval_ms=500.0, seed=seed))


def runs_of(session: Session, found: Refreshed, table: str = "runs") -> list[str]:
    rows = (
        session.read(*found.files_of(table), columns=CONTRACTS[table].schema)
        .select("run")
        .collect()
    )
    return sorted(str(row["run"]) for row in rows)


def published(folder: Path) -> dict[str, dict[str, str]]:
    manifest = json.loads((folder / "all" / "_insync.json").read_text())
    found: dict[str, dict[str, str]] = manifest["attempts"]
    return found


def attempts_in(folder: Path) -> set[str]:
    return {each.name for each in (folder / "all").iterdir() if each.is_dir()}


def test_only_new_runs_are_computed(session: Session, tmp_path: Path) -> None:
    a_run(tmp_path, "first", 1)
    one = refreshed(session, tmp_path)
    a_run(tmp_path, "second", 2)
    two = refreshed(session, tmp_path)
    assert (one.computed, two.computed) == (1, 1)
    assert len(runs_of(session, one)) == 1
    assert len(runs_of(session, two)) == 2
    assert list(one.manifest.attempts) == list(two.manifest.attempts)[:1]
    used = session.read(*two.files_of("inputs"), columns=CONTRACTS["inputs"].schema)
    assert set(used.toArrow().column("used").to_pylist()) == {True}
    assert len(runs_of(session, two, "inputs")) == 2

    again = refreshed(session, tmp_path)
    assert (again.computed, again.manifest) == (0, two.manifest)


def test_a_changed_run_and_the_others_of_its_attempt_are_computed_again(
    session: Session, tmp_path: Path
) -> None:
    a_run(tmp_path, "first", 1)
    a_run(tmp_path, "second", 2)
    refreshed(session, tmp_path)
    a_run(tmp_path, "third", 3)
    before = refreshed(session, tmp_path)
    with next((tmp_path / "runs/first/events").rglob("produce-0.jsonl")).open("a") as file:
        file.write('{"v":1,"torn\n')
    after = refreshed(session, tmp_path)
    assert after.computed == 2
    assert len(runs_of(session, after)) == 3
    assert runs_of(session, after) == runs_of(session, before)
    assert len(published(tmp_path)) == 2
    # A reader may still use the old attempt; the next refresh deletes it.
    assert set(before.manifest.attempts) < attempts_in(tmp_path)
    a_run(tmp_path, "fourth", 4)
    refreshed(session, tmp_path)
    assert attempts_in(tmp_path) == set(published(tmp_path))


def test_a_run_that_is_gone_is_published_no_longer(session: Session, tmp_path: Path) -> None:
    a_run(tmp_path, "first", 1)
    refreshed(session, tmp_path)
    a_run(tmp_path, "second", 2)
    refreshed(session, tmp_path)
    shutil.rmtree(tmp_path / "runs" / "second")
    found = refreshed(session, tmp_path)
    assert found.computed == 0
    assert len(runs_of(session, found)) == 1
    assert len(runs_of(session, found, "inputs")) == 1


def test_a_failed_refresh_leaves_what_is_published(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_run(tmp_path, "first", 1)
    before = refreshed(session, tmp_path)
    a_run(tmp_path, "second", 2)

    def fails(*_: object) -> None:
        (tmp_path / "all" / "attempt-half").mkdir()
        raise InsyncError("gold failed: no disk left")

    with monkeypatch.context() as patch:
        patch.setattr(attempts, "compute_tables", fails)
        with pytest.raises(InsyncError, match="no disk left"):
            refreshed(session, tmp_path)
    assert published(tmp_path) == before.manifest.attempts
    assert len(runs_of(session, before)) == 1
    found = refreshed(session, tmp_path)
    assert len(runs_of(session, found)) == 2
    assert attempts_in(tmp_path) == set(found.manifest.attempts)


def test_two_refreshes_at_once_do_not_publish_half_of_each(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_run(tmp_path, "first", 1)
    computes = attempts.compute_tables

    def and_another(*given: object) -> object:
        monkeypatch.setattr(attempts, "compute_tables", computes)
        refreshed(session, tmp_path)
        return computes(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(attempts, "compute_tables", and_another)
    with pytest.raises(InsyncError, match="another refresh has published its tables meanwhile"):
        refreshed(session, tmp_path)
    assert attempts_in(tmp_path) == set(published(tmp_path))


def test_the_tables_of_an_older_layout_are_replaced(session: Session, tmp_path: Path) -> None:
    a_run(tmp_path, "first", 1)
    for layer in ("bronze", "silver", "gold"):
        (tmp_path / "all" / layer / "medians").mkdir(parents=True)
    (tmp_path / "all" / "_insync.json").write_text('{"schema": 1, "made_of": null}')
    found = refreshed(session, tmp_path)
    assert len(runs_of(session, found)) == 1
    assert attempts_in(tmp_path) == set(found.manifest.attempts)


@given(ATTEMPTS, st.dictionaries(st.sampled_from("rstuvw"), st.sampled_from("12")))
def test_an_attempt_is_kept_whole_or_not_at_all(
    made: Mapping[str, Mapping[str, str]], wanted: Mapping[str, str]
) -> None:
    kept = kept_attempts(made, wanted)
    for name, runs in made.items():
        is_current = all(wanted.get(run) == digest for run, digest in runs.items())
        assert (name in kept) == is_current


def test_many_attempts_become_one() -> None:
    made = {f"attempt-{number}": {str(number): "1"} for number in range(MOST_ATTEMPTS)}
    wanted = {str(number): "1" for number in range(MOST_ATTEMPTS)}
    assert kept_attempts(made, wanted) == {}
    made.pop("attempt-0")
    assert kept_attempts(made, wanted) == made
