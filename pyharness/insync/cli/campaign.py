"""Run the campaign of a command, show its result, and say after an interrupt how it continues."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from insync.cli.progress import TerminalProgress
from insync.engine.campaign import Campaign, Named, Options, campaign_folder, is_campaign
from insync.engine.campaign import run_campaign as run
from insync.outcome import Outcome
from insync.result import Result
from insync.signals import interruptible

C = TypeVar("C", bound=Named)


def run_campaign(
    campaign: Campaign[C],
    options: Options,
    show: Callable[[Result, Path], Outcome],
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
        return show(result, folder).exit_code
