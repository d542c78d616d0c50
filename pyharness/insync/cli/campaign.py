"""Run the campaign of a command, show its result, and say after an interrupt how it continues."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from rich.markup import escape

from insync.cli.output import TerminalProgress, print_verdict, results_console
from insync.cli.results import drawn
from insync.engine.campaign import Campaign, Named, Options, campaign_folder, is_campaign
from insync.engine.campaign import run_campaign as run
from insync.events.schema import REPORT, VERDICT
from insync.outcome import Outcome
from insync.report.result_page import Words, overview, problems
from insync.result import Result
from insync.signals import interruptible

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
