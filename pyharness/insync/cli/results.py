"""Run campaigns; print results, verdicts (one row per arm) and matrices on the terminal."""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from insync.cli.output import TerminalProgress, painted, print_verdict, results_console
from insync.engine.campaign import Campaign, Named, Options, campaign_folder, is_campaign
from insync.engine.campaign import run_campaign as run
from insync.events.matrix_info import PAGE
from insync.events.schema import REPORT, VERDICT
from insync.metrics import DEFAULT_FIGURES
from insync.outcome import Outcome
from insync.report.matrix.cells import Grid, MatrixCell, grids, outcome
from insync.report.matrix.figures import legend
from insync.report.matrix.text import figures, notes, sentence
from insync.report.result_page import Words, overview, problems
from insync.report.statistics import differences_of, statistics_tables
from insync.result import Result
from insync.result import Table as Shown
from insync.signals import interruptible
from insync.statistics import LEVEL

C = TypeVar("C", bound=Named)
MOST_PROBLEMS: Final = 20


def run_campaign(
    campaign: Campaign[C],
    options: Options,
    shown: Callable[[Result, Path], Outcome],
) -> int:
    """Run a campaign, show its result, and return the exit code."""
    with interruptible(), TerminalProgress() as progress:
        folder = campaign_folder(campaign, options)
        try:
            result = run(campaign, options, progress, folder)
        except BaseException:  # also on Ctrl-C: what is done need not run again
            progress.stop()
            if is_campaign(folder):
                again = f"the same command with --out {folder} --resume"
                print(f"to continue: {again}", file=sys.stderr)
            raise
        progress.stop()
        return shown(result, folder).exit_code


def show_result(result: Result, words: Words, folder: Path, *, as_json: bool) -> Outcome:
    """Print the children of a result, what is not as expected, the verdict, and the page's path.

    `as_json` prints the file besides. Returns the verdict.
    """
    console = results_console(as_json=as_json)
    for table in (overview(result, words.part), *result.tables):
        console.print(drawn(table))
    found = problems(result)
    for path, check in found[:MOST_PROBLEMS]:
        text = f"{check.outcome.mark} {', '.join(path)}: {check.reason}"
        console.print(escape(text), soft_wrap=True)
    if len(found) > MOST_PROBLEMS:
        console.print(f"{len(found) - MOST_PROBLEMS} more are in the page")
    print_verdict(console, result.outcome.verdict, result.reason)
    console.print(f"page: {escape(str(folder / REPORT))}", soft_wrap=True)
    if as_json:
        print((folder / VERDICT).read_text(encoding="utf-8"), end="")
    return result.outcome.verdict


def show_matrix(
    console: Console,
    cells: Sequence[MatrixCell],
    folder: Path,
    wrong: Sequence[str],
    kept: Sequence[Path] = (),
) -> None:
    """Print the tables, then what differs, the outcome, the page's path, and where data is kept."""
    for grid in grids(cells):
        console.print(grid_table(grid))
    for line in (*notes(cells), *wrong):
        console.print(escape(line), soft_wrap=True)
    print_verdict(console, outcome(cells), sentence(cells))
    console.print(f"matrix: {escape(str(folder / PAGE))}{_kept(kept)}", soft_wrap=True)


