"""Percentiles from buckets are exact for few values, close for many, and independent of splits."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from insync.analysis.tables.gold.acks import COARSE, FINE, histogram, merged, percentiles
from properties import slow_property
from unit.tables.inline import inline_table

MICROS = st.lists(st.integers(0, 10**10), min_size=1, max_size=60)
SHARES = {"p50_ms": 500, "p99_ms": 990}


def nearest_rank(values: list[float], permille: int) -> float:
    return sorted(values)[max(0, math.ceil(len(values) * permille / 1000) - 1)]


@pytest.mark.parametrize("digits", [FINE, COARSE])
@slow_property(2)
@given(st.lists(MICROS, min_size=10, max_size=10))
def test_a_percentile_is_at_most_one_unit_of_the_last_digit_too_large(
    spark: SparkSession, digits: int, micros: list[list[int]]
) -> None:
    """The values of each list have a key of their own, so that one pass checks ten."""
    values = [[number / 1000 for number in numbers] for numbers in micros]
    lines = [(key, i % 3, ms) for key, each in enumerate(values) for i, ms in enumerate(each)]
    rows = inline_table(spark, lines, "k int, part int, ms double")
    counted = merged(histogram(rows, "ms", ["k", "part"], digits), ["k"])
    found = percentiles(counted, ["k"], SHARES).orderBy("k").collect()
    for row, each in zip(found, values, strict=True):
        for name, share in SHARES.items():
            exact = nearest_rank(each, share)
            assert exact <= row[name] <= max(exact * (1 + 10 ** (1 - digits)), exact + 0.001)
        assert row["max_ms"] == max(each)
        assert math.isclose(row["mean_ms"], sum(each) / len(each), abs_tol=0.001)


def test_values_far_apart_are_exact(spark: SparkSession) -> None:
    rows = inline_table(spark, [("k", float(2**n)) for n in range(20)], "k string, ms double")
    (found,) = percentiles(histogram(rows, "ms", ["k"]), ["k"], SHARES).collect()
    assert (found["p50_ms"], found["p99_ms"]) == (512.0, 524_288.0)


def test_rows_without_a_value_are_counted_and_in_no_percentile(spark: SparkSession) -> None:
    rows = inline_table(spark, [("k", 5.0), ("k", None)], "k string, ms double")
    counted = histogram(rows, "ms", ["k"])
    assert sum(row["records"] for row in counted.collect()) == 2
    assert [row["p50_ms"] for row in percentiles(counted, ["k"], SHARES).collect()] == [5.0]
