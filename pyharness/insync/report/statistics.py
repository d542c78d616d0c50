"""Shows what repeats show together: the tables `medians` and `differences`, as text.

The analysis computes the figures (`analysis/tables/gold/compare.py`); here they are read from the
tables' rows and written. The pages and the console use the same functions.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from insync.arms import ARMS
from insync.metrics import METRICS
from insync.report.sections import table
from insync.report.timeline.timelines import Row, Rows
from insync.report.words import latency, number
from insync.result import Table

CELL = ("scenario", "kafka", "cluster", "scale")
"""What the rows of one cell share, except the arm."""


def statistics_tables(rows: Rows, metrics: Collection[str] = ()) -> list[Table]:
    """Return the tables of a page: medians, and differences from the control arms.

    There is none if no arm has more than one repeat. If `metrics` are named, it is only of them.
    """
    medians, differences = (
        [row for row in rows.get(name, ()) if not metrics or row["metric"] in metrics]
        for name in ("medians", "differences")
    )
    differences = [row for row in differences if row["pairs"]]
    if not any(row["repeats"] > 1 for row in medians):
        return []  # one repeat claims nothing
    return [_medians(medians), *([_differences(differences)] if differences else [])]


def _medians(medians: Sequence[Row]) -> Table:
    """Return a row per scenario and metric whose values differ, and a column per arm."""
    places = {arm: place for place, arm in enumerate(ARMS)}
    arms = sorted(
        {each["arm"] for each in medians}, key=lambda arm: (places.get(arm, len(ARMS)), arm)
    )
    found: dict[str, dict[str, Row]] = {}
    for each in _in_order(medians):
        found.setdefault(_name(each, medians), {})[each["arm"]] = each
    rows = [
        [name, *(_median(of_arm.get(arm)) for arm in arms)]
        for name, of_arm in found.items()
        if len({end for each in of_arm.values() for end in (each["least"], each["most"])}) > 1
    ]
    interval = _interval(medians)
    repeats = _range([each["repeats"] for each in medians])
    return table(
        f"Medians over repeats: median{interval} (least to most) of {repeats} repeats",
        " | ".join(["metric", *arms]),
        rows,
        "No metric differs between repeats or arms.",
        {0},
    )


def _differences(differences: Sequence[Row]) -> Table:
    """Return a row per comparison in which a pair differs; intervals and tests if there are any."""
    shown = [
        each
        for each in _in_order(differences)
        if (each["median_difference"], each["low"], each["high"])
        not in ((0, None, None), (0, 0, 0))
    ]
    tested = any(each["p_value"] is not None for each in shown)
    rows = [
        [
            _name(each, differences),
            f"{each['arm']} - {each['control']}",
            number(each["pairs"]),
            interval_text(each["median_difference"], each["low"], each["high"]),
            *([p_text(each["p_value"]), p_text(each["p_holm"])] if tested else []),
        ]
        for each in shown
    ]
    return table(
        f"Differences from control arms: {note(differences)}",
        f"metric | arms | pairs | median difference{_interval(shown)}"
        f"{' | p | p, Holm' if tested else ''}",
        rows,
        "No metric differs.",
        {0, 1},
    )


def _interval(rows: Sequence[Row]) -> str:
    return " [95 % interval]" if any(each["low"] is not None for each in rows) else ""


def note(differences: Sequence[Row]) -> str:
    """Say how many pairs there are, and how many there should be if they are too few."""
    pairs = _range([each["pairs"] for each in differences])
    needed = max(each["pairs_needed"] for each in differences)
    comparisons = max(each["comparisons"] for each in differences)
    most = max(each["pairs"] for each in differences)
    if most >= needed:
        return f"{pairs} pairs of repeats"
    said = f"{comparisons} comparisons" if comparisons != 1 else "one comparison"
    no = "too few for any interval or test" if most < 6 else "intervals, but few for the tests"
    return (
        f"{pairs} pairs of repeats, {no}; {needed} show a difference that every pair has,"
        f" over {said}"
    )


def _median(found: Row | None) -> str:
    """Write a median with its interval, if there is one, and its range."""
    if found is None:
        return number(None)
    median, low, high, least, most = (
        value_text(found[name]) for name in ("median", "low", "high", "least", "most")
    )
    ends = "" if found["low"] is None else f" [{low}; {high}]"
    same = found["least"] == found["most"]
    return f"{median}{ends}" + ("" if same else f" ({least} to {most})")


def interval_text(difference: float, low: float | None, high: float | None) -> str:
    ends = "" if low is None else f" [{_signed(low)}; {_signed(high)}]"
    return f"{_signed(difference)}{ends}"


def p_text(value: float | None) -> str:
    """Write a p-value; a dash if there was no test."""
    if value is None:
        return number(None)
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def label(metric: str) -> str:
    return METRICS[metric].label_with_unit or METRICS[metric].says if metric in METRICS else metric


def _in_order(found: Sequence[Row]) -> list[Row]:
    """Return rows by scenario and version as they are, then in the order of the metrics."""
    places = {name: place for place, name in enumerate(METRICS)}
    cells = list(dict.fromkeys(map(_cell, found)))
    return sorted(
        found, key=lambda each: (cells.index(_cell(each)), places.get(each["metric"], len(places)))
    )


def _cell(each: Row) -> tuple[object, ...]:
    return tuple(each[name] for name in CELL)


def _name(each: Row, of_all: Sequence[Row]) -> str:
    """Return the metric, after the scenario and the version where the rows differ in them."""
    parts = [each["scenario"]] if len({row["scenario"] for row in of_all}) > 1 else []
    parts += [f"Kafka {each['kafka']}"] if len({row["kafka"] for row in of_all}) > 1 else []
    metric = label(each["metric"])
    return f"{', '.join(parts)}: {metric}" if parts else metric


def _range(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"


def value_text(value: float | None) -> str:
    """Write a figure: whole, or with a decimal if it is small; a dash if there is none."""
    if value is None or value == int(value):
        return number(value)
    return latency(value)


def _signed(value: float | None) -> str:
    if not value:
        return value_text(value)
    sign = "+" if value > 0 else "\N{MINUS SIGN}"
    return f"{sign}{value_text(abs(value))}"
