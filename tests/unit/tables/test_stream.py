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
from insync.analysis.tables.streaming.watch import Picture, picture, tables
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


@pytest.mark.long
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


LATER = 4_000_000_000_000
"""After the made-up run, in ms since 1970."""


def published_by_agents(*events: dict[str, Any]) -> list[Record]:
    """Return what agents of an unmanaged cluster send, with or without their cluster's name."""
    lines = [json.dumps({"v": 1, **event, "t_ms": LATER + event["t_ms"]}) for event in events]
    keys = ("broker-1.jsonl", "rack-b/broker-2.jsonl")
    return [(key, at, line) for key in keys for at, line in enumerate(lines)]


CHANGE = {"topic": "orders", "partition": 3, "leader_epoch": 1}
OF_AGENTS = published_by_agents(
    {"t_ms": 1_000, "type": "settings", "broker": 1, "replica.lag.time.max.ms": 10_000},
    {"t_ms": 1_500, "type": "leader_change", "topic": "quiet", "partition": 0},
    {"t_ms": 2_000, "type": "isr_shrink", "isr": [1, 2, 3], "proposed": [1], **CHANGE},
    {"t_ms": 5_000, "type": "isr_expand", "isr": [1], "proposed": [1, 2], **CHANGE},
    {"t_ms": 6_000, "type": "pending_long", "replica": 2, "held_ms": 900, "partition": -1},
    {"t_ms": 9_000, "type": "pending"},
)
"""They begin after `settings`, and each agent sends all of them."""
OF_NO_AGENT: list[Record] = [
    (
        "odd/broker-1.jsonl",
        0,
        json.dumps({"v": 1, "t_ms": "soon", "type": "settings", "replica.lag.time.max.ms": "long"}),
    ),
    ("odd/broker-1.jsonl", 1, "\x00 no JSON"),
]
"""Anyone may write to the topic, under the key of an agent, too."""
UNKNOWN: list[Record] = [
    ("hello", 7, "{}"),
    ("other/stock/isr.jsonl", 7, "{}"),
    ("odd/broker-1.jsonl", 2, None),
    (None, 4, "{}"),
]
"""They belong to no run, or have no text."""
NO_RUN: list[Record] = [(run_key("r"), 0, "{}"), (run_key("silent"), 3, None)]


@pytest.fixture(scope="module")
def seen(
    spark: SparkSession,
    made_up_folder: Path,
    made_up_run: RunInfo,
    tmp_path_factory: pytest.TempPathFactory,
) -> Picture:
    """Show a topic with a run in an old batch, and in a new one agents and strangers."""
    folder = tmp_path_factory.mktemp("topic")
    torn = (line_key(run_name(made_up_run), "stock", "isr.jsonl"), 10**6, '{"v":1')
    news = [torn, *OF_AGENTS, *OF_NO_AGENT, *UNKNOWN, *NO_RUN]
    old = batch(spark, folder / "0", records_of(made_up_folder, made_up_run))
    return picture(spark, TOPIC, [old, batch(spark, folder / "1", news)], [old], 2)


def test_the_picture_counts_new_records_and_those_of_no_run(
    seen: Picture, made_up_folder: Path, made_up_run: RunInfo
) -> None:
    """The description of a run is no line."""
    torn = 1
    of_run = len(records_of(made_up_folder, made_up_run)) - 1
    of_agents = len(OF_AGENTS) + len(OF_NO_AGENT)
    assert seen.lines == of_run + torn + of_agents
    assert seen.unknown == len(UNKNOWN)
    assert seen.new_records == torn + of_agents + len(UNKNOWN) + len(NO_RUN)
    name = run_name(made_up_run)
    of_stock = [row for row in seen.repeats if (row["run"], row["arm"]) == (name, "stock")]
    assert [row["repeat"] for row in of_stock] == [0, 1, 2]


def test_the_picture_names_what_cannot_be_read(seen: Picture, made_up_run: RunInfo) -> None:
    torn = f"{run_name(made_up_run)}/stock/isr.jsonl: 1 of"
    assert len(seen.problems) == 3
    assert seen.problems[0].startswith("r/run.json: ")
    assert "odd/brokers/broker-1.jsonl: 2 of 2 lines unreadable" in seen.problems
    assert any(each.startswith(torn) for each in seen.problems)


def test_unmanaged_brokers_are_shown_by_topic(seen: Picture) -> None:
    """ISR changes that leaders proposed replace the controller's log, from the first one on."""
    of_brokers = [row for row in seen.repeats if row["run"] in ("brokers", "rack-b")]
    found = {(row["run"], row["topic"]): row for row in of_brokers}
    assert set(found) == {
        (run, topic) for run in ("brokers", "rack-b") for topic in ("orders", "(all topics)")
    }
    orders = found["brokers", "orders"]
    assert (orders["shrinks"], orders["seen_ms"]) == (1, 8_000.0)
    assert (orders["under_min_isr_ms"], orders["at_min_isr_ms"]) == (3_000.0, 4_000.0)
    held = found["rack-b", "(all topics)"]
    assert (held["holds"], held["longest_hold_ms"]) == (1, 900.0)
    shrinks = [row for row in seen.last_shrinks if row["run"] in ("brokers", "rack-b")]
    assert [row["removed"] for row in shrinks] == [[2, 3], [2, 3]]


def test_a_broker_without_a_readable_line_is_not_shown(seen: Picture) -> None:
    assert {row["run"] for row in seen.repeats}.isdisjoint({"odd", "r", "hello", "other"})


@pytest.mark.long
def test_without_records_the_picture_is_empty(spark: SparkSession) -> None:
    seen = picture(spark, TOPIC, [], [], 2)
    assert (seen.lines, seen.unknown, seen.repeats, seen.last_shrinks) == (0, 0, [], [])


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
