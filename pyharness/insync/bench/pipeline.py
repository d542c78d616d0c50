"""Measures the pipeline on synthetic histories, and DuckDB and Polars on the same files.

Every measurement is a separate process, so that memory can be measured by engine and size. It ends
with this process. The files of a history are removed before the next one is generated.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from insync.brokers.kafka.process import tied
from insync.errors import InsyncError
from insync.scratch import spark_environment

ENGINES: Final = ("spark", "duckdb", "polars")
BASELINE: Final = "duckdb"
WITHIN_S: Final = 3600.0
LEAST_WITHIN_S: Final = 600.0
"""The other engines may take as long as the first engine, and at least this long."""
_ERROR: Final = re.compile(r"[\w.]+(Error|Exception): ")
_CLOSE: Final = 1e-9
"""Sums of doubles may differ in their last digits; nothing else may."""

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Measured:
    """The result of one engine on one history: seconds by part, and the peak memory of its process.

    `start_s` is the time until it was ready (Spark's session). `problem` is why there is no result.
    `differs` names the tables that differ from the first engine's, or, for anomalies, from those
    that were planted.
    """

    engine: str
    rows: int
    start_s: float = 0.0
    aggregates_s: float = 0.0
    checks_s: float = 0.0
    peak_bytes: int = 0
    differs: tuple[str, ...] = ()
    problem: str | None = None

    @property
    def seconds(self) -> float:
        """Return how long the tables took, without the start."""
        return self.aggregates_s + self.checks_s


def measure(
    sizes: Sequence[int],
    engines: Sequence[str],
    folder: Path,
    java_home: Path,
    tell: Callable[[str], None],
    duckdb_gb: int,
) -> list[Measured]:
    """Measure every engine on every size, in `folder`; raises InsyncError if Spark fails.

    `duckdb_gb` is the memory that DuckDB may have.
    """
    options = {"duckdb": ("--memory-gb", str(duckdb_gb))}
    found: list[Measured] = []
    for rows in sizes:
        data = folder / f"rows-{rows}"
        try:
            tell(f"generating a history of {rows:,} operations")
            truth = _run("spark", data, java_home, "--rows", str(rows), what="generate")
            expected: Mapping[str, Rows] = json.loads(truth)
            within_s = WITHIN_S
            for engine in engines:
                tell(f"{engine}: {rows:,} operations")
                more = options.get(engine, ())
                run = partial(_run, engine, data, java_home, *more, within_s=within_s)
                one, tables = _measure_one(engine, rows, expected, run)
                found.append(one)
                if (
                    not tables.keys() <= expected.keys()
                ):  # the first engine defines the expected tables
                    expected, within_s = {**tables, **expected}, max(LEAST_WITHIN_S, one.seconds)
        finally:
            shutil.rmtree(data, ignore_errors=True)
    return found


def _measure_one(
    engine: str, rows: int, expected: Mapping[str, Rows], run: Callable[[], str]
) -> tuple[Measured, Mapping[str, Rows]]:
    """Return the measurement and the tables; no tables if the engine failed."""
    try:
        result = json.loads(run())
    except InsyncError as error:
        if engine == "spark":
            raise
        return Measured(engine, rows, problem=str(error)), {}
    tables: dict[str, Rows] = result.pop("tables")
    differs = tuple(n for n in tables if n in expected and not same(expected[n], tables[n]))
    return Measured(engine, rows, differs=differs, **result), tables


def _run(
    engine: str,
    data: Path,
    java_home: Path,
    *options: str,
    what: str = "compute",
    within_s: float = WITHIN_S,
) -> str:
    own = ["insync.analysis.tables.measure", what]
    module = own if engine == "spark" else ["insync.bench.engines", engine]
    command = [sys.executable, "-m", *module, str(data), *options]
    try:
        with spark_environment(java_home) as environment:
            done = subprocess.run(
                tied(command),
                env=environment,
                capture_output=True,
                text=True,
                timeout=within_s,
                check=False,
            )
    except subprocess.TimeoutExpired:
        raise InsyncError(f"bench: {engine} took more than {within_s:.0f} s") from None
    if done.returncode:
        message = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in message if _ERROR.match(line)]
        why = (errors or message or ["no output; possibly out of memory"])[-1]
        raise InsyncError(f"bench: {engine} ended with {done.returncode}: {why}")
    return done.stdout


def same(one: Rows, other: Rows) -> bool:
    """Return whether two tables have the same rows, in any order."""
    left, right = (sorted(map(_comparable, rows), key=repr) for rows in (one, other))
    return len(left) == len(right) and all(map(_alike, left, right))


def _comparable(row: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return sorted(row.items())


def _alike(one: list[tuple[str, Any]], other: list[tuple[str, Any]]) -> bool:
    def close(left: Any, right: Any) -> bool:
        if isinstance(left, float) and isinstance(right, int | float):
            return math.isclose(left, right, rel_tol=_CLOSE)
        return bool(left == right)

    pairs = zip(one, other, strict=True)
    return all(name == other_name and close(a, b) for (name, a), (other_name, b) in pairs)


def slope(found: Sequence[Measured], engine: str) -> float | None:
    """Return the slope of log time against log rows (least squares); None below two sizes."""
    points = [
        (math.log(one.rows), math.log(one.seconds))
        for one in found
        if one.engine == engine and one.problem is None
    ]
    if len(points) < 2:
        return None
    mean_x, mean_y = (sum(p[i] for p in points) / len(points) for i in (0, 1))
    over = sum((x - mean_x) * (y - mean_y) for x, y in points)
    under = sum((x - mean_x) ** 2 for x, _ in points)
    return over / under


def ratio(found: Sequence[Measured], one: Measured) -> float | None:
    """Return the time relative to the baseline's; None without a baseline."""
    base = next(
        (
            each.seconds
            for each in found
            if each.engine == BASELINE and each.rows == one.rows and each.problem is None
        ),
        None,
    )
    return None if base is None or one.problem is not None else one.seconds / base
