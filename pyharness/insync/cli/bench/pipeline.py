"""`insync bench pipeline`: measure how time and memory of the tables grow with a run's size."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from insync.bench.engines import MEMORY_GB
from insync.cli.bench.outcome import deliver
from insync.cli.options import Json
from insync.errors import InputError
from insync.extras import require

if TYPE_CHECKING:
    from rich.console import Console

    from insync.bench.pipeline import Measured

EXAMPLES: Final = """\b
Examples:
  insync bench pipeline --rows 1e5,1e6
  insync bench pipeline --rows 1e5,1e6,1e7,1e8 --out ./out --json
"""

DIFFERS: Final = 1


def command(
    rows: Annotated[
        str, typer.Option(help="Comma-separated sizes of the histories, in operations.")
    ] = "1e5,1e6,1e7",
    engines: Annotated[
        str,
        typer.Option(
            help="Comma-separated, of spark, duckdb, polars; the last two need insync[bench]."
        ),
    ] = "spark,duckdb,polars",
    out: Annotated[
        Path | None,
        typer.Option(
            help="New or empty output folder. Default: ./insync-runs/bench-pipeline-<time>."
        ),
    ] = None,
    duckdb_memory: Annotated[
        int, typer.Option(help="Memory limit of DuckDB in GB; Spark's driver has 1.")
    ] = MEMORY_GB,
    times: Annotated[
        int, typer.Option(min=1, help="How often each engine computes each history.")
    ] = 3,
    json: Json = False,
) -> int:
    """Time gold tables and checks, compared with other engines.

    The histories are synthetic. Spark is local, as for `--engine spark`. The engines take turns;
    the table has medians, and the range of the total time. All engines read the same Parquet files
    and must compute the same rows; otherwise the exit code is 1. A history of 1e8 operations takes
    about 5 GB of disk while it is measured; one that does not fit is refused.
    """
    from insync.bench.pipeline import measure, ratio, slope
    from insync.bench.size import parse_sizes, require_space
    from insync.cli.progress import TerminalProgress
    from insync.run.plan import check_out, make_out
    from insync.signals import interruptible

    sizes, names = parse_sizes(rows), _engines(engines)
    if duckdb_memory <= 0:
        raise InputError(f"--duckdb-memory {duckdb_memory}: expected GB, 1 or more")
    require("analysis", "bench pipeline")
    if set(names) - {"spark"}:
        require("bench", "bench pipeline", "--engines spark")
    folder = check_out(
        out or Path("insync-runs") / f"bench-pipeline-{time.strftime('%Y%m%d-%H%M%S')}"
    )
    require_space(sizes, folder)
    make_out(folder)
    with interruptible(), TerminalProgress() as progress:
        found = measure(sizes, names, folder, progress.phase, duckdb_memory, times)
    slopes = {engine: slope(found, engine) for engine in names}
    ratios = [ratio(found, one) for one in found]
    document = {
        "measured": [
            {**asdict(one), "seconds": one.seconds, "ratio": times}
            for one, times in zip(found, ratios, strict=True)
        ],
        "slopes": slopes,
    }
    deliver(
        document,
        folder / "pipeline.json",
        lambda to: _show(to, found, ratios, slopes),
        as_json=json,
    )
    return DIFFERS if any(one.differs for one in found) else 0


def _engines(listed: str) -> list[str]:
    from insync.bench.pipeline import ENGINES

    names = [name.strip() for name in listed.split(",")]
    for name in names:
        if name not in ENGINES:
            raise InputError(f"--engines {name!r}: expected some of {', '.join(ENGINES)}")
    return names


def _show(
    console: "Console",
    found: Sequence["Measured"],
    ratios: Sequence[float | None],
    slopes: dict[str, float | None],
) -> None:
    """Print the table."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    headings = (
        "operations", "engine", "gold s", "checks s", "both s", "rows/s", "peak MB",
        "x duckdb", "rows",
    )  # fmt: skip
    for heading in headings:
        table.add_column(heading, justify="left" if heading == "engine" else "right")
    for one, times in zip(found, ratios, strict=True):
        if one.problem is not None:
            table.add_row(f"{one.rows:,}", one.engine, one.problem)
            continue
        took = one.spread("seconds")
        parts = (one.spread(name).written_median(1) for name in ("aggregates_s", "checks_s"))
        table.add_row(
            f"{one.rows:,}", one.engine, *parts, took.written_range(1),
            f"{one.rows / took.median:,.0f}", one.spread("peak_bytes").written_median(0, 1e6),
            "-" if times is None else f"{times:.1f}",
            f"differ: {', '.join(one.differs)}" if one.differs else "equal",
        )  # fmt: skip
    console.print(table)
    for engine, rise in slopes.items():
        if rise is not None:
            console.print(f"{engine}: time grows with rows to the power of {rise:.2f}")
