"""Makes tables of the numbers in the large picture, for readers who cannot see it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from insync.nodes import repeat_number
from insync.report.tabular import NONE, table
from insync.report.timeline.lanes import tick_step
from insync.report.timeline.timelines import STATE_NAMES, Timeline
from insync.report.words import latency, members, number
from insync.result import Table

_MOST_SLICES = 30
"""The most rows that a repeat's latency is divided into."""


def isr_table(pictures: Sequence[Timeline]) -> Table:
    """Return every stretch in which a partition's leader and ISR did not change."""
    return table(
        "The in-sync replicas over time",
        "arm | repeat | partition | from, s | to, s | leader | ISR | state",
        (
            [
                timeline.arm,
                str(repeat_number(timeline.repeat)),
                number(each.partition),
                f"{each.start_s:.2f}",
                f"{each.end_s:.2f}",
                "none" if each.leader < 0 else number(each.leader),
                members(each.isr),
                STATE_NAMES[each.state],
            ]
            for timeline in pictures
            for each in timeline.spans
        ),
        NONE,
        {0, 6, 7},
    )


def latency_table(pictures: Sequence[Timeline]) -> Table:
    """Return the slowest ack (ms) of each slice of time: a row per slice, a column per arm."""
    arms = list(dict.fromkeys(timeline.arm for timeline in pictures))
    repeats = sorted({timeline.repeat for timeline in pictures})
    step = tick_step(max((timeline.length_s for timeline in pictures), default=1.0), _MOST_SLICES)
    longest = max((timeline.length_s for timeline in pictures), default=0.0)
    edges = [count * step for count in range(int(longest / step) + 2)]
    drawn = {(timeline.arm, timeline.repeat): timeline for timeline in pictures}
    return table(
        "The slowest ack over time, ms",
        " | ".join(["repeat", "from, s", "to, s", *arms]),
        (
            [
                str(repeat_number(repeat)),
                f"{begin:g}",
                f"{end:g}",
                *(latency(_slowest(drawn.get((arm, repeat)), begin, end)) for arm in arms),
            ]
            for repeat in repeats
            for begin, end in pairwise(edges)
        ),
        NONE,
        set(),
    )


def _slowest(timeline: Timeline | None, begin_s: float, end_s: float) -> float | None:
    """Return the slowest ack of the records due in a slice; None without any."""
    points = timeline.latency if timeline is not None else ()
    own = (
        point.max_ms
        for point in points
        if point.partition is None and begin_s <= point.since_s < end_s
    )
    return max(own, default=None)
