"""`insync bench analysis`: measure the analysis of recorded runs, alone or against a checkout."""

import json as jsonlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from insync.cli.options import Json
from insync.extras import require_analysis

if TYPE_CHECKING:
    from insync.bench.analysis import Difference, Measured

EXAMPLES: Final = """\b
Examples:
  insync bench analysis ./insync-runs/demo/kip-501
  insync bench analysis ./matrix --against ../insync-main --times 10
  insync bench analysis ./monday ./tuesday --against ../insync-main --json
"""

DIFFERS: Final = 1


def command(
    folders: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER...",
            help="Folders from `insync run`, or one folder from `insync matrix`.",
        ),
    ],
    against: Annotated[
        Path | None,
        typer.Option(help="Checkout of insync whose sources are measured as well, in turn."),
    ] = None,
    times: Annotated[int, typer.Option(min=1, help="How often each is measured.")] = 5,
    json: Json = False,
) -> int:
    """Time the analysis of recorded runs, by this installation and by a checkout.

    Each analysis works on a fresh copy of the recorded events. One warm-up each is not counted. If
    a verdict.json or matrix.json is not always the same, the exit code is 1.
    """
    from insync.bench.analysis import checkout, measure, this_installation
    from insync.cli.output import TerminalProgress
    from insync.signals import interruptible

    require_analysis("bench analysis")
    sides = [this_installation(), *([] if against is None else [checkout(against)])]
    with interruptible(), TerminalProgress() as progress:
        found, differ = measure(folders, sides, times, progress.phase)
    _show(found, differ, on_stderr=json)
    if json:
        print(jsonlib.dumps(_document(found, differ), indent=2))
    return DIFFERS if differ else 0


def _document(found: Sequence["Measured"], differ: Sequence["Difference"]) -> dict[str, Any]:
    from insync.bench.analysis import ratios

    spreads = [{name: asdict(each) for name, each in one.spreads().items()} for one in found]
    return {
        "measured": [
            {**asdict(one), "sources": str(one.sources), "spreads": spread}
            for one, spread in zip(found, spreads, strict=True)
        ],
        "ratios": ratios(found),
        "differences": [asdict(one) for one in differ],
    }


_HEADINGS: Final = {
    "wall_s": ("wall s", 1, 1.0),
    "cpu_s": ("CPU s", 1, 1.0),
    "peak_bytes": ("peak MB", 0, 1e6),
}
"""By figure: its heading, and the digits and the unit in which it is shown."""


def _show(found: Sequence["Measured"], differ: Sequence["Difference"], *, on_stderr: bool) -> None:
    """Print the table; with --json to standard error, so that standard output is one document."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    from insync.bench.analysis import ratios

    table = Table(box=SIMPLE_HEAD, collapse_padding=True, pad_edge=False)
    table.add_column("")
    for heading in (heading for heading, *_ in _HEADINGS.values()):
        table.add_column(heading, justify="right")
    for one in found:
        spreads = one.spreads()
        shown = (
            spreads[name].written(digits, unit) for name, (_, digits, unit) in _HEADINGS.items()
        )
        table.add_row(one.side, *shown)
    if times := ratios(found):
        table.add_row("ratio", *(f"{times[name]:.2f}" for name in _HEADINGS))
    console = Console(stderr=on_stderr, highlight=False)
    console.print(table)
    for one in found:
        console.print(f"{one.side}: {escape(str(one.sources))}", soft_wrap=True)
    console.print(
        f"Medians of {len(found[0].costs)} (range). "
        "The peak is the sum over the processes that run at one time.",
        soft_wrap=True,
    )
    console.print(f"results: {f'{len(differ)} differ' if differ else 'equal'}")
    for each in differ:
        text = f"  {each.key}: first {each.first!r}, {each.side} {each.found!r}"
        console.print(escape(text), soft_wrap=True)
