"""Ack latency, its percentiles, the gaps between acks, and latency over time."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from insync.analysis.tables.bronze.lines import PRODUCE
from insync.analysis.tables.gold import acks
from insync.analysis.tables.gold.acks import COARSE, FINE, histogram, merged, percentiles
from insync.analysis.tables.silver.repeats import partitions
from properties import slow_property
from unit.tables.inline import inline_table, table


def sent(*records: tuple[int, float, float | None, str | None]) -> DataFrame:
    """Return produce lines of (partition, sent, done, error)."""
    lines = [
        (partition, seq, at, done, done and done - at, error)
        for seq, (partition, at, done, error) in enumerate(records)
    ]
    return table(PRODUCE, "partition seq sent_ms done_ms latency_ms error", lines)


def latency(produce: DataFrame) -> DataFrame:
    """Compute the table of records without a known leader."""
    counted = acks.latency_histogram(produce.withColumn("leader", fn.lit(None).cast("int")))
    return acks.ack_latency(counted)


def window(end: float = 1_000.0, count: int = 1) -> DataFrame:
    repeats = table("repeats", rows=[()], start_ms=0.0, end_ms=end, complete=True)
    return repeats.withColumn("partitions", fn.lit(count))


def by_partition(found: DataFrame) -> dict[int | None, dict[str, Any]]:
    return {row["partition"]: row.asDict() for row in found.collect()}


def test_failed_and_unanswered_records_are_counted_with_percentiles() -> None:
    records = sent(
        (0, 0.0, 10.0, None), (0, 0.0, 20.0, None), (0, 0.0, 900.0, "timed out"),
        (1, 0.0, 40.0, None), (1, 0.0, None, None),
    )  # fmt: skip
    found = by_partition(latency(records))
    names = ("sent", "acked", "failed", "unanswered", "p50_ms", "max_ms")
    assert [found[0][name] for name in names] == [3, 2, 1, 0, 10.0, 20.0]
    assert [found[None][name] for name in names] == [5, 3, 1, 1, 20.0, 40.0]


def test_gaps_count_from_the_edges_of_the_repeat() -> None:
    records = sent(
        (0, 0.0, 100.0, None), (0, 0.0, 700.0, None),
        (1, 0.0, 400.0, None), (1, 0.0, 450.0, "failed"), (1, 0.0, 5_000.0, None),
    )  # fmt: skip
    found = by_partition(acks.ack_gaps(records, partitions(window(count=3))))
    assert [found[p]["gap_ms"] for p in range(3)] == [600.0, 600.0, 1_000.0]
    assert [found[p]["long_gaps"] for p in range(3)] == [1, 1, 1]


def test_every_gap_of_more_than_half_a_second_counts_within_bins_and_between_them() -> None:
    at_ms = [600.0, 1_100.0, 1_601.0, 9_900.0, 10_401.0, 10_500.0, 30_000.0]
    records = sent(*((0, 0.0, each, None) for each in at_ms))
    (row,) = acks.ack_gaps(records, partitions(window(30_000.0))).collect()
    assert (row["gap_ms"], row["long_gaps"]) == (19_500.0, 5)


def test_bins_lie_where_records_were_due() -> None:
    end = 10.0 * acks.BINS
    records = sent(
        (0, 1.0, 4.0, None), (0, 9.0, 10.0, None), (1, 25.0, 30.0, None), (1, 26.0, None, "")
    )
    bins = acks.latency_over_time(records, window(end)).orderBy("partition", "since_ms")
    first, second = (0.0, 10.0, 2, 1.0, 3.0), (20.0, 10.0, 1, 5.0, 5.0)
    assert [tuple(row)[4:] for row in bins.collect()] == [
        (None, *first), (None, *second), (0, *first), (1, *second),
    ]  # fmt: skip


def test_no_record_is_no_row_but_still_a_gap() -> None:
    none = sent()
    assert latency(none).collect() == []
    assert acks.latency_over_time(none, window()).collect() == []
    gaps = acks.ack_gaps(none, partitions(window())).collect()
    assert [row["gap_ms"] for row in gaps] == [1_000.0]


MICROS = st.lists(st.integers(0, 10**10), min_size=1, max_size=60)
SHARES = {"p50_ms": 500, "p99_ms": 990}


def nearest_rank(values: list[float], permille: int) -> float:
    return sorted(values)[max(0, math.ceil(len(values) * permille / 1000) - 1)]


@pytest.mark.parametrize("digits", [FINE, COARSE])
@slow_property(2)
@given(st.lists(MICROS, min_size=10, max_size=10))
def test_a_percentile_is_at_most_one_unit_of_the_last_digit_too_large(
    digits: int, micros: list[list[int]]
) -> None:
    """The values of each list have a key of their own, so that one pass checks ten."""
    values = [[number / 1000 for number in numbers] for numbers in micros]
    lines = [(key, i % 3, ms) for key, each in enumerate(values) for i, ms in enumerate(each)]
    rows = inline_table(lines, "k int, part int, ms double")
    counted = merged(histogram(rows, "ms", ["k", "part"], digits), ["k"])
    found = percentiles(counted, ["k"], SHARES).orderBy("k").collect()
    for row, each in zip(found, values, strict=True):
        for name, share in SHARES.items():
            exact = nearest_rank(each, share)
            assert exact <= row[name] <= max(exact * (1 + 10 ** (1 - digits)), exact + 0.001)
        assert row["max_ms"] == max(each)
        assert math.isclose(row["mean_ms"], sum(each) / len(each), abs_tol=0.001)


def test_values_far_apart_are_exact() -> None:
    rows = inline_table([("k", float(2**n)) for n in range(20)], "k string, ms double")
    (found,) = percentiles(histogram(rows, "ms", ["k"]), ["k"], SHARES).collect()
    assert (found["p50_ms"], found["p99_ms"]) == (512.0, 524_288.0)


def test_rows_without_a_value_are_counted_and_in_no_percentile() -> None:
    rows = inline_table([("k", 5.0), ("k", None)], "k string, ms double")
    counted = histogram(rows, "ms", ["k"])
    assert sum(row["records"] for row in counted.collect()) == 2
    assert [row["p50_ms"] for row in percentiles(counted, ["k"], SHARES).collect()] == [5.0]
