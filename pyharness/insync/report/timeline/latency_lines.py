"""Computes the lines of ack latency over time: the slowest ack of each bin, and the median.

Partitions led by a broker with a fault have a line of their own: a stall delays their acks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log10
from typing import Literal

from insync.report.timeline.timelines import LatencyPoint, Timeline
from insync.report.words import number

Point = tuple[float, float, float]
"""The start and the length of a bin (s), and its value (ms)."""

Kind = Literal["own", "others", "median"]

HEIGHT = 1000
"""The height of the picture of the latency, in its units."""

_GAP_BINS = 6
"""So many bins without an ack interrupt a line: there is no latency to draw."""

_LEAST_MS = 0.1
"""The bottom of the logarithmic axis at its lowest: the clocks are no finer."""


@dataclass(frozen=True)
class Scale:
    """A logarithmic axis from `bottom` to `top`, both powers of ten of a millisecond."""

    bottom: int
    top: int

    def y(self, value_ms: float) -> int:
        """Return how far below the top of the picture a latency is."""
        at = log10(max(value_ms, 10.0**self.bottom))
        return round(HEIGHT * (self.top - at) / (self.top - self.bottom))

    @property
    def decades(self) -> list[tuple[int, str]]:
        """The powers of ten on the axis: the place and the text of each."""
        powers = range(self.bottom, self.top + 1)
        return [(self.y(10.0**power), _written(10.0**power)) for power in powers]


@dataclass(frozen=True)
class Line:
    """One line: its name, its kind, which decides how it is drawn, and its path in SVG."""

    name: str
    kind: Kind
    path: str


def scale_of(arms: Sequence[Timeline]) -> Scale:
    """Return the axis on which all latencies of some timelines fit."""
    points = [point for timeline in arms for point in timeline.latency]
    lowest = min((point.p50_ms for point in points), default=1.0)
    highest = max((point.max_ms for point in points), default=1.0)
    bottom = max(round(log10(_LEAST_MS)), int(log10(max(lowest, _LEAST_MS)) // 1))
    return Scale(bottom, max(bottom + 1, ceil(log10(max(highest, _LEAST_MS)))))


def latency_lines(timeline: Timeline, scale: Scale) -> list[Line]:
    """Return the lines of one repeat, without empty ones."""
    faulted = _led_by(timeline, {fault.broker for fault in timeline.faults})
    own = [point for point in timeline.latency if point.partition in faulted]
    others = [
        point
        for point in timeline.latency
        if point.partition is not None and point.partition not in faulted
    ]
    everything = [point for point in timeline.latency if point.partition is None]
    rest = "slowest ack, other partitions" if faulted else "slowest ack"
    lines: tuple[tuple[str, Kind, list[Point]], ...] = (
        ("slowest ack, stalled leader's partitions", "own", _slowest(own)),
        (rest, "others", _slowest(others)),
        ("median ack", "median", [(p.since_s, p.bin_s, p.p50_ms) for p in everything]),
    )
    return [Line(name, kind, _path(points, scale)) for name, kind, points in lines if points]


def _led_by(timeline: Timeline, brokers: set[int]) -> set[int]:
    return {span.partition for span in timeline.spans if span.leader in brokers}


def _slowest(points: Iterable[LatencyPoint]) -> list[Point]:
    """Return the slowest point of each bin, over several partitions."""
    worst: dict[float, tuple[float, float]] = {}
    for point in points:
        known = worst.get(point.since_s)
        if known is None or point.max_ms > known[1]:
            worst[point.since_s] = (point.bin_s, point.max_ms)
    return [(since, *worst[since]) for since in sorted(worst)]


def _path(points: Sequence[Point], scale: Scale) -> str:
    """Write a line: each stretch begins at its place, then come the steps from point to point."""
    text = ""
    for stretch in _stretches(points):
        places = [(round((at + bin_s / 2) * 1e3), scale.y(ms)) for at, bin_s, ms in stretch]
        steps = [f"{x - x0} {y - y0}" for (x0, y0), (x, y) in pairwise(places)]
        # A stretch of one point is a dot: a line of no length with round ends.
        text += f"M{places[0][0]} {places[0][1]}l{' '.join(steps) or '0 0'}".replace(" -", "-")
    return text


def _stretches(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Yield the points between gaps: many bins in a row without an ack."""
    stretch: list[Point] = []
    for point in points:
        if stretch and point[0] - stretch[-1][0] > _GAP_BINS * point[1]:
            yield stretch
            stretch = []
        stretch.append(point)
    if stretch:
        yield stretch


def _written(value_ms: float) -> str:
    return number(value_ms) if value_ms >= 1 else f"{value_ms:g}"
