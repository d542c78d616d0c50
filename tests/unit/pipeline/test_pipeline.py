"""The tables of many runs: computed together, kept apart, again only if a run is new or changed."""

import hashlib
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from pyarrow import parquet
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from pyspark.testing import assertDataFrameEqual

from insync.analysis.engine import paths
from insync.analysis.engine.files import local_path
from insync.analysis.engine.session import Session
from insync.analysis.tables import pipeline
from insync.analysis.tables.batch import Summary, _compute
from insync.analysis.tables.bronze.folders import look, of_run
from insync.analysis.tables.build import Step
from insync.analysis.tables.contracts import CONTRACTS, LAYERS
from insync.analysis.tables.pipeline import refresh
from insync.analysis.tables.rows import Row, read_parquet
from insync.errors import InputError, InsyncError
from insync.events.run_info import load_run
from insync.progress import silent
from unit.checks.test_planted import steps_for
from unit.pipeline.odd_runs import SMALL
from unit.run_folder import Story, write_run

SECOND = Story(repeats=2, interval_ms=400.0, seed=8)


@pytest.fixture(scope="module")
def lake(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compute the tables of two runs in the folder `all`, which the tests do not change."""
    folder = tmp_path_factory.mktemp("lake")
    write_run(folder / "runs" / "first")
    write_run(folder / "runs" / "second", SECOND)
    compute(session, folder)
    return folder


def compute(session: Session, folder: Path) -> None:
    folders = look(session.files, [paths.local(folder / "runs")])
    refresh(session, folders, paths.local(folder / "all"), "spark.log")


def table(session: Session, folder: Path, layer: str, name: str) -> DataFrame:
    return stored(session, f"{paths.local(folder)}/all/{layer}/{name}", name)


def stored(session: Session, place: str, name: str) -> DataFrame:
    return session.read(place, columns=CONTRACTS[name].schema)


def contents(folder: Path) -> list[tuple[str, str]]:
    """Return the digest of every Parquet file, with the folder that it is in."""
    files = (folder / "all").rglob("*.parquet")
    return sorted(
        (str(file.parent.relative_to(folder)), hashlib.sha256(file.read_bytes()).hexdigest())
        for file in files
    )


def test_each_table_has_its_contracts_columns(session: Session, made_up_folder: Path) -> None:
    tables = paths.local(made_up_folder / "tables")
    for layer, contracts in LAYERS.items():
        for contract in contracts:
            at = f"{tables}/{layer}/{contract.name}"
            found = parquet.read_schema(local_path(f"{at}/{paths.PART}"))
            assert found == contract.arrow_schema


@pytest.mark.usefixtures("rows")
def test_a_run_among_others_has_the_rows_that_it_has_alone(
    session: Session, lake: Path, made_up_folder: Path
) -> None:
    run = of_run("", load_run(made_up_folder), has_events=True).run
    of_repeats = [
        (layer, contract.name)
        for layer, contracts in LAYERS.items()
        for contract in contracts
        if contract.has_column("run") and contract.has_column("repeat")
    ]
    for layer, name in of_repeats:
        alone = f"{paths.local(made_up_folder)}/tables/{layer}/{name}"
        among = table(session, lake, layer, name).where(fn.col("run") == run)
        assertDataFrameEqual(among, stored(session, alone, name))


@pytest.fixture
def _only_bronze(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compute bronze and the tables of runs and folders only."""
    monkeypatch.setattr(pipeline, "STEPS", ())
    monkeypatch.setattr(pipeline, "rows_of_reports", lambda _: {"medians": []})


@pytest.mark.usefixtures("_only_bronze")
def test_rows_are_collected_only_for_reports(session: Session, tmp_path: Path) -> None:
    """The rows of many runs are not collected, because nothing reads them."""
    write_run(tmp_path / "runs" / "first", SMALL)
    folders = look(session.files, [paths.local(tmp_path / "runs")])
    into = paths.local(tmp_path / "all")
    assert refresh(session, folders, into, "spark.log", for_reports=False) == {}
    assert refresh(session, folders, into, "spark.log") == {"medians": []}


def test_a_rerun_gives_the_same_bytes(session: Session, lake: Path) -> None:
    first = contents(lake)
    compute(session, lake)
    assert contents(lake) == first
    assert {path.name for path in lake.iterdir()} == {"runs", "all"}


@pytest.mark.usefixtures("_only_bronze")
def test_a_failing_analysis_keeps_the_previous_output(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_run(tmp_path / "runs" / "first", SMALL)
    compute(session, tmp_path)
    before = contents(tmp_path)
    assert before

    def broken(runs: DataFrame) -> DataFrame:
        error = fn.raise_error(fn.lit("no disk left"))
        columns = CONTRACTS["medians"].columns
        return runs.select(*(error.cast(each.type).alias(each.name) for each in columns))

    monkeypatch.setattr(pipeline, "STEPS", [Step("medians", broken, ("runs",))])
    with pytest.raises(InsyncError, match=r"\A.*silver and gold failed.*no disk left.*\Z"):
        compute(session, tmp_path)
    assert contents(tmp_path) == before
    assert {path.name for path in tmp_path.iterdir()} == {"runs", "all"}


@pytest.mark.parametrize("name", ["all", "all.old"])
def test_a_folder_with_other_files_is_not_replaced(
    session: Session, tmp_path: Path, name: str
) -> None:
    """Nor is one that is not ours, with the name of what an interrupted refresh leaves."""
    (tmp_path / name).mkdir()
    (tmp_path / name / "thesis.txt").write_text("years of work")
    write_run(tmp_path / "runs" / "first", SMALL)
    with pytest.raises(InputError, match=r"all: holds thesis.txt, expected a new or empty folder"):
        compute(session, tmp_path)
    assert [file.read_text() for file in tmp_path.glob("all*/thesis.txt")] == ["years of work"]


def test_folders_with_problems_are_named(session: Session, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    write_run(runs / "whole", SMALL)
    shutil.copytree(runs / "whole", runs / "whole-copied")
    write_run(runs / "cut", replace(SMALL, seed=9, finished=False))
    write_run(runs / "silent", replace(SMALL, seed=10))
    shutil.rmtree(runs / "silent" / "events")
    (runs / "foreign").mkdir()
    (runs / "foreign" / "notes.txt").write_text("not a run")
    (runs / "torn").mkdir()
    (runs / "torn" / "run.json").write_text('{"scenario_name": "kip')
    (tmp_path / "empty").mkdir()
    named = [paths.local(tmp_path / name) for name in ("runs", "empty", "missing")]
    found = look(session.files, named)
    problems = {Path(folder.path).name: (folder.used, folder.problem) for folder in found}
    assert problems.pop("torn")[1].startswith("run.json: the file: Invalid JSON")  # type: ignore[union-attr]
    assert problems == {
        "whole": (True, None),
        "whole-copied": (False, f"a copy of {paths.local(runs)}/whole: the same run"),
        "cut": (True, "interrupted: run.json has no finished_ms"),
        "silent": (True, "no events: the run recorded nothing"),
        "foreign": (False, "holds no run: no run.json"),
        "empty": (False, "is empty: no run.json, in it or up to 3 folders down"),
        "missing": (False, "no such folder"),
    }


def a_run(folder: Path, name: str, seed: int) -> None:
    write_run(folder / "runs" / name, replace(SMALL, seed=seed))


def computed(session: Session, folder: Path) -> Summary:
    named, into = [str(folder / "runs")], str(folder / "all")
    return _compute(session, named, into, folder / "spark.log", silent)


def rows(folder: Path, layer: str, name: str) -> list[Row]:
    return read_parquet(sorted((folder / "all" / layer / name).glob("*.parquet")))


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
    monkeypatch.setattr(pipeline, "STEPS", steps_for(["medians"]))
    a_run(tmp_path, "first", 1)
    computed(session, tmp_path)
    a_run(tmp_path, "second", 2)
    computed(session, tmp_path)
    found = rows(tmp_path, "gold", "medians")
    assert {(row["repeats"], row["runs"]) for row in found} == {(2, 2)}
    keys = [(row["arm"], row["metric"]) for row in found]
    assert len(keys) == len(set(keys))
