"""Writes `soak.html`: the verdict of a soak, its checks, and every figure over time."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.events.soak_info import PAGE, Check, Sample, SoakInfo, by_broker
from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.report.page import says
from insync.report.render import asset, environment
from insync.result import Table

WIDTH: Final = 640
HEIGHT: Final = 150
LEFT: Final = 52
"""Units of a picture; the labels of the values are in the left part."""
MOST_POINTS: Final = 400
TITLES: Final = {
    "heap_mb": "Heap after a collection, MB",
    "threads": "Threads",
    "handles": "Open file descriptors",
    "pending": "Marks of pending fetches",
    "rate": "Fetches of followers per second",
}
"""The pictures: figures of a sample, and the rate of fetches."""


@dataclass(frozen=True)
class Line:
    """One broker in a picture; `points` are those of an SVG polyline."""

    broker: int
    points: str


@dataclass(frozen=True)
class Picture:
    """A figure of all brokers over time: from `low` to `high`, the warm-up up to `warm`."""

    title: str
    low: str
    high: str
    warm: float
    lines: Sequence[Line]
    words: str


def write_soak_page(folder: Path, info: SoakInfo, samples: Sequence[Sample]) -> Path:
    """Write `folder/soak.html` and return its path."""
    return write_atomic(folder / PAGE, render_soak(info, samples))


def render_soak(info: SoakInfo, samples: Sequence[Sample]) -> str:
    """Return the page as text."""
    return (
        environment()
        .get_template("soak.html.j2")
        .render(
            info=info,
            headline=headline(info),
            badge=(info.verdict.mark, info.reason),
            says=says(info.asked.arm),
            checks=_table(info.checks),
            pictures=pictures(info, samples),
            size=(WIDTH, HEIGHT, LEFT),
            facts=_facts(info),
            style=asset("page.css") + asset("soak.css"),
        )
    )


def headline(info: SoakInfo) -> str:
    """Return what a soak found, in one sentence without a full stop."""
    grows = {
        Outcome.PASS: "nothing grew",
        Outcome.FAIL: "a check failed",
        Outcome.UNKNOWN: "a check is open",
    }
    return (
        f"{info.fetches:,} fetches of followers in {info.measured_s / 60:.1f} min,"
        f" arm {info.asked.arm}: {grows[info.verdict]}"
    )


def pictures(info: SoakInfo, samples: Sequence[Sample]) -> list[Picture]:
    """Return the pictures of the figures that the samples have."""
    found = []
    brokers = by_broker(samples)
    for name, title in TITLES.items():
        series = {broker: _series(name, own) for broker, own in brokers.items()}
        if all(series.values()) and series:
            found.append(_picture(title, series, info))
    return found


def _series(name: str, own: Sequence[Sample]) -> list[tuple[float, float]]:
    """Return (seconds, value) of a broker; empty if it lacks the figure."""
    if name == "rate":
        pairs = itertools.pairwise(own)
        return [(b.t_s, (b.fetches - a.fetches) / max(b.t_s - a.t_s, 0.001)) for a, b in pairs]
    values = [(each.t_s, getattr(each, name)) for each in own]
    return [] if any(value is None for _, value in values) else values


def _picture(title: str, series: dict[int, list[tuple[float, float]]], info: SoakInfo) -> Picture:
    values = [value for line in series.values() for _, value in line]
    low, high = min(values), max(values)
    end = max(t for line in series.values() for t, _ in line)
    scale = high - low or 1.0

    def point(t: float, value: float) -> str:
        x = LEFT + (WIDTH - LEFT) * t / (end or 1.0)
        return f"{x:.1f},{HEIGHT - HEIGHT * (value - low) / scale:.1f}"

    lines = [
        Line(broker, " ".join(point(*each) for each in line[:: -(-len(line) // MOST_POINTS)]))
        for broker, line in series.items()
    ]
    warm = LEFT + (WIDTH - LEFT) * min(1.0, info.asked.warm_up_s / (end or 1.0))
    least, most = f"{low:,.6g}", f"{high:,.6g}"
    return Picture(title, least, most, warm, lines, f"{title}: {least} to {most}")


def _table(checks: Sequence[Check]) -> Table:
    rows = [(each.outcome, each.words) for each in checks]
    return Table(title="Checks", columns=("outcome", "what"), rows=rows)


def _facts(info: SoakInfo) -> list[tuple[str, str]]:
    asked = info.asked
    return [
        ("Kafka", asked.kafka),
        ("Java", asked.java),
        ("arm", asked.arm),
        ("time of disturbances", f"{info.measured_s / 60:.1f} of {asked.seconds / 60:g} min"),
        ("not judged, at the beginning", f"{asked.warm_up_s:g} s"),
        ("fetches of followers", f"{info.fetches:,}, {info.fetches_per_s:,.0f} a second"),
        ("records acked", f"{info.records:,}"),
        *((each.words, f"{each.times} times") for each in info.disturbances),
        ("agent's jar, SHA-256", (asked.agent or "none")[:16]),
        *((key, value) for key, value in asked.settings.items()),
    ]
