"""The benchmark of the pipeline: every engine computes the same rows, and the planted anomalies."""

import json
from functools import partial
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from commands import run_python
from insync.analysis.engine.session import Session
from insync.analysis.tables import measure, synthetic
from insync.bench.engines import ENGINES
from insync.bench.pipeline import (
    Measured,
    Run,
    _commands,
    _measure_one,
    _measure_one_size,
    _run,
    counted,
    ratio,
    same,
    slope,
)
from insync.bench.processes import Cost
from insync.errors import InsyncError

RECORDED = Path(__file__).parents[2] / "data" / "recorded"
COST = Cost(code=0, wall_s=9.0, cpu_s=2.0, peak_bytes=3)
HISTORY = synthetic.History(50_000, seed=3)


@pytest.fixture(scope="module")
def data(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a small history."""
    folder = tmp_path_factory.mktemp("history")
    measure.generate(spark, HISTORY, str(folder))
    return folder


@pytest.fixture(scope="module")
def by_spark(session: Session, data: Path) -> dict[str, list[dict[str, object]]]:
    """Compute its tables by the pipeline's own functions."""
    tables: dict[str, list[dict[str, object]]] = measure.compute(session, str(data))["tables"]
    return tables


def test_only_planted_anomalies_are_found(
    by_spark: dict[str, list[dict[str, object]]],
) -> None:
    assert same(measure.truth(HISTORY)["planted"], counted(by_spark["anomalies"]))
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


def test_an_anomaly_shows_its_operations(by_spark: dict[str, list[dict[str, object]]]) -> None:
    assert all(row["operations"] for row in by_spark["anomalies"])


def test_an_engine_that_fails_is_named_with_its_own_error(tmp_path: Path) -> None:
    """The last line of its output may only be a link to more information."""
    commands = _commands(tmp_path, 1000, duckdb_gb=1)
    with pytest.raises(InsyncError, match=r"^bench: duckdb ended with 1: \S+Exception: .*No files"):
        _run(commands, "duckdb", 60.0)


def test_an_engine_that_hangs_is_ended(tmp_path: Path) -> None:
    commands = _commands(tmp_path, 1000, duckdb_gb=1)
    with pytest.raises(InsyncError, match=r"^bench: polars: took more than 0 s$"):
        _run(commands, "polars", 0.01)


def output(anomalies: list[dict[str, object]]) -> str:
    return json.dumps({"aggregates_s": 1.0, "checks_s": 2.0, "tables": {"anomalies": anomalies}})


def test_an_engine_that_misses_planted_anomalies_differs(
    by_spark: dict[str, list[dict[str, object]]],
) -> None:
    """Also the first one, and also where all others fail."""
    truth = measure.truth(HISTORY)
    every = by_spark["anomalies"]
    for found, differs in ((every, ()), (every[1:], ("planted",))):
        one = Measured("spark", 50_000)
        _measure_one(one, truth, partial(lambda found: (COST, output(found)), found))
        assert one.differs == differs
        assert one.runs == [Run(1.0, 2.0, cpu_s=2.0, peak_bytes=3)]


def test_an_engine_that_shows_other_operations_differs(
    by_spark: dict[str, list[dict[str, object]]],
) -> None:
    every = by_spark["anomalies"]
    other = [{**every[0], "operations": []}, *every[1:]]

    def run(engine: str, _: float) -> tuple[Cost, str]:
        return COST, output(other if engine == "duckdb" else every)

    found = _measure_one_size(
        50_000, ["spark", "duckdb"], 2, measure.truth(HISTORY), run, lambda _: None
    )
    assert [(one.engine, len(one.runs), one.differs) for one in found] == [
        ("spark", 2, ()),
        ("duckdb", 2, ("anomalies",)),
    ]


def test_an_engine_that_failed_is_not_run_again() -> None:
    calls: list[str] = []

    def run(engine: str, _: float) -> tuple[Cost, str]:
        calls.append(engine)
        if engine == "duckdb":
            raise InsyncError("bench: out of memory")
        return COST, output([])

    found = _measure_one_size(1000, ["spark", "duckdb"], 3, {"planted": []}, run, lambda _: None)
    assert calls == ["spark", "duckdb", "spark", "spark"]
    assert [one.problem for one in found] == [None, "bench: out of memory"]


def test_rows_are_compared_in_any_order_and_up_to_the_last_digits() -> None:
    one = [{"k": 1, "v": 0.1 + 0.2}, {"k": None, "v": None}]
    assert same(one, [{"v": None, "k": None}, {"v": 0.3, "k": 1}])
    assert not same(one, one[:1])
    assert not same(one, [{"k": 1, "v": 0.301}, {"k": None, "v": None}])


def test_slope_and_ratio_use_the_sizes_with_a_result() -> None:
    def took(engine: str, rows: int, *seconds: float, problem: str | None = None) -> Measured:
        runs = [Run(each, 0.0, cpu_s=0.0, peak_bytes=0) for each in seconds]
        return Measured(engine, rows, runs, problem=problem)

    found = [took("spark", 10**n, 0.0, 3.0 * 10**n, 9.0 * 10**n) for n in (3, 4, 5)]
    found += [took("duckdb", 1_000, 1_000.0), took("duckdb", 10_000, 1.0, problem="killed")]
    assert slope(found, "spark") == pytest.approx(1.0)
    assert slope(found, "duckdb") is None
    assert ratio(found, found[0]) == pytest.approx(3.0)
    assert ratio(found, found[1]) is None
