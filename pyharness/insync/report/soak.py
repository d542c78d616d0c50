"""Draws the figures of a soak over time."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from insync.events.soak_info import SoakSample, by_broker
from insync.report.render import asset, environment

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
class SoakPlot:
    """A figure of all brokers over time: from `low` to `high`, the warm-up up to `warm`.

    `lines` has the points of each broker's SVG polyline.
    """

    title: str
    low: str
    high: str
    warm: float
    lines: Mapping[int, str]
    words: str


def pictures(samples: Sequence[SoakSample], warm_up_s: float) -> Markup:
    found = []
    brokers = by_broker(samples)
    for name, title in TITLES.items():
        series = {broker: _series(name, own) for broker, own in brokers.items()}
        if all(series.values()) and series:
            found.append(_picture(title, series, warm_up_s))
    template = environment().get_template("soak.html.j2")
    shown = template.render(pictures=found, size=(WIDTH, HEIGHT, LEFT), style=asset("soak.css"))
    return Markup(shown)  # noqa: S704  # rendered by a template, which escapes


def _series(name: str, own: Sequence[SoakSample]) -> list[tuple[float, float]]:
    """Return (seconds, value) of a broker; empty if it lacks the figure."""
    if name == "rate":
        pairs = itertools.pairwise(own)
        return [(b.t_s, (b.fetches - a.fetches) / max(b.t_s - a.t_s, 0.001)) for a, b in pairs]
    values = [(each.t_s, getattr(each, name)) for each in own]
    return [] if any(value is None for _, value in values) else values


def _picture(
    title: str, series: dict[int, list[tuple[float, float]]], warm_up_s: float
) -> SoakPlot:
    values = [value for line in series.values() for _, value in line]
    low, high = min(values), max(values)
    end = max(t for line in series.values() for t, _ in line)
    scale = high - low or 1.0

    def point(t: float, value: float) -> str:
        x = LEFT + (WIDTH - LEFT) * t / (end or 1.0)
        return f"{x:.1f},{HEIGHT - HEIGHT * (value - low) / scale:.1f}"

    lines = {
        broker: " ".join(point(*each) for each in line[:: -(-len(line) // MOST_POINTS)])
        for broker, line in series.items()
    }
    warm = LEFT + (WIDTH - LEFT) * min(1.0, warm_up_s / (end or 1.0))
    least, most = f"{low:,.6g}", f"{high:,.6g}"
    return SoakPlot(title, least, most, warm, lines, f"{title}: {least} to {most}")
