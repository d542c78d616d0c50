"""Print the results of a fuzz on the terminal: arms, findings, reduced scenarios."""

from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from insync.cli.output import print_verdict, results_console
from insync.events.fuzz_info import PAGE, FuzzInfo
from insync.outcome import Outcome
from insync.report.fuzz_page import arms_table, headline, reduced_words, words_of


def show_fuzz(info: FuzzInfo, folder: Path, *, as_json: bool) -> None:
    """Print what was found; a reduced scenario is printed as its file, to be run again."""
    console = results_console(as_json=as_json)
    found = arms_table(info)
    table = Table(title=f"Kafka {info.asked.kafka}", title_justify="left", box=SIMPLE_HEAD)
    for number, name in enumerate(found.columns):
        table.add_column(name, justify="right" if number in found.numeric else "left")
    for row in found.rows:
        table.add_row(*map(str, row))
    console.print(table)
    for seed in info.seeds:
        for arm, result in seed.arms.items():
            if result.outcome != Outcome.PASS:
                _say(console, f"seed {seed.seed}, {arm}: {result.outcome}: {words_of(result)}")
    for each in info.reduced:
        _say(console, f"seed {each.seed}, {each.arm}, {each.of}: {reduced_words(each)}")
        if each.file is not None:
            file = folder / each.file
            _say(console, f"# insync run {file}\n{file.read_text(encoding='utf-8')}")
    print_verdict(console, info.outcome, headline(info))
    _say(console, f"page: {folder / PAGE}")


def _say(console: Console, text: str) -> None:
    console.print(escape(text), soft_wrap=True)
