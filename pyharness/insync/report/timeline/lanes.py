"""Computes the overview: one small picture per arm and repeat, a lane per partition.

The page's template draws the coordinates as SVG. All pictures share one time axis, so that
arms and repeats can be compared by eye.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from insync.nodes import repeat_words
from insync.report.timeline.timelines import (
    IsrSpan,
    State,
    Timeline,
    Wait,
    change_in_short,
    in_short,
    wait_in_short,
)
from insync.report.words import members


def centred(start: float, end: float, text: str, per_letter: float) -> tuple[float, float]:
    """Return where a label begins and ends that is centred between two positions."""
    middle, half = (start + end) / 2, len(text) * per_letter / 2
    return middle - half, middle + half


def levels(extents: Sequence[tuple[float, float]]) -> list[int]:
    """Return a level for each label, from 0; no two that overlap are on the same."""
    taken: list[list[tuple[float, float]]] = []
    found = []
    for begin, end in extents:
        free = (
            level
            for level, others in enumerate(taken)
            if all(end <= other[0] or other[1] <= begin for other in others)
        )
        level = next(free, len(taken))
        if level == len(taken):
            taken.append([])
        taken[level].append((begin, end))
        found.append(level)
    return found


WIDTH = 340.0
LEFT = 30.0
RIGHT = 14.0
LANE = 17.0
GAP = 13.0
_WAIT_GAP = 1.0
WAIT = 4.0
"""The height of the line below a lane that shows when its acks waited."""

TOP = 20.0
NAME_Y = 9.0
AXIS = 18.0
LABEL = 10.0
_LETTER = 5.4
"""About how wide a letter of a fault's name is."""

LEAST_WIDTH = 2.5
"""The least width of a stretch of a smaller ISR, which must stay visible."""


@dataclass(frozen=True)
class Bar:
    """A stretch of one lane: its position, and how high the ISR fills it."""

    x: float
    y: float
    width: float
    filled_y: float
    filled: float
    state: State
    title: str


@dataclass(frozen=True)
class Stretch:
    """A part of the line below a lane, `WAIT` high: there acks waited."""

    x: float
    y: float
    width: float
    title: str


@dataclass(frozen=True)
class Mark:
    """A text, a tick, the arrow of a shrink or the mark of a leader change."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Band:
    """The time of a fault, over the whole height; its name is centred at `name_x`, `name_y`."""

    x: float
    width: float
    title: str
    name_x: float
    name_y: float


@dataclass(frozen=True)
class SmallPicture:
    """One small picture with all coordinates; the lanes begin at `top`.

    `words` describe what it shows.
    """

    arm: str
    repeat: int
    height: float
    top: float
    bottom: float
    bars: tuple[Bar, ...]
    waits: tuple[Stretch, ...]
    names: tuple[Mark, ...]
    arrows: tuple[Mark, ...]
    changes: tuple[Mark, ...]
    ticks: tuple[Mark, ...]
    faults: tuple[Band, ...]
    words: str


def cells(pictures: Sequence[Timeline]) -> list[SmallPicture]:
    """Return a picture per timeline, all on the time axis of the longest."""
    longest = max((timeline.length_s for timeline in pictures), default=1.0) or 1.0
    return [_cell(timeline, longest) for timeline in pictures]


def tick_step(length_s: float, most: int = 6) -> float:
    """Return a round distance between ticks, so that at most `most` of them fit."""
    step = 0.001
    while length_s / step > most:
        for factor in (2.0, 2.5, 2.0):
            step *= factor
            if length_s / step <= most:
                break
    return step


def _cell(timeline: Timeline, longest: float) -> SmallPicture:
    lanes = max((span.partition + 1 for span in timeline.spans), default=1)
    per_s = (WIDTH - LEFT - RIGHT) / longest

    def x(at_s: float) -> float:
        return LEFT + at_s * per_s

    step = tick_step(longest)
    bands = _bands(timeline, x)
    top = TOP + max((band.name_y for band in bands), default=NAME_Y) - NAME_Y

    def top_of(lane: int) -> float:
        return top + lane * (LANE + GAP)

    bottom = top_of(lanes) - GAP + _WAIT_GAP + WAIT + 3
    return SmallPicture(
        arm=timeline.arm,
        repeat=timeline.repeat,
        height=bottom + AXIS,
        top=top,
        bottom=bottom,
        bars=tuple(
            _bar(span, x(span.start_s), x(span.end_s), top_of(span.partition))
            # A widened smaller stretch is drawn over full ones.
            for span in sorted(timeline.spans, key=lambda span: -span.share)
        ),
        waits=tuple(
            _wait(wait, x(wait.start_s), x(wait.end_s), top_of(wait.partition))
            for wait in timeline.waits
        ),
        names=tuple(Mark(0, top_of(lane) + LANE - 4, f"p{lane}") for lane in range(lanes)),
        arrows=tuple(
            Mark(x(shrink.at_s), top_of(shrink.partition), in_short(shrink))
            for shrink in timeline.shrinks
        ),
        changes=tuple(
            Mark(x(change.at_s), top_of(change.partition), change_in_short(change))
            for change in timeline.changes
        ),
        ticks=tuple(
            Mark(x(count * step), bottom, f"{count * step:g}")
            for count in range(int(longest / step) + 1)
        ),
        faults=bands,
        words=described(timeline),
    )


def described(timeline: Timeline) -> str:
    """Describe a repeat's picture: its faults, waits for acks, shrinks and leader changes."""
    parts = [
        *(
            f"{fault.name} from {fault.start_s:.1f} to {fault.end_s:.1f} s"
            for fault in timeline.faults
        ),
        *(wait_in_short(each) for each in timeline.waits),
        *(f"partition {each.partition}: {in_short(each)}" for each in timeline.shrinks),
        *(f"partition {each.partition}: {change_in_short(each)}" for each in timeline.changes),
    ]
    nothing = [] if timeline.shrinks else ["no ISR shrink"]
    return f"{timeline.arm}, {repeat_words(timeline.repeat)}: " + "; ".join([*parts, *nothing])


def _bands(timeline: Timeline, x: Callable[[float], float]) -> tuple[Band, ...]:
    spans = [(x(fault.start_s), x(fault.end_s), fault.name) for fault in timeline.faults]
    middles = [inside((start + end) / 2, name) for start, end, name in spans]
    places = [
        centred(at, at, name, _LETTER) for at, (_, _, name) in zip(middles, spans, strict=True)
    ]
    return tuple(
        Band(start, end - start, name, at, NAME_Y + LABEL * level)
        for (start, end, name), at, level in zip(spans, middles, levels(places), strict=True)
    )


def inside(middle: float, name: str) -> float:
    """Return the place of a name's middle that is nearest to `middle` with the name inside."""
    half = len(name) * _LETTER / 2
    return max(half, min(middle, WIDTH - half))


def _wait(wait: Wait, left: float, right: float, top: float) -> Stretch:
    width = max(right - left, LEAST_WIDTH)
    return Stretch(left, top + LANE + _WAIT_GAP, width, wait_in_short(wait))


def _bar(span: IsrSpan, left: float, right: float, top: float) -> Bar:
    least = 0.0 if span.state == "full" else LEAST_WIDTH
    height = LANE * span.share
    leader = "no leader" if span.leader < 0 else f"leader {span.leader}"
    return Bar(
        x=left,
        y=top,
        width=max(right - left, least),
        filled_y=top + LANE - height,
        filled=height,
        state=span.state,
        title=(
            f"partition {span.partition}, {leader}, ISR {members(span.isr)}, "
            f"{span.start_s:.2f} to {span.end_s:.2f} s"
        ),
    )
