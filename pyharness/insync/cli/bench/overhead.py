"""`insync bench overhead`: measure what the agent costs on real brokers, beside stock Kafka."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from insync.cli.bench.sides import (
    BASELINE,
    ArmsOption,
    RoundsOption,
    deliver,
    prepare,
    show,
)
from insync.cli.options import Json, KafkaOption
from insync.run.request import DEFAULT_KAFKA

if TYPE_CHECKING:
    from insync.overhead.load_tool import Acks

EXAMPLES: Final = """\b
Examples:
  insync bench overhead --quick
  insync bench overhead --rounds 6 --out ./overhead
  insync bench overhead --arms stock,request --acks 1 --rate 5000 --json
"""


def command(
    arms: ArmsOption = "stock,off,read,request,step-down",
    kafka: KafkaOption = DEFAULT_KAFKA,
    rounds: RoundsOption = 6,
    quick: Annotated[
        bool, typer.Option("--quick", help="One round with few records: does all of it work?")
    ] = False,
    records: Annotated[
        int | None, typer.Option(min=1, help="Records produced per measurement.")
    ] = None,
    rate: Annotated[
        int, typer.Option(min=-1, help="Records per second; -1: as fast as possible.")
    ] = -1,
    acks: Annotated[str, typer.Option(help="The producer's acks: all or 1.")] = "all",
    out: Annotated[
        Path | None,
        typer.Option(
            help="New or empty output folder. Default: ./insync-runs/bench-overhead-<time>."
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Measure what arms cost on three brokers: counts per fetch, throughput, CPU, memory.

    Arms are measured in turn, each on a cluster of its own. Counts per fetch do not depend on how
    busy the machine is; times do, so look at their intervals.
    """
    from dataclasses import replace
    from functools import partial

    from insync.cli.output import TerminalProgress
    from insync.overhead.figures import FIGURES
    from insync.overhead.load_tool import LoadTool
    from insync.overhead.measure import QUICK, Size, measure
    from insync.overhead.rounds import DOCUMENT, document, measure_rounds
    from insync.signals import interruptible

    size = replace(QUICK if quick else Size(), rate=_rate(rate), acks=_acks(acks))
    if records is not None:
        size = replace(size, records=records)
    prepared = prepare(arms, kafka, out, "overhead")
    folder = prepared.folder
    with interruptible(), TerminalProgress() as progress:
        dist, sides = prepared.sides(progress)
        tool = LoadTool.fetched(dist, progress.phase)
        times = 1 if quick else rounds
        found = measure_rounds(sides, partial(measure, size, tool), times, folder, progress.phase)
    whole = document(dist.version, dist.java.description, size, found, BASELINE)
    deliver(
        whole, folder / DOCUMENT, lambda to: show(to, prepared.arms, found, FIGURES), as_json=json
    )
    return 0


def _acks(acks: str) -> "Acks":
    from insync.errors import InputError

    if acks == "all":
        return "all"
    if acks == "1":
        return "1"
    raise InputError(f"--acks {acks}: expected all or 1")


def _rate(rate: int) -> int:
    from insync.errors import InputError

    if rate == 0:
        raise InputError("--rate 0: expected -1, or how many records per second")
    return rate
