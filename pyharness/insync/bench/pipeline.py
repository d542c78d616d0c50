"""Measures the pipeline on synthetic histories, and DuckDB and Polars on the same files.

Every measurement is a separate process, which ends with this one, and is repeated; each repeat
starts with another engine. The files of a history are removed before the next one is generated.
"""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Final

from insync.bench.processes import Cost, watch
from insync.bench.repeats import Spread, in_turn
from insync.errors import InsyncError
from insync.scratch import scratch_environment

ENGINES: Final = ("spark", "duckdb", "polars")
BASELINE: Final = "duckdb"
WITHIN_S: Final = 3600.0
LEAST_WITHIN_S: Final = 600.0
"""The other engines may take as long as the first engine, and at least this long."""
_ERROR: Final = re.compile(r"[\w.]+(Error|Exception): ")
_CLOSE: Final = 1e-9
"""Sums of doubles may differ in their last digits; nothing else may."""

Rows = list[dict[str, Any]]
Tables = Mapping[str, Rows]
Runner = Callable[[str, float], tuple[Cost, str]]
"""Runs an engine within some seconds; returns what it took and its output."""


@dataclass(frozen=True, slots=True)
class Run:
    """One computation: seconds by part, and CPU time and peak memory of all its processes.

    `start_s` is the time until the engine was ready (Spark's session).
    """

    aggregates_s: float
    checks_s: float
    cpu_s: float
    peak_bytes: int
    start_s: float = 0.0

    @property
    def seconds(self) -> float:
        """Return how long the tables took, without the start."""
        return self.aggregates_s + self.checks_s


@dataclass(slots=True)
class Measured:
    """The results of one engine on one history; `problem` is why there is none, or no more.

    `differs` names the tables that differ from the first engine's; `planted` are the anomalies
    that the history has.
    """

    engine: str
    rows: int
    runs: list[Run] = field(default_factory=list)
    differs: tuple[str, ...] = ()
    problem: str | None = None

    def spread(self, figure: str) -> Spread:
        """Return the median and the range of a figure of the runs, of which there is one."""
        return Spread.of([getattr(run, figure) for run in self.runs])

    @property
    def seconds(self) -> float | None:
        """Return the median time of the tables; None without a run, or after a problem."""
        return None if self.problem or not self.runs else self.spread("seconds").median


def measure(
    sizes: Sequence[int],
    engines: Sequence[str],
    folder: Path,
    tell: Callable[[str], None],
    duckdb_gb: int,
    times: int,
) -> list[Measured]:
    """Measure every engine on every size, in `folder`; raises InsyncError if Spark fails.

    `duckdb_gb` is the memory that DuckDB may have.
    """
    found: list[Measured] = []
    for rows in sizes:
        data = folder / f"rows-{rows}"
        commands = _commands(data, rows, duckdb_gb)
        run = partial(_run, commands)
        try:
            tell(f"generating a history of {rows:,} operations")
            _, truth = run("generate", WITHIN_S)
            found += _measure_one_size(rows, engines, times, json.loads(truth), run, tell)
        finally:
            shutil.rmtree(data, ignore_errors=True)
    return found


def _measure_one_size(
    rows: int,
    engines: Sequence[str],
    times: int,
    truth: Tables,
    run: Runner,
    tell: Callable[[str], None],
) -> list[Measured]:
    found = {engine: Measured(engine, rows) for engine in engines}
    expected, within_s = truth, WITHIN_S
    for repeat, engine in in_turn(engines, times):
        one = found[engine]
        if one.problem is None:
            tell(f"{engine}: {rows:,} operations, {repeat + 1} of {times}")
            tables = _measure_one(one, expected, partial(run, engine, within_s))
            if tables and expected is truth:  # the first engine defines the expected tables
                expected = {**tables, **truth}
                within_s = max(LEAST_WITHIN_S, one.runs[0].seconds)
    return list(found.values())


def _measure_one(
    one: Measured, expected: Tables, run: Callable[[], tuple[Cost, str]]
) -> dict[str, Rows]:
    """Add a run to what was measured; return the tables, none if the engine failed."""
    try:
        cost, output = run()
    except InsyncError as error:
        if one.engine == "spark":
            raise
        one.problem = str(error)
        return {}
    result = json.loads(output)
    tables: dict[str, Rows] = result.pop("tables")
    tables["planted"] = counted(tables["anomalies"])
    one.runs.append(Run(**result, cpu_s=cost.cpu_s, peak_bytes=cost.peak_bytes))
    differs = {n for n in tables if n in expected and not same(expected[n], tables[n])}
    one.differs = tuple(sorted({*one.differs, *differs}))
    return tables


def counted(anomalies: Rows) -> Rows:
    """Return how many anomalies of each name every partition has."""
    keys = ("run", "arm", "repeat", "topic", "partition", "kind")
    found = Counter(tuple(row[key] for key in keys) for row in anomalies)
    return [{**dict(zip(keys, of, strict=True)), "anomalies": n} for of, n in found.items()]


def _commands(data: Path, rows: int, duckdb_gb: int) -> dict[str, list[str]]:
    """Return the modules to run, with their arguments: to generate a history, and by engine."""
    by_spark = ["insync.analysis.tables.measure"]
    others = "insync.bench.engines"
    return {
        "generate": [*by_spark, "generate", str(data), "--rows", str(rows)],
        "spark": [*by_spark, "compute", str(data), "--rows", str(rows)],
        "duckdb": [others, "duckdb", str(data), "--memory-gb", str(duckdb_gb)],
        "polars": [others, "polars", str(data)],
    }


def _run(commands: Mapping[str, Sequence[str]], name: str, within_s: float) -> tuple[Cost, str]:
    """Run a command; return what it took and its output. Raises InsyncError if it fails."""
    with (
        scratch_environment() as environment,
        TemporaryFile() as output,
        TemporaryFile() as errors,
    ):
        try:
            cost = watch(
                [sys.executable, "-m", *commands[name]], environment=environment,
                stdout=output, stderr=errors, within_s=within_s,
            )  # fmt: skip
        except TimeoutError as error:
            raise InsyncError(f"bench: {name}: {error}") from None
        if cost.code:
            raise InsyncError(f"bench: {name} ended with {cost.code}: {_why(_text(errors))}")
        return cost, _text(output)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", errors="replace")


def _why(errors: str) -> str:
    message = [line for line in errors.splitlines() if line.strip()]
    telling = [line for line in message if _ERROR.match(line)]
    return (telling or message or ["no output; possibly out of memory"])[-1]


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
        if one.engine == engine and one.seconds is not None
    ]
    if len(points) < 2:
        return None
    mean_x, mean_y = (sum(p[i] for p in points) / len(points) for i in (0, 1))
    over = sum((x - mean_x) * (y - mean_y) for x, y in points)
    under = sum((x - mean_x) ** 2 for x, _ in points)
    return over / under


def ratio(found: Sequence[Measured], one: Measured) -> float | None:
    """Return the time relative to the baseline's; None without a baseline."""
    of_baseline = (each for each in found if each.engine == BASELINE and each.rows == one.rows)
    base = next((each.seconds for each in of_baseline), None)
    return None if base is None or one.seconds is None else one.seconds / base
