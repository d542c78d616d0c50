"""Incomplete, foreign and missing event files are counted, and never end the analysis."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from pyspark.sql import Row
from pyspark.sql import functions as fn

from analysed import OTHERS
from insync.analysis.engine import paths
from insync.analysis.engine.session import Session
from insync.analysis.tables.bronze.folders import of_run, runs_rows
from insync.analysis.tables.bronze.lines import input_lines, read_lines
from insync.analysis.tables.contracts import CONTRACTS
from insync.analysis.tables.current import stored_rows
from insync.analysis.tables.rows import Rows, arrow_table, rows_of_run
from insync.events.run_info import load_run, run_name
from unit.pipeline.odd_runs import NAMES, SMALL, without_events
from unit.run_folder import EPOCH_MS, append, write_run

READ = {"arm": "stock", "repeat": 0, "topic": "t", "partition": 0, "offset": 1, "seq": 1, "nth": 0}
TORN, BAD, FAR = (
    f"{at}.jsonl" for at in ("stock/consume-1", "stock/consume-2", "plugin/consume-1")
)


@dataclass(frozen=True)
class Bronze:
    """The result for odd lines: the counts per file, the unreadable and the readable lines."""

    counts: dict[str, tuple[int, int, int]]
    bad: list[Row]
    read: dict[str, list[Row]]


@pytest.fixture(scope="module")
def bronzed(session: Session, tmp_path_factory: pytest.TempPathFactory) -> Bronze:
    """Read a run with every kind of odd line, each in a file of its own."""
    run = without_events(write_run(tmp_path_factory.mktemp("lines"), SMALL))
    events = run / "events"
    append(events / TORN, [READ, READ])
    (events / TORN).write_bytes((events / TORN).read_bytes()[:-30])
    wrong = ({"v": 0}, {"v": 2}, {"seq": "one"}, {"seq": None}, {"v": None}, {"nth": None})
    append(events / BAD, [READ, *({**READ, **each} for each in wrong)])
    append(events / "stock/consume-0 (copy).jsonl", [READ])
    append(events / "another/consume-0.jsonl", [READ])
    at = (EPOCH_MS, EPOCH_MS - 3_600_000.0, EPOCH_MS + 3_600_000.0)
    append(events / FAR, [{**READ, "read_ms": ms} for ms in at])
    return _bronze_of(session, run)


def _bronze_of(session: Session, run: Path) -> Bronze:
    folders = [of_run(paths.local(run), load_run(run), has_events=True)]
    runs = session.spark.createDataFrame(arrow_table(runs_rows(folders), CONTRACTS["runs"]))
    bronze = read_lines(session, folders, paths.local(run / "bronze"))
    bad = [
        row
        for lines in bronze.stored.values()
        for row in lines.where(fn.col("wrong").isNotNull()).collect()
    ]
    read: dict[str, list[Row]] = {}
    for row in bronze.lines(session)["consume.lines"].collect():
        read.setdefault(row["file"], []).append(row)
    counted = input_lines(session, bronze.stored, runs).collect()
    counts = {r["file"]: (r["lines"], r["unreadable"], r["skewed"]) for r in counted}
    return Bronze(counts, bad, read)


def test_an_incomplete_last_line_is_counted_and_the_rest_is_read(bronzed: Bronze) -> None:
    assert bronzed.counts[TORN] == (2, 1, 0)
    assert len(bronzed.read[TORN]) == 1
    (bad,) = (row for row in bronzed.bad if row["file"] == TORN)
    assert bad["wrong"] == "incomplete, or no JSON"
    assert bad["text"].startswith('{"v": 1, "arm"')


def test_lines_that_cannot_be_read_are_kept_with_the_reason(bronzed: Bronze) -> None:
    assert bronzed.counts[BAD] == (7, 6, 0)
    assert len(bronzed.read[BAD]) == 1
    assert sorted(row["wrong"] for row in bronzed.bad if row["file"] == BAD) == [
        "a field of another type",
        "no schema version v",
        "nth is missing",
        "schema version 0, expected 1",
        "schema version 2, expected 1",
        "seq is missing",
    ]


def test_lines_of_foreign_files_are_quarantined(bronzed: Bronze) -> None:
    foreign = {"stock/consume-0 (copy).jsonl", "another/consume-0.jsonl"}
    assert {bronzed.counts[name] for name in foreign} == {(1, 1, 0)}
    problem = "not a file of a run with these arms"
    assert {row["file"] for row in bronzed.bad if row["wrong"] == problem} == foreign
    assert not foreign & bronzed.read.keys()


def test_a_time_far_outside_of_the_run_is_counted_and_kept(bronzed: Bronze) -> None:
    assert bronzed.counts[FAR] == (3, 0, 2)
    assert len(bronzed.read[FAR]) == 3


@pytest.fixture(scope="module")
def odd(analysed_folders: Path) -> dict[str, Rows]:
    """Return the rows of each odd run's tables, by its name."""
    others = analysed_folders / OTHERS
    rows = stored_rows(others / "tables")
    runs = {name: load_run(others / "4.3.1" / name) for name in NAMES}
    return {name: rows_of_run(rows, run_name(run)) for name, run in runs.items()}


def test_a_run_without_agents_faults_or_any_file_still_gives_tables(odd: dict[str, Rows]) -> None:
    rows = odd["plain"]
    assert (rows["faults"], rows["agent_counters"], rows["isr_shrinks"]) == ([], [], [])
    assert len(rows["ack_gaps"]) == 4
    of_cell = {"medians", "differences"}  # of all runs of the scenario
    assert {name for name, table in odd["empty"].items() if table} <= of_cell


def test_an_interrupted_repeat_ends_with_its_last_operation(odd: dict[str, Rows]) -> None:
    rows = odd["cut"]
    assert [(r["end_ms"] - EPOCH_MS, r["complete"]) for r in rows["repeats"]] == [(90.0, False)]
    assert [row["gap_ms"] for row in rows["ack_gaps"] if row["partition"] == 0] == [90.0]


def test_events_before_a_topic_is_steady_are_outside_of_the_window(odd: dict[str, Rows]) -> None:
    rows = odd["unsteady"]
    assert [row["start_ms"] - EPOCH_MS for row in rows["repeats"]] == [1_000.0]
    assert rows["isr_shrinks"] == []
    assert {row["min_isr_size"] for row in rows["availability"]} == {3}
    assert {row["failed"] for row in rows["ack_latency"]} == {0}
    assert {row["since_ms"] >= 0 for row in rows["latency_over_time"]} == {True}
