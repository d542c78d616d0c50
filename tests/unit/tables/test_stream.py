"""Records of a topic give the same tables as a run's files, in any order and with duplicates."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from insync.analysis.tables.rows import Rows
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.analysis.tables.spark.paths import local
from insync.analysis.tables.streaming.stream import (
    RECORDS,
    Topic,
    batches,
    lines_of,
    received,
    require_state,
)
from insync.analysis.tables.streaming.watch import picture, tables
from insync.errors import InputError
from insync.events.run_info import RunInfo, run_name
from insync.events.topic import line_key, run_key

Record = tuple[str | None, int, str | None]

TOPIC = Topic("insync-events", "localhost:9092", "abc")


def records_of(folder: Path, info: RunInfo) -> list[Record]:
    """Return every line of a run folder as the harness would send it."""
    run = run_name(info)
    found = [(run_key(run), 0, (folder / "run.json").read_text())]
    for file in sorted((folder / "events").glob("*/*.jsonl")):
        key = line_key(run, file.parent.name, file.name)
        found += [(key, at, line) for at, line in enumerate(file.read_text().splitlines())]
    return found


def batch(spark: SparkSession, folder: Path, records: list[Record]) -> str:
    """Write the records of a batch and return its folder."""
    text = folder.with_suffix(".jsonl")
    columns = ("key", "number", "text")
    lines = (json.dumps(dict(zip(columns, record, strict=True))) for record in records)
    text.write_text("\n".join(lines))
    path = local(folder)
    spark.read.schema(RECORDS).json(local(text)).write.parquet(path)
    return path


def test_shuffled_and_doubled_records_give_the_tables_of_the_files(
    spark: SparkSession,
    made_up_folder: Path,
    made_up_run: RunInfo,
    made_up_rows: Rows,
    tmp_path: Path,
) -> None:
    """Retries change the order of records and send some twice; the tables must not show it."""
    records = records_of(made_up_folder, made_up_run)
    chance = random.Random(1)  # noqa: S311
    half = chance.sample(records, len(records) // 2)
    chance.shuffle(records)
    folders = [batch(spark, tmp_path / "0", records), batch(spark, tmp_path / "1", half)]
    so_far = received(spark, folders, 2)
    assert so_far.unknown == 0
    made = tables(spark, so_far)
    for name in ("repeats", "isr_shrinks", "holds", "availability"):
        assert made.rows[name] == made_up_rows[name], name
    spark.catalog.clearCache()


def test_the_picture_counts_new_records_and_those_of_no_run(
    spark: SparkSession, made_up_folder: Path, made_up_run: RunInfo, tmp_path: Path
) -> None:
    records = records_of(made_up_folder, made_up_run)
    strangers = [("hello", 7, "{}"), ("other/stock/isr.jsonl", 7, "{}")]
    torn = [(line_key(run_name(made_up_run), "stock", "isr.jsonl"), 10**6, '{"v":1')]
    old = batch(spark, tmp_path / "0", records)
    new = batch(spark, tmp_path / "1", [*strangers, *torn])
    seen = picture(spark, TOPIC, [old, new], [old], 2)
    assert seen.new_records == 3
    assert seen.unknown == 2
    assert seen.lines == len(records) - 1 + 1, "the run's own record is no line; the torn one is"
    (problem,) = seen.problems
    assert problem.endswith("lines unreadable")
    assert "stock/isr.jsonl: 1 of" in problem
    assert [row["repeat"] for row in seen.repeats if row["arm"] == "stock"] == [0, 1, 2]


def test_without_records_the_picture_is_empty(spark: SparkSession) -> None:
    seen = picture(spark, TOPIC, [], [], 2)
    assert (seen.lines, seen.unknown, seen.repeats, seen.last_shrinks) == (0, 0, [], [])


def test_a_run_that_cannot_be_read_is_named(spark: SparkSession, tmp_path: Path) -> None:
    seen = picture(spark, TOPIC, [batch(spark, tmp_path / "0", [(run_key("r"), 0, "{}")])], [], 2)
    (problem,) = seen.problems
    assert problem.startswith("r/run.json: ")


def test_the_latest_description_of_a_run_counts(
    spark: SparkSession, made_up_folder: Path, made_up_run: RunInfo, tmp_path: Path
) -> None:
    """A run is described at its start, by each arm, and at its end."""
    info = json.loads((made_up_folder / "run.json").read_text())
    key = run_key(run_name(made_up_run))
    times = ((2_000, 9.0), (1_000, None), (3_000, 10.0))
    records = [(key, at, json.dumps({**info, "finished_ms": ms})) for at, ms in times]
    (info,) = received(spark, [batch(spark, tmp_path / "0", records)], 2).runs.values()
    assert info.finished_ms == 10.0
    spark.catalog.clearCache()


def test_a_lines_number_is_the_senders_or_the_offset(spark: SparkSession) -> None:
    """Agents send no numbers: their records are in order by themselves."""
    header = "array<struct<key:string,value:binary>>"
    sent = spark.createDataFrame(
        [
            (bytearray(b"r/a/f"), bytearray(b"{}"), 70, [("x", None), ("n", bytearray(b"12"))]),
            (bytearray(b"broker-1.jsonl"), bytearray(b"[]"), 71, None),
            (None, None, 72, []),
            (bytearray(b"r/a/f"), bytearray(b"{}"), 73, [("n", bytearray(b"a stranger's"))]),
        ],
        f"key binary, value binary, offset long, headers {header}",
    )
    assert [tuple(row) for row in lines_of(sent).collect()] == [
        ("r/a/f", 12, "{}"),
        ("broker-1.jsonl", 71, "[]"),
        (None, 72, None),
        ("r/a/f", 73, "{}"),
    ]


def test_a_state_folder_is_of_one_topic(spark: SparkSession, tmp_path: Path) -> None:
    hadoop, state = Hadoop(spark), local(tmp_path / "state")
    require_state(hadoop, state, TOPIC)
    require_state(hadoop, state, Topic("insync-events", "elsewhere:9092", "abc"))
    with pytest.raises(InputError, match="holds topic insync-events of cluster abc"):
        require_state(hadoop, state, Topic("insync-events", "localhost:9092", "another"))
    (tmp_path / "state" / "state.json").write_text('{"name": "insync-ev')
    with pytest.raises(InputError, match=r"state\.json: unreadable"):
        require_state(hadoop, state, TOPIC)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    with pytest.raises(InputError, match="holds other files"):
        require_state(hadoop, local(tmp_path / "full"), TOPIC)


def test_only_complete_batches_count(spark: SparkSession, tmp_path: Path) -> None:
    for name, whole in (("batch=0", True), ("batch=1", False)):
        (tmp_path / "lines" / name).mkdir(parents=True)
        if whole:
            (tmp_path / "lines" / name / "_SUCCESS").touch()
    (only,) = batches(Hadoop(spark), local(tmp_path))
    assert only.endswith("/lines/batch=0")


def published_by_agents(*events: dict[str, Any]) -> list[Record]:
    """Return what agents of an unmanaged cluster send, with or without their cluster's name."""
    lines = [json.dumps({"v": 1, **event}) for event in events]
    keys = ("broker-1.jsonl", "rack-b/broker-2.jsonl")
    return [(key, at, line) for key in keys for at, line in enumerate(lines)]


