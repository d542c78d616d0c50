"""Analyse runs and run campaigns; print their results, and choose the exit code."""

import json
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count, takewhile
from pathlib import Path
from typing import Any, Final, TypeVar

from rich.console import Console
from rich.markdown import Markdown
from rich.markup import escape
from rich.table import Table

from insync.brokers.cluster.node import has_data, remove_data
from insync.cli.options import UNKNOWN, repeated
from insync.cli.output import (
    TerminalProgress,
    print_json,
    print_verdict,
    results_console,
    text_table,
)
from insync.engine.campaign import (
    Campaign,
    Named,
    Options,
    campaign_folder,
    is_campaign,
    read_done,
)
from insync.engine.campaign import run_campaign as run
from insync.engines import AnalysisOptions
from insync.errors import InputError, InsyncError
from insync.events.matrix_info import CELLS, PAGE, PLAN, is_matrix, load_matrix
from insync.events.run_info import RunInfo, load_run
from insync.events.schema import REPORT, RUN, VERDICT, nodes_dir
from insync.events.verdict import Cell, Verdict, read_cells
from insync.outcome import Outcome, worst
from insync.past.results import LEVELS, find_results
from insync.report.matrix.cells import markdown, outcome
from insync.report.result_page import overview, problems
from insync.report.sections import side_by_side
from insync.report.statistics import statistics_tables
from insync.result import Result
from insync.result import Table as Shown
from insync.run.analysis import analyse, analyse_matrices
from insync.signals import interruptible
from insync.statistics import LEVEL

C = TypeVar("C", bound=Named)
MOST_PROBLEMS: Final = 20
USUAL: Final = frozenset(
    {"isr_shrinks", "min_isr_size", "under_min_isr_ms", "max_ack_gap_ms", "p99_ms", "lost"}
)
"""The metrics whose statistics a run shows here; the report has all."""


def run_campaign(
    campaign: Campaign[C], options: Options, shown: Callable[[Result, Path], Outcome]
) -> int:
    """Run a campaign, show its result, and return the exit code."""
    with interruptible(), TerminalProgress() as progress:
        folder = campaign_folder(campaign, options)
        try:
            result = run(campaign, replace(options, command=repeated()), progress, folder)
        except BaseException:  # also on Ctrl-C: what is done need not run again
            progress.stop()
            if is_campaign(folder):
                again = f"the same command with --out {folder} --resume"
                print(f"to continue: {again}", file=sys.stderr)
            raise
        progress.stop()
        return shown(result, folder).exit_code


def show_campaign(campaign: Campaign[C], options: Options, *, as_json: bool) -> int:
    """Run a campaign, show its checks, and return the exit code."""
    return run_campaign(
        campaign, options, partial(show_result, part=campaign.part, as_json=as_json)
    )


def show_result(result: Result, folder: Path, part: str, *, as_json: bool) -> Outcome:
    """Print the parts of a result, what is not as expected, the verdict, and the page's path.

    `as_json` prints the file besides. Returns the verdict.
    """
    console = results_console(as_json=as_json)
    show_checks(console, result, part)
    console.print(f"page: {escape(str(folder / REPORT))}", soft_wrap=True)
    if as_json:
        print((folder / VERDICT).read_text(encoding="utf-8"), end="")
    return result.outcome.verdict


def show_checks(console: Console, result: Result, part: str) -> None:
    """Print the children of a result, each a `part`, what is not as expected, and the verdict."""
    for table in (overview(result, part), *result.tables):
        console.print(drawn(table))
        if table.more:
            console.print(f"and {table.more} more rows")
    found = problems(result)
    for path, check in found[:MOST_PROBLEMS]:
        text = f"{check.outcome.mark} {', '.join(path)}: {check.reason}"
        console.print(escape(text), soft_wrap=True)
    if len(found) > MOST_PROBLEMS:
        console.print(f"and {len(found) - MOST_PROBLEMS} more checks")
    print_verdict(console, result.outcome.verdict, result.reason)


