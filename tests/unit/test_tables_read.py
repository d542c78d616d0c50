"""Torn, foreign and missing event files: counted, never silently dropped, never fatal."""

from pathlib import Path

from pyspark.sql import SparkSession

from insync.tables import places
from insync.tables.read import read_events
from unit.conftest import rows_of
from unit.run_folder import EPOCH_MS, Story, append, write_run

SMALL = Story(repeats=1, interval_ms=500.0)


def without_events(run: Path) -> Path:
    """Remove every event file of a run."""
    for file in (run / "events").glob("*/*"):
        file.unlink()
    return run


def test_a_torn_last_line_is_counted_and_the_rest_is_read(
    spark: SparkSession, tmp_path: Path
) -> None:
    run = write_run(tmp_path, SMALL)
    file = run / "events/stock/produce-0.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-30])
    events = read_events(spark, places.local(run), SMALL.arms)
    assert events.produce.where("arm = 'stock'").count() == whole.count(b"\n") - 1
    counted = {
        row["file"]: (row["lines"], row["unreadable"]) for row in events.input_lines.collect()
    }
    assert counted["stock/produce-0.jsonl"] == (whole.count(b"\n"), 1)
    assert counted["plugin/produce-0.jsonl"] == (whole.count(b"\n"), 0)


def test_a_line_of_another_version_or_type_is_unreadable(
    spark: SparkSession, tmp_path: Path
) -> None:
    file = tmp_path / "events/stock/consume-0.jsonl"
    line = {"arm": "stock", "repeat": 0, "topic": "t", "partition": 0, "offset": 1, "seq": 1}
    append(file, [line, {**line, "v": 2}, {**line, "seq": "one"}])
    events = read_events(spark, places.local(tmp_path), ["stock"])
    assert events.consume.count() == 1
    assert [row["unreadable"] for row in events.input_lines.collect()] == [2]


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