def grid_table(grid: Grid) -> Table:
    """Return the table of one version; cells that differ from what was expected are marked.

    With several repeats a figure has two numbers, so the figures are on separate lines; the same
    applies if a cell has many figures.
    """
    table = Table(
        title=f"Kafka {grid.kafka}: {legend(grid.figures)}",
        title_justify="left",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("stall", no_wrap=True)
    for arm in grid.arms:
        table.add_column(arm.replace("-", "-\n"), justify="right")
    for scenario, row in grid.rows.items():
        shown = [_cell(row[arm]) if arm in row else "" for arm in grid.arms]
        table.add_row(scenario, *shown)
    return table


def _cell(cell: MatrixCell) -> str:
    found = cell.state
    if found == Outcome.SKIPPED:
        return painted(found, found.mark)
    text = f"{'' if found == Outcome.PASS else f'{found.symbol} '}{figures(cell)}"
    # On one line four arms fit into 80 columns, on separate lines seven.
    in_line = cell.once and len(cell.figures) <= len(DEFAULT_FIGURES)
    text = text.replace(" / ", "/" if in_line else "\n")
    return text if found == Outcome.PASS else painted(found, text)


SECOND_MS: Final = 1000


def show_verdict(
    console: Console, verdict: Mapping[str, Any], folder: Path, kept: Sequence[Path] = ()
) -> None:
    """Print the arms, the verdict with its reason, the report's path, and where data is kept."""
    title = f"{verdict['scenario']} on Kafka {verdict['kafka']}, times x {verdict['scale']:g}"
    console.print(arms_table(verdict["arms"], title))
    print_verdict(console, Outcome(verdict["verdict"]), verdict["reason"])
    console.print(f"report: {escape(str(folder / REPORT))}{_kept(kept)}", soft_wrap=True)


def _kept(homes: Sequence[Path]) -> str:
    """Say in which folders the data of brokers is kept; empty if in none."""
    if not homes:
        return ""
    return f"; the brokers' data is kept in {', '.join(escape(str(home)) for home in homes)}"


def arms_table(arms: Mapping[str, Mapping[str, Any]], title: str) -> Table:
    """Return the table: metrics with one value per repeat, counts of records as sums."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, collapse_padding=True)
    table.add_column("arm")
    for heading, _, _ in _COLUMNS:
        table.add_column(heading, justify="right")
    for name, arm in arms.items():
        table.add_row(name, *(show(arm[key]) for _, key, show in _COLUMNS))
    return table


def _each(values: Sequence[float | None]) -> str:
    return " ".join("-" if value is None else f"{value:g}" for value in values) or "-"


def _seconds(values: Sequence[float | None]) -> str:
    return " ".join("-" if ms is None else f"{ms / SECOND_MS:.1f}" for ms in values) or "-"


def _sum(values: Sequence[int | None]) -> str:
    return "-" if None in values else str(sum(value or 0 for value in values))


def _evidence(evidence: Sequence[Mapping[str, Any]]) -> str:
    """Sum up the faults: delayed calls and their total seconds; else the seconds they acted."""
    if not evidence:
        return "-"
    calls = sum(item["calls_held"] for item in evidence)
    held = sum(item["held_ms"] for item in evidence) / SECOND_MS
    if calls:
        return f"{calls} held, {held:.0f} s"
    return f"{sum(item['acted_ms'] for item in evidence) / SECOND_MS:.0f} s"


_COLUMNS: Final[Sequence[tuple[str, str, Callable[[Any], str]]]] = (
    ("ISR\nshrinks", "isr_shrinks", _each),
    ("min\nISR", "min_isr_size", _each),
    ("s under\nmin ISR", "under_min_isr_ms", _seconds),
    ("longest\nack gap s", "max_ack_gap_ms", _seconds),
    ("acked", "acked", _sum),
    ("lost", "lost", _sum),
    ("twice", "duplicated", _sum),
    ("faults\nacted", "evidence", _evidence),
)


USUAL: Final = frozenset(
    {"isr_shrinks", "min_isr_size", "under_min_isr_ms", "max_ack_gap_ms", "p99_ms", "lost"}
)
"""The metrics that a run shows here; the report has all."""


def show_statistics(console: Console, folder: Path, metrics: Collection[str] = USUAL) -> None:
    """Print medians and differences of a run or a matrix whose cells have several repeats.

    They are of the named metrics, and of others in which an arm differs beyond noise.
    """
    rows = {name: _stored(folder, name) for name in ("medians", "differences")}
    clear = {each.metric for each in differences_of(rows) if (each.p_holm or 1) <= LEVEL}
    for table in statistics_tables(rows, {*metrics, *clear}):
        console.print(drawn(table))


def drawn(shown: Shown) -> Table:
    """Return a table of a page as one for the terminal."""
    table = Table(title=escape(shown.title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for place, name in enumerate(shown.columns):
        table.add_column(name, justify="right" if place in shown.numeric else "left")
    for row in shown.rows:
        table.add_row(*map(escape, row))
    return table


def _stored(folder: Path, name: str) -> list[dict[str, Any]]:
    """Return the rows of a gold table; none if there is no such table."""
    from insync.analysis.tables.rows import read_parquet

    return read_parquet(sorted((folder / "tables" / "gold" / name).glob("*.parquet")))
