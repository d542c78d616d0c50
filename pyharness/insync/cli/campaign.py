"""Run the campaign of a command, show its result, and say after an interrupt how it continues."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from insync.cli.output import TerminalProgress, results_console
from insync.cli.results import show_result as show
from insync.cli.statistics import drawn
from insync.engine.campaign import Campaign, Named, Options, campaign_folder, is_campaign
from insync.engine.campaign import run_campaign as run
from insync.events.schema import REPORT, VERDICT
from insync.outcome import Outcome
from insync.report.result_page import Words
from insync.result import Result
from insync.signals import interruptible

C = TypeVar("C", bound=Named)


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


def show_result(found: Result, words: Words, folder: Path, *, as_json: bool) -> Outcome:
    """Print a result, and its file as well `as_json`; return the verdict."""
    console = results_console(as_json=as_json)
    for table in found.tables:
        console.print(drawn(table))
    show(console, found, words, folder / REPORT)
    if as_json:
        print((folder / VERDICT).read_text(encoding="utf-8"), end="")
    return found.outcome.verdict