def test_unmanaged_brokers_are_shown_by_topic(spark: SparkSession, tmp_path: Path) -> None:
    """ISR changes that leaders proposed replace the controller's log, from the first one on."""
    change = {"topic": "orders", "partition": 3, "leader_epoch": 1}
    records = published_by_agents(
        {"t_ms": 1_000, "type": "settings", "broker": 1, "replica.lag.time.max.ms": 10_000},
        {"t_ms": 1_500, "type": "leader_change", "topic": "quiet", "partition": 0},
        {"t_ms": 2_000, "type": "isr_shrink", "isr": [1, 2, 3], "proposed": [1], **change},
        {"t_ms": 5_000, "type": "isr_expand", "isr": [1], "proposed": [1, 2], **change},
        {"t_ms": 6_000, "type": "pending_long", "replica": 2, "held_ms": 900, "partition": -1},
        {"t_ms": 9_000, "type": "pending"},
    )
    seen = picture(spark, TOPIC, [batch(spark, tmp_path / "0", records)], [], 2)
    assert (seen.unknown, seen.problems) == (0, [])
    found = {(row["run"], row["topic"]): row for row in seen.repeats}
    assert set(found) == {
        (run, topic) for run in ("brokers", "rack-b") for topic in ("orders", "(all topics)")
    }
    orders = found["brokers", "orders"]
    assert (orders["shrinks"], orders["seen_ms"]) == (1, 8_000.0)
    assert (orders["under_min_isr_ms"], orders["at_min_isr_ms"]) == (3_000.0, 4_000.0)
    held = found["rack-b", "(all topics)"]
    assert (held["holds"], held["longest_hold_ms"]) == (1, 900.0)
    assert [row["removed"] for row in seen.last_shrinks] == [[2, 3], [2, 3]]


def test_a_record_that_no_agent_wrote_is_unreadable(spark: SparkSession, tmp_path: Path) -> None:
    """Anyone may write to the topic, under the key of an agent, too."""
    odd = {"v": 1, "t_ms": "soon", "type": "settings", "replica.lag.time.max.ms": "long"}
    records = [
        ("broker-1.jsonl", 0, json.dumps(odd)),
        ("broker-1.jsonl", 1, "\x00 no JSON"),
        ("broker-1.jsonl", 2, None),
        ("a run/run.json", 3, None),
        (None, 4, "{}"),
    ]
    seen = picture(spark, TOPIC, [batch(spark, tmp_path / "0", records)], [], 2)
    assert (seen.lines, seen.unknown, seen.repeats) == (2, 2, [])
    assert seen.problems == ["brokers/brokers/broker-1.jsonl: 2 of 2 lines unreadable"]
