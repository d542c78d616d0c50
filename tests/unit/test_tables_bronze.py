"""Torn, foreign and missing event files: counted, never silently dropped, never fatal."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from insync.events.run_info import load_run
from insync.tables import bronze, places
from insync.tables.folders import of_run
from insync.tables.hadoop import Hadoop
from insync.tables.migrations import STEPS, Step, Steps
from insync.tables.runs import runs_table
from insync.tables.schemas import CONSUME
from unit.conftest import rows_of
from unit.run_folder import EPOCH_MS, Story, append, write_run

SMALL = Story(repeats=1, interval_ms=500.0)


def without_events(run: Path) -> Path:
    """Remove every event file of a run."""
    for file in (run / "events").glob("*/*"):
        file.unlink()
    return run


def bronze_of(spark: SparkSession, run: Path, steps: Steps = STEPS) -> dict[str, DataFrame]:
    """Compute the bronze tables of a run folder, and the counts of its lines."""
    folders = [of_run(places.local(run), load_run(run), has_events=True)]
    runs = runs_table(spark, Hadoop(spark), folders)
    parsed = bronze.parse_all(bronze.raw_lines(spark, folders), runs, steps)
    return {**dict(bronze.bronze(parsed)), "input_lines": bronze.input_lines(parsed)}


def counts(tables: dict[str, DataFrame]) -> dict[str, tuple[int, int, int]]:
    """Return lines, unreadable and skewed ones by file."""
    rows = tables["input_lines"].collect()
    return {row["file"]: (row["lines"], row["unreadable"], row["skewed"]) for row in rows}


def test_a_torn_last_line_is_counted_and_the_rest_is_read(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = write_run(tmp_path, SMALL)
    file = run / "events/stock/produce-0.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-30])
    tables = bronze_of(spark, run)
    assert tables["produce"].where("arm = 'stock'").count() == whole.count(b"\n") - 1
    counted = counts(tables)
    assert counted["stock/produce-0.jsonl"] == (whole.count(b"\n"), 1, 0)
    assert counted["plugin/produce-0.jsonl"] == (whole.count(b"\n"), 0, 0)
    (bad,) = tables["quarantine"].collect()
    assert (bad["file"], bad["problem"]) == ("stock/produce-0.jsonl", "torn, or no JSON")
    assert bad["text"] == whole[:-30].splitlines()[-1].decode()


def test_lines_that_cannot_be_read_are_kept_with_the_reason(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = without_events(write_run(tmp_path, SMALL))
    line = {"arm": "stock", "repeat": 0, "topic": "t", "partition": 0, "offset": 1, "seq": 1}
    bad = [{**line, "v": 2}, {**line, "seq": "one"}, {**line, "seq": None}, {**line, "v": None}]
    append(run / "events/stock/consume-0.jsonl", [line, *bad])
    append(run / "events/stock/consume-0 (copy).jsonl", [line])
    append(run / "events/another/consume-0.jsonl", [line])
    tables = bronze_of(spark, run)
    assert tables["consume"].count() == 1
    assert counts(tables) == {
        "stock/consume-0.jsonl": (5, 4, 0),
        "stock/consume-0%20(copy).jsonl": (1, 1, 0),
        "another/consume-0.jsonl": (1, 1, 0),
    }
    assert sorted(row["problem"] for row in tables["quarantine"].collect()) == [
        "a field of another type",
        "a file that no run of these arms leaves",
        "a file that no run of these arms leaves",
        "no schema version v",
        "schema version 2, expected 1 at most",
        "seq is missing",
    ]


def test_a_time_far_outside_of_the_run_is_counted_and_kept(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = without_events(write_run(tmp_path, SMALL))
    read = {"arm": "stock", "repeat": 0, "topic": "t", "partition": 0, "seq": 1}
    at = (EPOCH_MS, EPOCH_MS - 3_600_000.0, EPOCH_MS + 3_600_000.0)
    lines = [{**read, "offset": n, "read_ms": ms} for n, ms in enumerate(at)]
    append(run / "events/stock/consume-0.jsonl", lines)
    tables = bronze_of(spark, run)
    assert counts(tables) == {"stock/consume-0.jsonl": (3, 0, 2)}
    assert tables["consume"].count() == 3


def test_lines_of_an_older_version_are_lifted_to_the_newest(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = without_events(write_run(tmp_path, SMALL))
    new = {"arm": "stock", "repeat": 0, "topic": "t", "partition": 0, "offset": 1, "seq": 1}
    old = {"v": 0, **new, "sent": 7}
    append(run / "events/stock/consume-0.jsonl", [{k: old[k] for k in old if k != "seq"}, new])
    schema = StructType.fromDDL(CONSUME.schema.toDDL().replace("seq BIGINT", "sent BIGINT"))
    step = Step(schema, lambda lines: lines.withColumnRenamed("sent", "seq"))
    tables = bronze_of(spark, run, {("consume", 0): step})
    assert counts(tables) == {"stock/consume-0.jsonl": (2, 0, 0)}
    assert sorted(row["seq"] for row in tables["consume"].collect()) == [1, 7]


def test_a_run_without_agents_faults_or_any_file_still_gives_tables(
    spark: SparkSession, tmp_path: Path
) -> None:
    stock = write_run(tmp_path / "stock", Story(repeats=1, arms=("stock",), faults=False))
    rows = rows_of(spark, stock)
    assert (rows["faults"], rows["agent_counters"], rows["isr_shrinks"]) == ([], [], [])
    assert len(rows["ack_gaps"]) == 4
    empty = without_events(write_run(tmp_path / "empty", SMALL))
    assert all(table == [] for table in rows_of(spark, empty).values())


def test_a_repeat_that_was_cut_short_ends_with_its_last_operation(
    spark: SparkSession, tmp_path: Path
) -> None:
    topic = {"arm": "stock", "repeat": 0, "topic": "made-up-r0"}
    started = {**topic, "type": "repeat_started", "t_ms": EPOCH_MS, "note": ""}
    record = {
        **topic, "partition": 0, "seq": 0, "sent_ms": EPOCH_MS + 40.0, "done_ms": EPOCH_MS + 90.0,
        "latency_ms": 50.0, "error": None, "offset": 0,
    }  # fmt: skip
    run = without_events(write_run(tmp_path, SMALL))
    append(run / "events/stock/phases.jsonl", [started])
    append(run / "events/stock/produce-0.jsonl", [record])
    rows = rows_of(spark, run)
    assert [(r["end_ms"] - EPOCH_MS, r["complete"]) for r in rows["repeats"]] == [(90.0, False)]
    assert [row["gap_ms"] for row in rows["ack_gaps"] if row["partition"] == 0] == [90.0]


def test_what_befell_a_new_topic_before_it_was_steady_is_not_judged(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = write_run(tmp_path, Story(repeats=1, arms=("stock",), interval_ms=500.0, faults=False))
    begun = EPOCH_MS + 1_000.0
    topic = {"arm": "stock", "topic": "made-up-r0", "partition": 0}
    change = {
        **topic, "kind": "partition", "leader": 1, "leader_epoch": 0, "elr": [],
        "replicas": [1, 2, 3],
    }  # fmt: skip
    append(
        run / "events/stock/isr.jsonl",
        [{**change, "t_ms": begun - at, "isr": isr} for at, isr in ((200, [1]), (100, [1, 2, 3]))],
    )
    record = {
        **topic, "repeat": 0, "seq": 999, "sent_ms": begun - 300.0, "done_ms": begun - 250.0,
        "latency_ms": 50.0, "error": "NOT_ENOUGH_REPLICAS", "offset": None,
    }  # fmt: skip
    append(run / "events/stock/produce-0.jsonl", [record])
    rows = rows_of(spark, run)
    assert [row["start_ms"] - begun for row in rows["repeats"]] == [0.0]
    assert rows["isr_shrinks"] == []
    assert {row["min_isr_size"] for row in rows["availability"]} == {3}
    assert {row["failed"] for row in rows["ack_latency"]} == {0}
    assert {row["since_ms"] >= 0 for row in rows["latency_over_time"]} == {True}