def analyse_and_show(
    runs: Sequence[Path],
    matrices: Sequence[Path],
    analysis: AnalysisOptions,
    progress: TerminalProgress,
    *,
    as_json: bool,
) -> int:
    """Analyse runs and matrices, print each as text or JSON, return the worst exit code.

    The JSON document of a run is its verdict, that of a matrix its list of cells; several are one
    array. If there are several, what cannot be analysed is named, and the others are analysed.
    """
    found, documents = list[Outcome](), list[Any]()
    console = results_console(as_json=as_json)
    if runs:
        verdicts = analyse(runs, analysis, progress)
        progress.stop()
        for folder, verdict in zip(runs, verdicts, strict=True):
            clusters = clusters_of(folder, load_run(folder), verdict.explained_by_data)
            show_verdict(console, verdict, folder, prune_data(clusters))
            found.append(verdict.verdict)
            documents.append(verdict.model_dump(mode="json"))
    for matrix in matrices:
        try:
            analyse_matrices([matrix], analysis, progress)
        except InsyncError as error:
            if len(runs) + len(matrices) == 1:
                raise
            print(f"insync: {error}", file=sys.stderr)
            found.append(Outcome.UNKNOWN)
            continue
        progress.stop()
        found.append(_show_matrix(console, matrix))
        documents.append(json.loads((matrix / CELLS).read_text(encoding="utf-8")))
    if as_json:
        print_json(documents if len(documents) != 1 else documents[0])
    return worst(found).exit_code


def analyse_below(
    parent: Path, analysis: AnalysisOptions, progress: TerminalProgress, *, as_json: bool
) -> int:
    """Analyse and print the runs and matrices below a folder; return the worst exit code.

    A run that cannot be read is named, and counts as unknown. Raises InputError if there is none.
    """
    found = find_results(parent)
    matrices = list(filter(is_matrix, found))
    runs = [each for each in found if each not in matrices and (each / RUN).is_file()]
    if not runs and not matrices:
        raise InputError(
            f"{parent}: not a run folder, expected {RUN} or {PLAN} in it or up to {LEVELS} folders"
            " below"
        )
    usable = []
    for folder in runs:
        try:
            load_run(folder)
            usable.append(folder)
        except InputError as error:
            print(f"insync: {error}", file=sys.stderr)
    code = analyse_and_show(usable, matrices, analysis, progress, as_json=as_json)
    return code if len(usable) == len(runs) else code or UNKNOWN


def show_matrix(matrix: Path, *, as_json: bool) -> Outcome:
    """Print the table of an analysed matrix, or its cells as JSON; return its outcome."""
    found = _show_matrix(results_console(as_json=as_json), matrix)
    if as_json:
        print((matrix / CELLS).read_text(encoding="utf-8"), end="")
    return found


def prune_data(clusters: Mapping[Path, bool]) -> list[Path]:
    """Remove the brokers' data of the clusters that nobody needs; return those that have data.

    `clusters` are the folders of their nodes, and whether their data may explain a finding.
    """
    nodes = {home: [each for each in home.glob("[0-9]*") if each.is_dir()] for home in clusters}
    for home, needed in clusters.items():
        for node in [] if needed else nodes[home]:
            remove_data(node)
    return [home for home in clusters if any(map(has_data, nodes[home]))]


def clusters_of(folder: Path, run: RunInfo, needed: Collection[str]) -> dict[Path, bool]:
    """Return the clusters of a run's arms, and whether their data is to be kept."""
    return {nodes_dir(folder, arm): run.keep_data or arm in needed for arm in run.arms}


