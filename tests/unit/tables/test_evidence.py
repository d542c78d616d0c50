"""Agents' counters per repeat, and the samples of races."""

from typing import Any

from pyspark.sql import DataFrame

from insync.analysis.tables.bronze.lines import COUNTERS, SAMPLES
from insync.analysis.tables.silver.evidence import agent_counters, raced_replicas
from unit.tables.inline import table, values


def line(repeat: int, broker: int, errors: int, marks: int) -> tuple[object, ...]:
    """Return one reading with `errors` errors; holds are as many, no event was dropped."""
    return (repeat, broker, 1_000.0 * repeat, errors, errors, marks, marks)


def test_a_broker_that_was_started_again_counts_from_zero() -> None:
    readings = [
        # broker 1 goes on; 2 is killed in repeat 1 and 2; 3 restarts after repeat 0, without a
        # fault: its marks fell, its errors did not.
        *(line(-1, 1, 1, 5), line(0, 1, 3, 9), line(1, 1, 3, 9), line(2, 1, 4, 9)),
        *(line(-1, 2, 0, 5), line(0, 2, 2, 9), line(1, 2, 5, 99), line(2, 2, 5, 99)),
        *(line(-1, 3, 0, 5), line(0, 3, 1, 9), line(1, 3, 2, 4), line(2, 3, 3, 5)),
    ]
    faults = [
        ("a", 1, 2, "kill"), ("a", 2, 2, "kill"), ("a", 2, 2, "kill"), ("a", 1, 1, "freeze"),
        ("other", 1, 1, "kill"),
    ]  # fmt: skip
    read = "repeat broker t_ms errors holds_granted marks_total released_total"
    found = agent_counters(
        table(COUNTERS, read, readings, enabled=True, events_dropped=0),
        table("faults", "arm repeat broker fault", faults),
    )
    new = [2, 0, 1, 2, 5, 5, 1, 2, 1]
    counts = "new_errors new_holds_granted new_events_dropped"
    assert values(found, counts, "broker repeat") == [(each, each, 0) for each in new]


def lines(*taken: dict[str, Any]) -> DataFrame:
    base = {
        "moment": "during", "log_start_offset": 0, "high_watermark": 10, "leo": 20,
        "fetchers": 1, "failed_partitions": 0, "put_right": 0,
    }  # fmt: skip
    samples = [{**base, "t_ms": float(at), **each} for at, each in enumerate(taken)]
    rows = [each.values() for each in samples]
    return table(SAMPLES, " ".join(samples[0]), map(tuple, rows), broker=2)


def test_a_replica_has_its_last_state_and_counts_of_all_samples() -> None:
    after = {"log_start_offset": 7, "fetchers": 0, "failed_partitions": 1, "put_right": 5}
    taken = lines(
        {"moment": "before", "put_right": 3}, {"log_start_offset": 11}, {"log_start_offset": 21},
        {"log_start_offset": 20}, {"moment": "after", **after},
    )  # fmt: skip
    [row] = raced_replicas(taken).collect()
    assert (row.samples, row.start_above_end, row.start_above_watermark) == (5, 1, 1)
    assert (row.log_start_offset, row.leo) == (7, 20)
    assert (row.fetchers_before, row.fetchers_after, row.failed, row.put_right) == (1, 0, 1, 2)


def test_an_emptied_log_waits_for_the_watermark_of_its_first_records() -> None:
    taken = lines(
        {"leo": 10},
        {"log_start_offset": 44, "leo": 44},  # emptied, at the leader's log start
        {"log_start_offset": 44, "leo": 50},  # records are in, the watermark is not
        {"log_start_offset": 44, "leo": 50, "high_watermark": 43},  # it has moved
        {"log_start_offset": 44, "leo": 50, "high_watermark": 50},
    )
    assert raced_replicas(taken).collect()[0].start_above_watermark == 1


def test_counts_that_kafka_does_not_have_stay_unknown() -> None:
    none = {"failed_partitions": None}
    taken = lines({"moment": "before", **none}, {"moment": "after", **none})
    assert raced_replicas(taken).collect()[0].failed is None


def test_an_interrupted_race_has_no_end() -> None:
    [row] = raced_replicas(lines({"moment": "before"}, {})).collect()
    assert (row.fetchers_before, row.fetchers_after, row.leo) == (1, None, None)
