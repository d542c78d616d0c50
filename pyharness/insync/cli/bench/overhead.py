"""`insync bench overhead`: measure what the agent costs on real brokers, beside stock Kafka."""

import json as jsonlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from insync.cli.options import KAFKA_HELP, Json, names
from insync.run.request import DEFAULT_KAFKA

if TYPE_CHECKING:
    from rich.console import Console

    from insync.bench.overhead.figures import Difference, FigureSpec
    from insync.bench.overhead.producer import Acks

EXAMPLES: Final = """\b
Examples:
  insync bench overhead --quick
  insync bench overhead --rounds 6 --out ./overhead
  insync bench overhead --arms stock,request --acks 1 --rate 5000 --json
"""
ARMS: Final = "stock,off,read,request,step-down"
BASELINE: Final = "stock"


def command(
    arms: Annotated[str, typer.Option(help="Comma-separated arms; stock is the baseline.")] = ARMS,
    kafka: Annotated[str, typer.Option(help=KAFKA_HELP)] = DEFAULT_KAFKA,
    rounds: Annotated[
        int, typer.Option(min=1, max=1000, help="How often each arm is measured; 6 give intervals.")
    ] = 6,
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

    from insync.bench.overhead.measure import QUICK, Side, Size
    from insync.bench.overhead.producer import ProducerTool
    from insync.bench.overhead.rounds import DOCUMENT, document, measure_rounds
    from insync.brokers.kafka.builds import find
    from insync.brokers.kafka.java import find_java
    from insync.brokers.kafka.resolve import distribution
    from insync.cli.progress import TerminalProgress
    from insync.cli.results import results_console
    from insync.run.arm_support import require_arms
    from insync.run.plan import check_out, make_out, require_agent
    from insync.signals import interruptible

    chosen = _arms(arms)
    size = replace(QUICK if quick else Size(), rate=_rate(rate), acks=_acks(acks))
    if records is not None:
        size = replace(size, records=records)
    find(kafka)
    require_arms(chosen, kafka)
    jar = require_agent(chosen)
    name = f"bench-overhead-{time.strftime('%Y%m%d-%H%M%S')}"
    folder = check_out(out or Path("insync-runs") / name)
    with interruptible(), TerminalProgress() as progress:
        dist = distribution(kafka, find_java(), progress.phase)
        tool = ProducerTool.fetched(dist, progress.phase)
        make_out(folder)
        sides = [Side.of_arm(arm, dist, jar) for arm in chosen]
        found = measure_rounds(sides, size, 1 if quick else rounds, tool, folder, progress.phase)
    whole = document(dist.version, dist.java.description, size, found, BASELINE)
    text = jsonlib.dumps(whole, indent=2)
    (folder / DOCUMENT).write_text(text + "\n", encoding="utf-8")
    console = results_console(as_json=json)
    show(console, chosen, whole["rounds"])
    console.print(f"results: {folder}", soft_wrap=True)
    if json:
        print(text)
    return 0


def _arms(listed: str) -> tuple[str, ...]:
    from insync.errors import InputError

    chosen = names(listed) or ()
    if BASELINE not in chosen or len(set(chosen)) != len(chosen) or len(chosen) < 2:
        raise InputError(f"--arms {listed}: expected {BASELINE} and other arms, each once")
    return chosen


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


def show(
    console: "Console", arms: Sequence[str], rounds: Sequence[dict[str, dict[str, float]]]
) -> None:
    """Print a table with a row per figure and a column per arm."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from insync.bench.overhead.figures import FIGURES, differences

    found = {(each.arm, each.figure): each for each in differences(rounds, BASELINE)}
    table = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    table.add_column("")
    table.add_column(BASELINE, justify="right")
    others = [arm for arm in arms if arm != BASELINE]
    for arm in others:
        table.add_column(arm, justify="right")
    for spec in FIGURES:
        cells = [found[arm, spec.name] for arm in others]
        base = f"{cells[0].base:,.{spec.digits}f}"
        table.add_row(spec.heading, base, *(_cell(spec, each) for each in cells))
    console.print(table)
    console.print(
        f"Medians of {len(rounds)}; in brackets the change from {BASELINE} within a round: its"
        " interval of 95 %, or its median below 6 rounds.",
        soft_wrap=True,
    )


def _cell(spec: "FigureSpec", found: "Difference") -> str:
    shown = f"{found.value:,.{spec.digits}f}"
    if found.low is not None and found.high is not None:
        return f"{shown} ({found.low:+.1%} to {found.high:+.1%})"
    return shown if found.change is None else f"{shown} ({found.change:+.1%})"
