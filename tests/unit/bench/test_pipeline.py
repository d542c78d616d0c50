"""The benchmark of the pipeline: every engine computes the same rows, and the planted anomalies."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from commands import run_python
from insync.analysis.tables import measure, synthetic
from insync.bench.engines import ENGINES
from insync.bench.pipeline import Measured, _measure_one, _run, ratio, same, slope
from insync.errors import InsyncError

HISTORY = synthetic.History(50_000, seed=3)


@pytest.fixture(scope="module")
def data(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a small history."""
    folder = tmp_path_factory.mktemp("history")
    measure.generate(spark, HISTORY, str(folder))
    return folder


@pytest.fixture(scope="module")
def by_spark(spark: SparkSession, data: Path) -> dict[str, list[dict[str, object]]]:
    """Compute its tables by the pipeline's own functions."""
    tables: dict[str, list[dict[str, object]]] = measure.compute(spark, str(data))["tables"]
    return tables


def test_only_planted_anomalies_are_found(
    by_spark: dict[str, list[dict[str, object]]],
) -> None:
    assert same(measure.truth(HISTORY)["anomalies"], by_spark["anomalies"])
    assert {row["kind"] for row in by_spark["anomalies"]} == set(synthetic.PLANTED)
    sent = {(r["arm"], r["partition"]): r["sent"] for r in by_spark["ack_latency"]}
    assert sent["stock", 0] == HISTORY.size(0)
    assert sent["request", 5] == HISTORY.size(5)


@pytest.mark.parametrize("engine", sorted(ENGINES))
def test_other_engines_compute_the_same_rows(
    data: Path, by_spark: dict[str, list[dict[str, object]]], engine: str
) -> None:
    done = run_python("-m", "insync.bench.engines", engine, data)
    assert done.returncode == 0, done.stderr
    tables = json.loads(done.stdout)["tables"]
    assert {name: same(rows, by_spark[name]) for name, rows in tables.items()} == dict.fromkeys(
        by_spark, True
    )


def test_an_engine_that_fails_is_named_with_its_own_error(tmp_path: Path) -> None:
    """The last line of its output may only be a link to more information."""
    with pytest.raises(InsyncError, match=r"^bench: duckdb ended with 1: \S+Exception: .*No files"):
        _run("duckdb", tmp_path, tmp_path, "--memory-gb", "1")


def test_an_engine_that_hangs_is_killed(tmp_path: Path) -> None:
    with pytest.raises(InsyncError, match=r"^bench: polars took more than 0 s$"):
        _run("polars", tmp_path, tmp_path, within_s=0.01)


def test_an_engine_that_misses_planted_anomalies_differs() -> None:
    """Also the first one, and also where all others fail."""
    planted = measure.truth(HISTORY)["anomalies"]
    for found, differs in ((planted, ()), (planted[1:], ("anomalies",))):
        output = {
            "aggregates_s": 1.0,
            "checks_s": 1.0,
            "peak_bytes": 1,
            "tables": {"anomalies": found},
        }
        one, _ = _measure_one("spark", 50_000, {"anomalies": planted}, partial(json.dumps, output))
        assert one.differs == differs


def test_rows_are_compared_in_any_order_and_up_to_the_last_digits() -> None:
    one = [{"k": 1, "v": 0.1 + 0.2}, {"k": None, "v": None}]
    assert same(one, [{"v": None, "k": None}, {"v": 0.3, "k": 1}])
    assert not same(one, one[:1])
    assert not same(one, [{"k": 1, "v": 0.301}, {"k": None, "v": None}])


def test_slope_and_ratio_use_the_sizes_with_a_result() -> None:
    def took(engine: str, rows: int, seconds: float) -> Measured:
        return Measured(engine, rows, aggregates_s=seconds)

    found = [took("spark", 10**n, 3.0 * 10**n) for n in (3, 4, 5)]
    found += [
        took("duckdb", 1_000, 1_000.0),
        replace(took("duckdb", 10_000, 1.0), problem="killed"),
    ]
    assert slope(found, "spark") == pytest.approx(1.0)
    assert slope(found, "duckdb") is None
    assert ratio(found, found[0]) == pytest.approx(3.0)
    assert ratio(found, found[1]) is None
