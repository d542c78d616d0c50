"""Print the results of Kafka's tests on the terminal: classes by arms, and what differs."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from insync.cli.output import print_verdict
from insync.kafka_tests.judge import Row, TestsResult

_NOTED: Final = 20


def show_tests(console: Console, result: TestsResult, out: Path) -> None:
    """Print classes by arms, what differs, the verdict and where the results are."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column(f"Kafka {escape(result.kafka)}: tests")
    sides = [arm.name for arm in result.arms]
    for side in sides:
        table.add_column(side, justify="right")
    for name in dict.fromkeys(row.name for row in result.rows):
        by_side = {row.arm: row for row in result.rows if row.name == name}
        cells = [_cell([by_side[side]] if side in by_side else []) for side in sides]
        table.add_row(name.rpartition(".")[2], *cells)
    totals = [[row for row in result.rows if row.arm == side] for side in sides]
    table.add_row("all", *(_cell(rows) for rows in totals))
    table.add_row("CPU s", *(f"{sum(row.cpu_seconds for row in rows):.0f}" for rows in totals))
    console.print(table)
    for arm in result.arms:
        for problem in arm.problems[:_NOTED]:
            console.print(escape(f"{arm.name}: {problem}"), soft_wrap=True)
    for side, found in result.differences.items():
        for each in (each for each in found if each.kind != "different"):
            why = each.reason or f"{each.outcomes[0]}, then {', '.join(each.outcomes[1:])}"
            console.print(escape(f"{side}: {each.kind}: {each.test}: {why}"), soft_wrap=True)
    took = f"{result.seconds:.0f} s, {result.cpu_seconds:.0f} CPU s"
    print_verdict(console, result.verdict, f"{result.reason}; {took}: {out}")


def _cell(rows: Sequence[Row]) -> str:
    """Return how many tests passed, and how many did not or differ."""
    if not rows:
        return "-"
    words = [f"{sum(row.passed for row in rows)}"]
    for key in ("failed", "skipped", "flaky", "known", "different"):
        number = sum(getattr(row, key) for row in rows)
        words += [f"{number} {key}"] if number else []
    return ", ".join(words)
