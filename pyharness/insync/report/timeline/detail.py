"""Computes the large picture of one repeat: for each arm its ISR lanes above its ack latency.

The page's template draws it as SVG that is as wide as the page: across it a unit is a millisecond,
so a zoom of the time axis is another view box. Names, marks and faults are positioned in percent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, log10
from typing import Literal

from insync.report.timeline.lanes import described, tick_step
from insync.report.timeline.timelines import (
    IsrSpan,
    LatencyPoint,
    LeaderChange,
    Shrink,
    State,
    Timeline,
    change_in_short,
    in_short,
)
from insync.report.words import members, number, span

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
        values = [10.0**power for power in range(self.bottom, self.top + 1)]
        return [(self.y(each), number(each) if each >= 1 else f"{each:g}") for each in values]


@dataclass(frozen=True)
class DetailLine:
    """One line: its name, its kind, which decides how it is drawn, and its path in SVG."""

    name: str
    kind: Kind
    path: str


def scale_of(arms: Sequence[Timeline]) -> Scale:
    points = [point for timeline in arms for point in timeline.latency]
    lowest = min((point.p50_ms for point in points), default=1.0)
    highest = max((point.max_ms for point in points), default=1.0)
    bottom = max(round(log10(_LEAST_MS)), int(log10(max(lowest, _LEAST_MS)) // 1))
    return Scale(bottom, max(bottom + 1, ceil(log10(max(highest, _LEAST_MS)))))


def latency_lines(timeline: Timeline, scale: Scale) -> list[DetailLine]:
    """Return the lines of one repeat, without empty ones.

    Partitions led by a broker with a fault have a line of their own: a stall delays their acks.
    """
    brokers = {fault.broker for fault in timeline.faults}
    faulted = {span.partition for span in timeline.spans if span.leader in brokers}
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
    return [DetailLine(name, kind, _path(points, scale)) for name, kind, points in lines if points]


def _slowest(points: Iterable[LatencyPoint]) -> list[Point]:
    """Return the slowest point of each bin, over several partitions."""
    worst: dict[float, tuple[float, float]] = {}
    for point in sorted(points, key=lambda each: each.max_ms):
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


LANE = 30
"""The height of a lane with the gap below it, in pixels and in units of the picture."""

FILL = 22
"""The height of a lane whose ISR is full."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class IsrBar:
    """A stretch of a lane in milliseconds, filled from its bottom to the share of the ISR."""

    x: int
    width: int
    y: int
    height: int
    state: State
    title: str


@dataclass(frozen=True)
class PartitionLane:
    """A partition's lane: its name, its first leader, its top, its stretches."""

    name: str
    leader: str
    top: int
    bars: tuple[IsrBar, ...]


@dataclass(frozen=True)
class ChangeMark:
    """A shrink or a leader change at a time (ms), on a lane with its top at `top`."""

    at: int
    left: float
    top: int
    kind: str
    text: str


@dataclass(frozen=True)
class FaultBand:
    """The time (ms) in which a fault acted; `letter` is its mark if there are several."""

    start: int
    end: int
    left: float
    width: float
    letter: str
    text: str


@dataclass(frozen=True)
class Chart:
    """The picture of one repeat of one arm; `words` describe it, `length` is in milliseconds."""

    arm: str
    complete: bool
    length: int
    height: int
    lanes: tuple[PartitionLane, ...]
    marks: tuple[ChangeMark, ...]
    bands: tuple[FaultBand, ...]
    lines: tuple[DetailLine, ...]
    scale: Scale
    words: str


@dataclass(frozen=True)
class Repeat:
    """One repeat of all arms, on one time axis; `ticks` are in seconds, with their place."""

    number: int
    length: int
    charts: tuple[Chart, ...]
    ticks: tuple[tuple[str, float], ...]


def in_full(drawn: Sequence[Timeline]) -> list[Repeat]:
    """Return every repeat of `drawn`, each with the arms that began it."""
    numbers = sorted({timeline.repeat for timeline in drawn})
    return [_repeat(n, [each for each in drawn if each.repeat == n]) for n in numbers]


def _repeat(number: int, arms: Sequence[Timeline]) -> Repeat:
    length = max(1, *(_ms(timeline.length_s) for timeline in arms))
    scale = scale_of(arms)
    step = tick_step(length / 1e3)
    count = int(length / 1e3 / step) + 1
    return Repeat(
        number=number,
        length=length,
        charts=tuple(_chart(timeline, length, scale) for timeline in arms),
        ticks=tuple((f"{n * step:g}", _percent(n * step * 1e3, length)) for n in range(count)),
    )


def _chart(timeline: Timeline, length: int, scale: Scale) -> Chart:
    count = max((each.partition + 1 for each in timeline.spans), default=1)
    return Chart(
        arm=timeline.arm,
        complete=timeline.complete,
        length=length,
        height=count * LANE,
        lanes=tuple(_lane(timeline, number) for number in range(count)),
        marks=(
            *(_mark(each, "shrink", in_short(each), length) for each in timeline.shrinks),
            *(_mark(each, "moved", change_in_short(each), length) for each in timeline.changes),
        ),
        bands=tuple(_bands(timeline, length)),
        lines=tuple(latency_lines(timeline, scale)),
        scale=scale,
        words=described(timeline),
    )


def _ms(at_s: float) -> int:
    return round(at_s * 1e3)


def _percent(at_ms: float, length: int) -> float:
    return round(100 * at_ms / length, 3)


def _lane(timeline: Timeline, number: int) -> PartitionLane:
    own = [each for each in timeline.spans if each.partition == number]
    leader = "?" if not own else "none" if own[0].leader < 0 else str(own[0].leader)
    # Full stretches first: the outline of a short smaller one is drawn over them.
    bars = tuple(_bar(each) for each in sorted(own, key=lambda each: -each.share))
    return PartitionLane(f"p{number}", f"leader {leader}", number * LANE, bars)


def _bar(each: IsrSpan) -> IsrBar:
    height = round(FILL * each.share)
    leader = f"leader {each.leader}" if each.leader >= 0 else "no leader"
    start, end = _ms(each.start_s), _ms(each.end_s)
    return IsrBar(
        x=start,
        width=max(end - start, 1),
        y=each.partition * LANE + FILL - height,
        height=height,
        state=each.state,
        title=f"{leader}, ISR {members(each.isr)} ({len(each.isr)} of {each.replicas})",
    )


def _mark(each: Shrink | LeaderChange, kind: str, text: str, length: int) -> ChangeMark:
    at = _ms(each.at_s)
    return ChangeMark(at, _percent(at, length), each.partition * LANE, kind, text)


def _bands(timeline: Timeline, length: int) -> list[FaultBand]:
    found = []
    for place, fault in enumerate(timeline.faults):
        start, end = _ms(fault.start_s), _ms(fault.end_s)
        long = span((fault.end_s - fault.start_s) * 1e3)
        several = len(timeline.faults) > 1
        found.append(
            FaultBand(
                start=start,
                end=end,
                left=_percent(start, length),
                width=_percent(end - start, length),
                letter=_LETTERS[place % len(_LETTERS)] if several else "",
                text=f"{fault.name}: {long}, from {fault.start_s:.1f} to {fault.end_s:.1f} s",
            )
        )
    return found