def clusters_of_matrix(
    matrix: Path, runs: Collection[RunInfo], needed: Collection[tuple[str, str]]
) -> dict[Path, bool]:
    """Return the same of a matrix; `needed` has versions and arms.

    The scenarios of an arm share its clusters: `KAFKA/nodes/ARM`, `ARM-2`, and so on.
    """
    kept = any(run.keep_data for run in runs)
    return {
        home: kept or (kafka, arm) in needed
        for kafka, arm in dict.fromkeys((run.kafka, arm) for run in runs for arm in run.arms)
        for home in _homes(nodes_dir(matrix / kafka, arm))
    }


def _homes(first: Path) -> Iterator[Path]:
    """Return the folders of an arm's clusters, one after the other."""
    others = (first.with_name(f"{first.name}-{number}") for number in count(2))
    return takewhile(Path.is_dir, chain([first], others))


def show_verdict(
    console: Console, verdict: Verdict, folder: Path, kept: Sequence[Path] = ()
) -> None:
    """Print the arms, the verdict with its reason, the report's path, and where data is kept."""
    arms = side_by_side(verdict)
    title = f"{verdict.scenario} on Kafka {verdict.kafka}, times x {verdict.scale:g}"
    console.print(f"[bold]{escape(title)}[/]")
    console.print(drawn(arms.differ))
    if arms.equal.rows:
        console.print(f"{len(arms.equal.rows)} figures are equal in every arm")
    print_verdict(console, verdict.verdict, verdict.reason)
    console.print(f"report: {escape(str(folder / REPORT))}{_kept(kept)}", soft_wrap=True)
    if any(arm["repeats"] > 1 for arm in verdict.arms.values()):
        show_statistics(console, folder)


def _show_matrix(console: Console, matrix: Path) -> Outcome:
    """Print an analysed matrix; return its outcome."""
    failures = (each["failure"] for each in read_done(matrix).values())
    wrong = list(dict.fromkeys(each for each in failures if each is not None))
    cells = read_cells(matrix)
    folders = load_matrix(matrix).run_folders(matrix)
    runs = [load_run(each) for each in folders if (each / RUN).is_file()]
    needed = {(cell.kafka, cell.arm) for cell in cells if cell.outcome.is_problem}
    show_cells(console, cells, matrix, wrong, prune_data(clusters_of_matrix(matrix, runs, needed)))
    if any(cell.repeats > 1 for cell in cells):
        show_statistics(console, matrix, {metric for cell in cells for metric in cell.figures})
    return outcome(cells)


def show_cells(
    console: Console,
    cells: Sequence[Cell],
    folder: Path,
    wrong: Sequence[str],
    kept: Sequence[Path] = (),
) -> None:
    """Print tables, notes and outcome, the page's path, and where data is kept."""
    console.print(Markdown(markdown(cells)))
    for line in wrong:
        console.print(escape(line), soft_wrap=True)
    console.print(f"matrix: {escape(str(folder / PAGE))}{_kept(kept)}", soft_wrap=True)


def _kept(homes: Sequence[Path]) -> str:
    """Say in which folders the data of brokers is kept; empty if in none."""
    if not homes:
        return ""
    return f"; the brokers' data is kept in {', '.join(escape(str(home)) for home in homes)}"


def show_statistics(console: Console, folder: Path, metrics: Collection[str] = USUAL) -> None:
    """Print medians and differences of a run or a matrix whose cells have several repeats.

    They are of the named metrics, and of others in which an arm differs beyond noise.
    """
    from insync.analysis.tables.rows import read_parquet

    gold = folder / "tables" / "gold"
    rows = {
        name: read_parquet(sorted((gold / name).glob("*.parquet")))
        for name in ("medians", "differences")
    }
    clear = {row["metric"] for row in rows["differences"] if (row["p_holm"] or 1) <= LEVEL}
    for table in statistics_tables(rows, {*metrics, *clear}):
        console.print(drawn(table))


def drawn(shown: Shown) -> Table:
    """Return a table of a page as one for the terminal."""
    words = set(range(len(shown.columns))) - set(shown.numeric)
    rows = (list(map(escape, row)) for row in shown.rows)
    return text_table(" | ".join(shown.columns), rows, shown.title, words)
