"""Draws ack latency over time as plotly lines: the slowest ack of each bin, and the median.

Partitions led by a broker with a fault have a line of their own: a stall delays their acks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from insync.report.timeline.timelines import LatencyPoint, Timeline

Json = dict[str, Any]
Point = tuple[float, float, float]
"""The start and the length of a bin (s), and its value (ms)."""

_MEDIAN = "median ack"
"""Hidden until chosen: with few acks in a bin it jumps between stalled and other partitions."""

_DASHES = {"--fault-ink": "solid", "--others": "dash", "--muted": "dot"}
"""The dashes of each colour, so that lines differ in more than colour."""

_GAP_BINS = 6
"""So many bins without an ack interrupt a line: there is no latency to draw."""

_LEAST_MS = 0.1
"""The bottom of the logarithmic axis: the clocks are no finer."""


def latency_lines(timeline: Timeline, axis: str, *, legend: bool) -> list[Json]:
    """Return the lines of one repeat on the y axis `axis`, without empty ones."""
    faulted = _led_by(timeline, {fault.broker for fault in timeline.faults})
    own = [point for point in timeline.latency if point.partition in faulted]
    others = [
        point
        for point in timeline.latency
        if point.partition is not None and point.partition not in faulted
    ]
    everything = [point for point in timeline.latency if point.partition is None]
    rest = "slowest ack, other partitions" if faulted else "slowest ack"
    lines = (
        ("slowest ack, stalled leader's partitions", "--fault-ink", _slowest(own)),
        (rest, "--others", _slowest(others)),
        (_MEDIAN, "--muted", [(p.since_s, p.bin_s, p.p50_ms) for p in everything]),
    )
    return [
        _line(name, colour, points, axis, legend=legend) for name, colour, points in lines if points
    ]


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


def _line(name: str, colour: str, points: list[Point], axis: str, *, legend: bool) -> Json:
    xs, ys = zip(*_with_breaks(points), strict=True)
    return {
        "type": "scatter",
        "mode": "lines",
        "xaxis": "x",
        "yaxis": axis,
        "name": name,
        "legendgroup": name,
        "showlegend": legend,
        "x": xs,
        "y": ys,
        "connectgaps": False,
        "line": {"color": colour, "width": 1.6, "dash": _DASHES[colour]},
        "meta": "median" if name == _MEDIAN else "slowest",
        "visible": name != _MEDIAN,
        "hovertemplate": "due at %{x:.2f} s: %{y:,.1f} ms<extra>" + name + "</extra>",
    }


def _with_breaks(points: list[Point]) -> Iterator[tuple[float, float | None]]:
    """Yield (s, ms), with a gap where many bins in a row have no ack."""
    before: float | None = None
    for since, width, value in points:
        if before is not None and since - before > _GAP_BINS * width:
            yield round(before + width, 4), None
        yield round(since + width / 2, 4), max(round(value, 2), _LEAST_MS)
        before = since
