"""Print the result of a verification: its levels, and every check that is not as expected."""

from pathlib import Path
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from insync.cli.output import painted, print_verdict, results_console
from insync.events.schema import REPORT
from insync.events.verify_info import SUMMARY, VerifyInfo
from insync.report.verify.summary import counts, minutes, odd_rows

MOST_ROWS: Final = 20


def show_verification(info: VerifyInfo, folder: Path, *, as_json: bool) -> None:
    """Print the levels, what failed or is unknown, the verdict, and where the page is."""
    console = results_console(as_json=as_json)
    title = f"{info.asked.candidate.words}, beside {info.asked.baseline.words}"
    table = Table(title=escape(title), title_justify="left", box=SIMPLE_HEAD, pad_edge=False)
    for name in ("level", "outcome"):
        table.add_column(name)
    for name in ("passed", "failed", "unknown", "observed", "time"):
        table.add_column(name, justify="right")
    for each in info.levels:
        mark = painted(each.outcome, each.outcome.mark)
        table.add_row(each.level, mark, *map(str, counts(each)), minutes(each.took_s))
    console.print(table)
    rows = odd_rows(info)
    for level, row in rows[:MOST_ROWS]:
        words = f"{row.outcome.mark} {level.level}, {row.of}: {row.why or row.check}"
        console.print(escape(words), soft_wrap=True)
    if len(rows) > MOST_ROWS:
        console.print(f"{len(rows) - MOST_ROWS} more are in the page")
    print_verdict(console, info.verdict, info.reason)
    places = f"page: {folder / REPORT}; for a pull request: {folder / SUMMARY}"
    console.print(escape(places), soft_wrap=True)
