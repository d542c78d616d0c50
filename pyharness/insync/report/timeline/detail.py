"""Computes the large picture of one repeat: for each arm its ISR lanes above its ack latency.

The page's template draws it as SVG that is as wide as the page: across it a unit is a millisecond,
so a zoom of the time axis is another view box. Names, marks and faults are positioned in percent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from insync.report.timeline.lanes import described, tick_step
from insync.report.timeline.latency_lines import Line, Scale, latency_lines, scale_of
from insync.report.timeline.timelines import LeaderChange, Shrink, Span, State, Timeline
from insync.report.timeline.wording import change_in_short, in_short
from insync.report.words import members, span

LANE = 30
"""The height of a lane with the gap below it, in pixels and in units of the picture."""

FILL = 22
"""The height of a lane whose ISR is full."""

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Bar:
    """A stretch of a lane in milliseconds, filled from its bottom to the share of the ISR."""

    x: int
    width: int
    y: int
    height: int
    state: State
    title: str


@dataclass(frozen=True)
class Lane:
    """A partition's lane: its name, its first leader, its top, its stretches."""

    name: str
    leader: str
    top: int
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Mark:
    """A shrink or a leader change at a time (ms), on a lane with its top at `top`."""

    at: int
    left: float
    top: int
    kind: str
    text: str


@dataclass(frozen=True)
class Band:
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
    lanes: tuple[Lane, ...]
    marks: tuple[Mark, ...]
    bands: tuple[Band, ...]
    lines: tuple[Line, ...]
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


def _lane(timeline: Timeline, number: int) -> Lane:
    own = [each for each in timeline.spans if each.partition == number]
    leader = "?" if not own else "none" if own[0].leader < 0 else str(own[0].leader)
    # Full stretches first: the outline of a short smaller one is drawn over them.
    bars = tuple(_bar(each) for each in sorted(own, key=lambda each: -each.share))
    return Lane(f"p{number}", f"leader {leader}", number * LANE, bars)


def _bar(each: Span) -> Bar:
    height = round(FILL * each.share)
    leader = f"leader {each.leader}" if each.leader >= 0 else "no leader"
    start, end = _ms(each.start_s), _ms(each.end_s)
    return Bar(
        x=start,
        width=max(end - start, 1),
        y=each.partition * LANE + FILL - height,
        height=height,
        state=each.state,
        title=f"{leader}, ISR {members(each.isr)} ({len(each.isr)} of {each.replicas})",
    )


def _mark(each: Shrink | LeaderChange, kind: str, text: str, length: int) -> Mark:
    at = _ms(each.at_s)
    return Mark(at, _percent(at, length), each.partition * LANE, kind, text)


def _bands(timeline: Timeline, length: int) -> list[Band]:
    found = []
    for number, fault in enumerate(timeline.faults):
        start, end = _ms(fault.start_s), _ms(fault.end_s)
        long = span((fault.end_s - fault.start_s) * 1e3)
        several = len(timeline.faults) > 1
        found.append(
            Band(
                start=start,
                end=end,
                left=_percent(start, length),
                width=_percent(end - start, length),
                letter=_LETTERS[number % len(_LETTERS)] if several else "",
                text=f"{fault.name}: {long}, from {fault.start_s:.1f} to {fault.end_s:.1f} s",
            )
        )
    return found
