"""`insync bench startup`: measure what the agent adds to the start of brokers."""

from pathlib import Path
from typing import Annotated, Final

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

EXAMPLES: Final = """\b
Examples:
  insync bench startup
  insync bench startup --arms stock,step-down --kafka 3.9.2 --rounds 10
"""


def command(
    arms: ArmsOption = "stock,off,request,step-down",
    kafka: KafkaOption = DEFAULT_KAFKA,
    rounds: RoundsOption = 6,
    out: Annotated[
        Path | None,
        typer.Option(
            help="New or empty output folder. Default: ./insync-runs/bench-startup-<time>."
        ),
    ] = None,
    json: Json = False,
) -> int:
    """Measure the start of a cluster of three brokers and a controller: CPU time and duration.

    Arms are measured in turn. The first start of an arm fills the caches of classes and of woven
    classes, and is not counted.
    """
    from insync.cli.output import TerminalProgress
    from insync.overhead.figures import OF_START
    from insync.overhead.measure import measure_start
    from insync.overhead.rounds import DOCUMENT, document, measure_rounds
    from insync.signals import interruptible

    prepared = prepare(arms, kafka, out, "startup")
    folder = prepared.folder
    with interruptible(), TerminalProgress() as progress:
        dist, sides = prepared.sides(progress)
        measure_rounds(sides, measure_start, 1, folder / "first", progress.phase)
        found = measure_rounds(sides, measure_start, rounds, folder, progress.phase)
    whole = document(dist.version, dist.java.description, None, found, BASELINE, OF_START)
    deliver(
        whole, folder / DOCUMENT, lambda to: show(to, prepared.arms, found, OF_START), as_json=json
    )
    return 0
