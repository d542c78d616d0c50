"""What came of the arms: side by side, by what was expected of them, and repeat by repeat."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from insync.report.judgement import Judgement
from insync.report.metrics import METRICS, shown
from insync.report.tabular import NONE, Table, table
from insync.report.timeline.scenes import Row
from insync.report.words import number

_MARKS = {"pass": "\u2713 held", "fail": "\u2717 broken", "unknown": "? proves nothing"}


def side_by_side(verdict: Judgement) -> Table:
    """Return a column per arm, a row per metric; of several repeats the median and the range."""
    arms = list(verdict.arms)
    rows = [
        [METRICS[metric], *(_over_repeats(verdict.arms[arm][metric]) for arm in arms)]
        for metric in shown(verdict)
    ]
    several = any(found["repeats"] > 1 for found in verdict.arms.values())
    title = "Arms side by side" + (": median of the repeats (least to most)" if several else "")
    return table(title, " | ".join(["metric", *arms]), rows, NONE, {0})


def _over_repeats(values: Sequence[float | None]) -> str:
    """Write the values of all repeats; some that are not known are told of."""
    known = [value for value in values if value is not None]
    if not known:
        return number(None)
    missing = len(values) - len(known)
    least, most = min(known), max(known)
    span = "" if least == most else f" ({number(least)} to {number(most)})"
    return f"{number(median(known))}{span}" + (f", {missing} not known" if missing else "")


def expectations(verdict: Judgement) -> Table:
    """Return all that the verdict rests on: a row per expectation of an arm."""
    return table(
        "What was expected, and what was found",
        "arm | expected | outcome | found",
        (
            [each.arm or "all", each.expected, _MARKS[each.outcome], each.found]
            for each in verdict.findings
        ),
        "The verdict was written by a version that did not list it.",
        {0, 1, 2, 3},
    )


def results(verdict: Judgement) -> Table:
    """Return a row per arm and repeat, with the metrics that the verdict rests on."""
    rows = []
    names = shown(verdict)
    for arm, found in verdict.arms.items():
        held = _held_longest(found["evidence"], found["repeats"])
        errors = found["agent_errors"] or [None] * found["repeats"]
        for repeat in range(found["repeats"]):
            metrics = [number(found[metric][repeat]) for metric in names]
            rows.append([arm, number(repeat), *metrics, held[repeat], number(errors[repeat])])
    return table(
        "Every repeat in figures",
        f"arm | repeat | {' | '.join(METRICS[name] for name in names)}"
        " | longest held call, ms | agent errors",
        rows,
        NONE,
        {0},
    )


def _held_longest(evidence: Sequence[Row], repeats: int) -> list[str]:
    """Per repeat the longest call a fault held, if each repeat has as many faults."""
    each, rest = divmod(len(evidence), repeats)
    if not each or rest:
        return [number(None)] * repeats
    return [
        number(max(row["longest_held_ms"] for row in evidence[n * each : (n + 1) * each]))
        for n in range(repeats)
    ]
