"""What the benchmarks on brokers share: their arms, the folder, and the table of figures."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from insync.cli.options import names
from insync.extras import require_analysis

if TYPE_CHECKING:
    from rich.console import Console

    from insync.brokers.kafka.distribution import Distribution
    from insync.overhead.figures import Difference, FigureSpec, Values
    from insync.overhead.measure import Side
    from insync.progress import Progress

BASELINE: Final = "stock"
ArmsOption = Annotated[
    str, typer.Option("--arms", help="Comma-separated arms; stock is the baseline.")
]
RoundsOption = Annotated[
    int,
    typer.Option(
        "--rounds", min=1, max=1000, help="How often each arm is measured; 6 give intervals."
    ),
]


@dataclass(frozen=True, slots=True)
class Prepared:
    """Arms that can be measured, and the folder for it, which may not exist yet."""

    arms: tuple[str, ...]
    kafka: str
    agent: Path | None
    folder: Path

    def sides(self, progress: "Progress") -> "tuple[Distribution, list[Side]]":
        """Return the distribution and a side per arm; fetch missing jars and make the folder."""
        from insync.brokers.kafka.java import find_java
        from insync.brokers.kafka.resolve import distribution
        from insync.overhead.measure import Side
        from insync.run.out import make_out

        dist = distribution(self.kafka, find_java(), progress.phase)
        make_out(self.folder)
        return dist, [Side.of_arm(arm, dist, self.agent) for arm in self.arms]


def prepare(arms: str, kafka: str, out: Path | None, name: str) -> Prepared:
    """Check what a benchmark is asked for, and that its extra is installed; raises InputError."""
    from insync.brokers.kafka.builds import find
    from insync.errors import InputError
    from insync.run.out import check_out
    from insync.run.plan import require_agent
    from insync.run.version_support import require_arms

    require_analysis(f"bench {name}")
    chosen = names(arms) or ()
    if BASELINE not in chosen or len(set(chosen)) != len(chosen) or len(chosen) < 2:
        raise InputError(f"--arms {arms}: expected {BASELINE} and other arms, each once")
    find(kafka)
    require_arms(chosen, kafka)
    folder = Path("insync-runs") / f"bench-{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    return Prepared(chosen, kafka, require_agent(chosen), check_out(out or folder))


def show(
    console: "Console",
    arms: Sequence[str],
    rounds: "Sequence[Mapping[str, Values]]",
    figures: "Sequence[FigureSpec]",
) -> None:
    """Print a table with a row per figure and a column per arm."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from insync.overhead.figures import differences

    found = {(each.arm, each.figure): each for each in differences(rounds, BASELINE, figures)}
    table = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    table.add_column("")
    table.add_column(BASELINE, justify="right")
    others = [arm for arm in arms if arm != BASELINE]
    for arm in others:
        table.add_column(arm, justify="right")
    for spec in figures:
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


if TYPE_CHECKING:
    from rich.console import Console


def deliver(
    document: Mapping[str, Any], file: Path, show: "Callable[[Console], None]", *, as_json: bool
) -> None:
    """Write the document into `file`, show it and the folder, and print it as well `as_json`."""
    from insync.cli.output import results_console

    text = json.dumps(document, indent=2)
    file.write_text(text + "\n", encoding="utf-8")
    console = results_console(as_json=as_json)
    show(console)
    console.print(f"results: {file.parent}", soft_wrap=True)
    if as_json:
        print(text)
