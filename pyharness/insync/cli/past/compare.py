"""`insync compare`: how two past results differ."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from insync.cli.options import Json
from insync.engines import require_analysis

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from insync.past.compare import Compared, Figure
    from insync.result import Table

EXAMPLES: Final = """\b
Examples:
  insync compare ./monday ./tuesday
  insync compare ./on-4.3.1 ./on-4.4.0 --json
  insync compare ./matrix-before ./matrix-after --all
"""
EXIT_CODES: Final = {"same": 0, "differs": 1, "unclear": 3}
SHOWN: Final = 40


def command(
    a: Annotated[Path, typer.Argument(metavar="A", help="Folder of a run or a matrix.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="Another one.")],
    paired: Annotated[bool, "Repeat n of A and of B were made in turn: compare pairs."] = False,
    all_: Annotated[bool, "--all", "Show every figure that differs."] = False,
    json: Json = False,
) -> int:
    """Compare two results: set-up, verdicts, anomalies and figures of the arms that both have.

    Figures are B minus A, with the exact 95 % interval and the p-value of an exact test, adjusted
    over all figures, if there are enough repeats: without --paired 4 on each side, with it 6 pairs,
    and more for many figures. The exit code is 0 if nothing differs beyond noise, 1 if a verdict,
    an anomaly or a figure does, 3 if too few repeats could tell, 2 for bad input.
    """
    from insync.cli.output import print_json, results_console
    from insync.past.compare import compare, read_side

    require_analysis("compare")
    found = compare(read_side(a), read_side(b), paired=paired)
    if json:
        print_json(found.as_json())
    _show(results_console(as_json=json), found, whole=all_)
    return EXIT_CODES[found.outcome]


def _show(console: "Console", found: "Compared", *, whole: bool) -> None:
    from rich.markup import escape

    from insync.cli.results import drawn
    from insync.metrics import DEFAULT_FIGURES

    console.print(f"A: {escape(found.a)}\nB: {escape(found.b)}", soft_wrap=True)
    figures = [
        each for each in found.figures if whole or each.is_clear or each.metric in DEFAULT_FIGURES
    ]
    for table in _tables(found, figures):
        if table.rows:
            console.print(drawn(table))
            if table.more:
                console.print(f"and {table.more} more: --json has all")
    if left := len(found.figures) - len(figures):
        console.print(f"{left} more figures, none of them clearly different: --all shows them")
    for name, cells in (("A", found.only_a), ("B", found.only_b)):
        if cells:
            console.print(f"only in {name}: {escape('; '.join(cells))}", soft_wrap=True)
    console.print(escape(sentence(found)), soft_wrap=True)


def _tables(found: "Compared", figures: "list[Figure]") -> "Iterator[Table]":
    from insync.report.sections import table
    from insync.report.statistics import interval_text, label, p_text, value_text

    several = len({(each.scenario, each.kafka) for each in found.figures}) > 1

    def arm(scenario: str, kafka: str, name: str) -> str:
        return f"{scenario}, {kafka}: {name}" if several else name

    yield table("Set-up", "setting | A | B", found.setup[:SHOWN], "", {0, 1, 2})
    yield table(
        "Verdicts", "arm | A | B | A because | B because",
        [
            [arm(v.scenario, v.kafka, v.arm), v.a, v.b, v.reason_a, v.reason_b]
            for v in found.verdicts
        ],
        "", set(range(5)),
    )  # fmt: skip
    yield table(
        "Anomalies in all repeats", "arm | anomaly | A | B",
        [
            [arm(x.scenario, x.kafka, x.arm), label(x.metric), value_text(x.a), value_text(x.b)]
            for x in found.anomalies
        ],
        "", {0, 1},
    )  # fmt: skip
    yield table(
        f"Figures: medians, and B - A [95 % interval], {'paired' if found.paired else 'unpaired'}",
        "arm | metric | repeats | A | B | B - A | p, Holm",
        [
            [
                arm(each.scenario, each.kafka, each.arm), label(each.metric),
                f"{each.repeats_a}, {each.repeats_b}", value_text(each.a), value_text(each.b),
                interval_text(each.difference, each.low, each.high), p_text(each.p_holm),
            ]
            for each in figures
        ],
        "", {0, 1, 2},
    )  # fmt: skip


def sentence(found: "Compared") -> str:
    """Sum the comparison up: same, differs or unclear, and why."""
    clear = sum(each.is_clear for each in found.figures)
    arms = "1 arm" if found.compared == 1 else f"{found.compared} arms"
    if found.outcome == "differs":
        counts = ((len(found.verdicts), "verdict"), (len(found.anomalies), "anomaly"),
                  (clear, "figure"))  # fmt: skip
        said = ", ".join(f"{word}: {n}" for n, word in counts if n)
        return f"differs: of {arms} in common, {said}"
    if found.outcome == "unclear":
        each = "pairs of repeats" if found.paired else "repeats on each side"
        return (
            f"unclear: the verdicts are the same, and there are too few repeats to tell whether the"
            f" figures are; {found.needed} {each} show a difference that every repeat has, over"
            f" {len(found.figures)} figures"
        )
    return f"same: no verdict, anomaly or figure of {arms} differs beyond noise"
