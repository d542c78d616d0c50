"""Makes the tables of results: arms side by side, expectations, every repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from insync.events.verdict import Verdict
from insync.metrics import METRICS, of_verdict
from insync.nodes import repeat_number
from insync.report.tabular import NONE, table
from insync.report.timeline.timelines import Row
from insync.report.words import number
from insync.result import Table


@dataclass(frozen=True)
class SideBySide:
    """The arms' figures: those in which they differ, and those that are equal in every arm."""

    differ: Table
    equal: Table

    @property
    def count(self) -> int:
        """How many figures there are."""
        return len(self.differ.rows) + len(self.equal.rows)


def side_by_side(verdict: Verdict) -> SideBySide:
    """Return a row per metric and a column per arm: the median of its repeats and their range."""
    arms = list(verdict.arms)
    rows = [
        [
            METRICS[metric].label_with_unit,
            *(_over_repeats(verdict.arms[arm][metric]) for arm in arms),
        ]
        for metric in shown(verdict)
    ]
    several = any(found["repeats"] > 1 for found in verdict.arms.values())
    title = "Arms side by side" + (": median of the repeats (least to most)" if several else "")
    equal = [row for row in rows if len(arms) > 1 and len(set(row[1:])) == 1]
    apart = [row for row in rows if row not in equal]
    columns = " | ".join(["metric", *arms])
    return SideBySide(
        differ=table(title, columns, apart, "No figure differs.", {0}),
        equal=table("Figures that are equal in every arm", columns, equal, NONE, {0}),
    )


def shown(verdict: Verdict) -> list[str]:
    """Return the metrics that some repeat of some arm has: few runs have transactions."""
    return [
        name
        for name in of_verdict()
        if any(value is not None for arm in verdict.arms.values() for value in arm[name])
    ]


def _over_repeats(values: Sequence[float | None]) -> str:
    """Write the median and the range of the known values, and how many are not known."""
    known = [value for value in values if value is not None]
    if not known:
        return number(None)
    missing = len(values) - len(known)
    least, most = min(known), max(known)
    span = "" if least == most else f" ({number(least)} to {number(most)})"
    return f"{number(median(known))}{span}" + (f", {missing} not known" if missing else "")


def expectations(verdict: Verdict) -> Table:
    """Return a row per expectation: what the verdict rests on."""
    return table(
        "Expectations and findings",
        "arm | expected | outcome | found",
        (
            [each.arm or "all", each.expected, each.outcome.mark, each.words]
            for each in verdict.findings
        ),
        NONE,
        {0, 1, 2, 3},
    )


def results(verdict: Verdict) -> Table:
    """Return a row per arm and repeat, with the metrics that the verdict rests on."""
    rows = []
    names = shown(verdict)
    for arm, found in verdict.arms.items():
        longest = _longest_delays(found["evidence"], found["repeats"])
        errors = found["agent_errors"] or [None] * found["repeats"]
        for repeat in range(found["repeats"]):
            metrics = [number(found[metric][repeat]) for metric in names]
            rows.append(
                [arm, str(repeat_number(repeat)), *metrics, longest[repeat], number(errors[repeat])]
            )
    return table(
        "Every repeat",
        f"arm | repeat | {' | '.join(METRICS[name].label_with_unit for name in names)}"
        " | longest delayed call, ms | agent errors",
        rows,
        NONE,
        {0},
    )


def _longest_delays(evidence: Sequence[Row], repeats: int) -> list[str]:
    """Return each repeat's longest delayed call, if all repeats have as many faults."""
    each, rest = divmod(len(evidence), repeats)
    if not each or rest:
        return [number(None)] * repeats
    return [
        number(max(row["longest_held_ms"] for row in evidence[n * each : (n + 1) * each]))
        for n in range(repeats)
    ]
