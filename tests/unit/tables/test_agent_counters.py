"""Agents' counters per repeat: those of a broker that was started again count from 0."""

from pyspark.sql import SparkSession

from insync.analysis.tables.silver.evidence import agent_counters
from unit.tables.inline import inline_table

COUNTERS = (
    "run string, arm string, repeat int, broker int, t_ms double, enabled boolean, errors bigint,"
    " events_dropped bigint, holds_granted bigint, marks_total bigint, released_total bigint,"
    " pending_now bigint, held_now bigint, longest_hold_ms bigint, lag_policy string"
)
FAULTS = "run string, arm string, repeat int, broker int, fault string"


def line(repeat: int, broker: int, errors: int, marks: int) -> tuple[object, ...]:
    """Return one reading with `errors` errors; holds are as many, no event was dropped."""
    counted = (errors, 0, errors, marks, marks)
    return ("r", "a", repeat, broker, 1_000.0 * repeat, True, *counted, 0, 0, 0, None)


def test_a_broker_that_was_started_again_counts_from_zero(spark: SparkSession) -> None:
    readings = [
        # broker 1 goes on; 2 is killed in repeat 1 and 2; 3 restarts after repeat 0, without a
        # fault: its marks fell, its errors did not.
        *(line(-1, 1, 1, 5), line(0, 1, 3, 9), line(1, 1, 3, 9), line(2, 1, 4, 9)),
        *(line(-1, 2, 0, 5), line(0, 2, 2, 9), line(1, 2, 5, 99), line(2, 2, 5, 99)),
        *(line(-1, 3, 0, 5), line(0, 3, 1, 9), line(1, 3, 2, 4), line(2, 3, 3, 5)),
    ]
    faults = [
        ("r", "a", 1, 2, "kill"), ("r", "a", 2, 2, "kill"), ("r", "a", 2, 2, "kill"),
        ("r", "a", 1, 1, "freeze"), ("r", "other", 1, 1, "kill"),
    ]  # fmt: skip
    found = agent_counters(
        inline_table(spark, readings, COUNTERS), inline_table(spark, faults, FAULTS)
    )
    rows = found.orderBy("broker", "repeat").collect()
    assert [(row["broker"], row["repeat"], row["new_errors"]) for row in rows] == [
        (1, 0, 2), (1, 1, 0), (1, 2, 1),
        (2, 0, 2), (2, 1, 5), (2, 2, 5),
        (3, 0, 1), (3, 1, 2), (3, 2, 1),
    ]  # fmt: skip
    assert [row["new_holds_granted"] for row in rows] == [row["new_errors"] for row in rows]
    assert {row["new_events_dropped"] for row in rows} == {0}
