"""Print the result of a soak on the terminal."""

from pathlib import Path

from rich.console import Console
from rich.markup import escape

from insync.cli.output import painted, print_verdict
from insync.events.soak_info import PAGE, SoakInfo
from insync.outcome import Outcome


def show(console: Console, info: SoakInfo, folder: Path) -> None:
    """Print the checks that are not passed, the verdict, and where the page is."""
    for check in info.checks:
        if check.outcome != Outcome.PASS:
            console.print(f"{painted(check.outcome, check.outcome)}: {escape(check.words)}")
    passed = sum(check.outcome == Outcome.PASS for check in info.checks)
    console.print(f"{passed} of {len(info.checks)} checks passed")
    console.print(
        f"{info.fetches:,} fetches of followers, {info.fetches_per_s:,.0f} a second;"
        f" {info.records:,} records acked"
    )
    print_verdict(console, info.verdict, info.reason)
    console.print(f"soak: {escape(str(folder / PAGE))}", soft_wrap=True)
