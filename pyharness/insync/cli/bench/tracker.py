"""`insync bench tracker`: measure the cost of the agent's core with JMH."""

import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from insync.cli.bench.sides import deliver
from insync.cli.options import Json

if TYPE_CHECKING:
    from rich.console import Console

    from insync.bench.figures import Row

EXAMPLES: Final = """\b
Examples:
  insync bench tracker --quick
  insync bench tracker --out ./out --json
"""


def command(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Use fewer partitions and threads, and short iterations."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            help="New or empty output folder. Default: ./insync-runs/bench-tracker-<time>."
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Measure what the agent costs per partition of a follower's fetch.

    Prints nanoseconds and bytes, and compares them with two baselines. Needs a checkout, after
    `make bench`.
    """
    from insync.bench.figures import read_rows
    from insync.bench.jmh import FULL, QUICK, measure, require_jar
    from insync.brokers.kafka.java import find_java
    from insync.cli.output import TerminalProgress
    from insync.run.plan import check_out, make_out
    from insync.signals import interruptible

    jar, java = require_jar(), find_java()
    name = f"bench-tracker-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = check_out(out or Path("insync-runs") / name)
    make_out(folder)
    with interruptible(), TerminalProgress() as progress:
        rows = read_rows(measure(jar, java, QUICK if quick else FULL, folder, progress.phase))
    document = {"java": java.description, "quick": quick, "rows": [asdict(row) for row in rows]}
    deliver(document, folder / "tracker.json", lambda to: _show(to, rows), as_json=json)
    return 0


def _show(console: "Console", rows: Sequence["Row"]) -> None:
    """Print the table."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    title = "per partition of a follower's fetch"
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, collapse_padding=True)
    table.add_column("benchmark", no_wrap=True)
    for heading in ("ns", "B", "x empty\nadvice", "x compare\nand set"):
        table.add_column(heading, justify="right")
    for partitions, threads in sorted({(row.partitions, row.threads) for row in rows}):
        table.add_section()
        table.add_row(f"[bold]partitions {partitions}, threads {threads}[/]")
        for row in rows:
            if (row.partitions, row.threads) == (partitions, threads):
                table.add_row(
                    f"  {row.benchmark}",
                    f"{row.ns_per_partition:.1f}",
                    f"{row.bytes_per_partition:.2f}",
                    f"{row.times_empty_advice:.1f}",
                    f"{row.times_compare_and_set:.1f}",
                )
    console.print(table)
