from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.tables.bronze.lines import STEP_DOWNS
from insync.analysis.tables.silver.leaders import step_down_sources, step_downs
from unit.isr_log import repeats
from unit.tables.inline import inline_table

COOL_MS = 2_000.0


def lines(spark: SparkSession, *events: dict[str, Any]) -> DataFrame:
    types = STEP_DOWNS.columns
    base = {"arm": "a", "broker": 1, "topic": "t", "partition": 0}
    rows = [[{**base, **each}.get(name) for name in types] for each in events]
    table = inline_table(spark, rows, ", ".join(f"{name} {of}" for name, of in types.items()))
    return table.withColumn("run", fn.lit("r"))


def done(at: float, **more: Any) -> dict[str, Any]:
    return {"type": "answered", "t_ms": at, "outcome": "done", "way": "alter-partition", **more}


def test_an_answer_is_a_row_and_so_is_a_decision_not_to_ask(spark: SparkSession) -> None:
    events = lines(
        spark,
        {"type": "asked", "t_ms": 2_000.0, "reason": "slow_fetch"},
        done(2_050.0, asked_ms=50.0, successor=2),
        {"type": "withheld", "t_ms": 3_000.0, "reason": "cooling_down", "partition": 1},
        {"type": "withheld", "t_ms": 12_000.0, "reason": "cooling_down"},  # after the repeat
        {"type": "withheld", "t_ms": 3_000.0, "reason": "cooling_down", "topic": "another"},
    )
    rows = step_downs(events, repeats(spark), fn.lit(COOL_MS)).orderBy("t_ms").collect()
    assert [(row.t_ms, row.partition, row.outcome, row.successor) for row in rows] == [
        (2_050.0, 0, "done", 2),
        (3_000.0, 1, "withheld", None),
    ]
    assert [row.in_cooldown for row in rows] == [1, None]


def test_those_done_within_a_cool_down_are_counted_per_partition(spark: SparkSession) -> None:
    events = lines(
        spark, done(2_000.0), done(3_000.0, broker=2), done(4_000.0, broker=3), done(6_500.0),
        done(3_500.0, partition=1), {**done(3_200.0), "outcome": "refused"},
    )  # fmt: skip
    rows = step_downs(events, repeats(spark), fn.lit(COOL_MS)).orderBy("t_ms").collect()
    assert [(row.t_ms, row.in_cooldown) for row in rows] == [
        (2_000.0, 3), (3_000.0, 2), (3_200.0, None), (3_500.0, 1), (4_000.0, 1), (6_500.0, 1),
    ]  # fmt: skip


def test_a_broker_whose_events_were_read_is_a_source(spark: SparkSession) -> None:
    events = lines(spark, {"type": "read", "t_ms": 99_000.0, "topic": None, "broker": 2})
    found = step_down_sources(events, repeats(spark)).collect()
    assert [(row.arm, row.repeat, row.broker) for row in found] == [("a", 0, 2)]
