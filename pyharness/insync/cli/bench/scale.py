"""`insync bench scale`: measure what the agent costs on brokers with many partitions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from insync.cli.bench.sides import ArmsOption, RoundsOption, deliver, prepare
from insync.cli.options import Json, KafkaOption
from insync.run.request import DEFAULT_KAFKA

if TYPE_CHECKING:
    from rich.console import Console

    from insync.overhead.rounds import Round

EXAMPLES: Final = """\b
Examples:
  insync bench scale
  insync bench scale --partitions 1000,3000,10000 --arms stock,step-down --rounds 3
"""
MOST: Final = 50_000


def command(
    partitions: Annotated[
        str, typer.Option(help="Comma-separated numbers of partitions, each with three replicas.")
    ] = "3000,10000",
    arms: ArmsOption = "stock,request,step-down",
    kafka: KafkaOption = DEFAULT_KAFKA,
    rounds: RoundsOption = 1,
    out: Annotated[
        Path | None,
        typer.Option(help="New or empty output folder. Default: ./insync-runs/bench-scale-<time>."),
    ] = None,
    json: Json = False,
) -> int:
    """Measure three brokers with many partitions that nobody writes, on every arm.

    Prints the bytes and calls per fetch, the CPU time of a pass of isr-expiration, the heap and the
    resident memory for each number of partitions, and what a line through them gives at 200,000.
    """
    from functools import partial

    from insync.cli.output import TerminalProgress
    from insync.overhead.measure import Size, measure_scale
    from insync.overhead.rounds import measure_rounds
    from insync.overhead.scale import DOCUMENT, document
    from insync.signals import interruptible

    counts = _counts(partitions)
    prepared = prepare(arms, kafka, out, "scale")
    folder = prepared.folder
    measured = {}
    with interruptible(), TerminalProgress() as progress:
        dist, sides = prepared.sides(progress)
        for count in counts:
            one = partial(measure_scale, Size(idle=count))
            into = folder / f"partitions-{count}"
            measured[count] = measure_rounds(sides, one, rounds, into, progress.phase)
    whole = document(dist.version, dist.java.description, measured)
    deliver(whole, folder / DOCUMENT, lambda to: show(to, measured), as_json=json)
    return 0


def _counts(listed: str) -> list[int]:
    from insync.errors import InputError

    expected = f"two or more numbers of 1 to {MOST}, each more than the one before"
    try:
        counts = [int(each) for each in listed.split(",")]
    except ValueError:
        raise InputError(f"--partitions {listed}: expected {expected}") from None
    if len(counts) < 2 or sorted(set(counts)) != counts or not 1 <= counts[0] <= counts[-1] <= MOST:
        raise InputError(f"--partitions {listed}: expected {expected}")
    return counts


def show(console: "Console", measured: "Mapping[int, Sequence[Round]]") -> None:
    """Print a row per figure and arm, and a column per number of partitions."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from insync.overhead.figures import OF_SCALE
    from insync.overhead.scale import FAR, slopes

    table = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    table.add_column("")
    table.add_column("arm")
    for count in measured:
        table.add_column(f"{count:,}", justify="right")
    table.add_column("per 1,000 partitions", justify="right")
    table.add_column(f"line at {FAR:,}", justify="right")
    by_place = {
        (place, each.arm): (spec, each)
        for each in slopes(measured)
        for place, spec in enumerate(OF_SCALE)
        if spec.name == each.figure
    }
    for (_, arm), (spec, each) in sorted(by_place.items(), key=lambda item: item[0][0]):
        values = [f"{value:,.{spec.digits}f}" for value in each.values.values()]
        slope = f"{1_000 * each.per_partition:+,.{spec.digits + 1}f}"
        table.add_row(spec.heading, arm, *values, slope, f"{each.far:,.{spec.digits}f}")
    console.print(table)
