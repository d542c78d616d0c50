"""Percentiles from buckets are exact for few values, close for many, and independent of splits."""

import math

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from insync.analysis.tables.gold.quantiles import COARSE, FINE, histogram, merged, percentiles

SHARES = {"p50_ms": 500, "p99_ms": 990}


def nearest_rank(values: list[float], permille: int) -> float:
    return sorted(values)[max(0, math.ceil(len(values) * permille / 1000) - 1)]


@given(st.lists(st.integers(0, 10**10), min_size=1, max_size=60), st.sampled_from([FINE, COARSE]))
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_percentile_is_at_most_one_unit_of_the_last_digit_too_large(
    spark: SparkSession, micros: list[int], digits: int
) -> None:
    values = [number / 1000 for number in micros]
    rows = spark.createDataFrame(
        [("k", i % 3, v) for i, v in enumerate(values)], "k string, part int, ms double"
    )
    counted = merged(histogram(rows, "ms", ["k", "part"], digits), ["k"])
    (found,) = percentiles(counted, ["k"], SHARES).collect()
    for name, share in SHARES.items():
        exact = nearest_rank(values, share)
        assert exact <= found[name] <= max(exact * (1 + 10 ** (1 - digits)), exact + 0.001)
    assert found["max_ms"] == max(values)
    assert math.isclose(found["mean_ms"], sum(values) / len(values), abs_tol=0.001)


def test_values_far_apart_are_exact(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("k", float(2**n)) for n in range(20)], "k string, ms double")
    (found,) = percentiles(histogram(rows, "ms", ["k"]), ["k"], SHARES).collect()
    assert (found["p50_ms"], found["p99_ms"]) == (512.0, 524_288.0)


def test_rows_without_a_value_are_counted_and_in_no_percentile(spark: SparkSession) -> None:
    rows = spark.createDataFrame([("k", 5.0), ("k", None)], "k string, ms double")
    counted = histogram(rows, "ms", ["k"])
    assert sum(row["records"] for row in counted.collect()) == 2
    assert [row["p50_ms"] for row in percentiles(counted, ["k"], SHARES).collect()] == [5.0]
