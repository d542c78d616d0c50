"""The figures of the large picture as tables, for whoever cannot see it or wants the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from insync.report.tabular import NONE, Table, table
from insync.report.timeline.lane_bars import STATE_NAMES
from insync.report.timeline.lanes import tick_step
from insync.report.timeline.scenes import Scene
from insync.report.words import latency, members, number

_MOST_SLICES = 30
"""Rows into which a repeat's latency is cut."""


def isr_table(pictures: Sequence[Scene]) -> Table:
    """Return every stretch in which a partition's leader and ISR stood."""
    return table(
        "The in-sync replicas over time",
        "arm | repeat | partition | from, s | to, s | leader | ISR | state",
        (
            [
                scene.arm,
                number(scene.repeat),
                number(each.partition),
                f"{each.start_s:.2f}",
                f"{each.end_s:.2f}",
                "none" if each.leader < 0 else number(each.leader),
                members(each.isr),
                STATE_NAMES[each.state],
            ]
            for scene in pictures
            for each in scene.spans
        ),
        NONE,
        {0, 6, 7},
    )


def latency_table(pictures: Sequence[Scene]) -> Table:
    """Return the slowest ack of each slice of time, ms: a row per slice, a column per arm."""
    arms = list(dict.fromkeys(scene.arm for scene in pictures))
    repeats = sorted({scene.repeat for scene in pictures})
    step = tick_step(max((scene.length_s for scene in pictures), default=1.0), _MOST_SLICES)
    longest = max((scene.length_s for scene in pictures), default=0.0)
    edges = [count * step for count in range(int(longest / step) + 2)]
    drawn = {(scene.arm, scene.repeat): scene for scene in pictures}
    return table(
        "The slowest ack over time, ms",
        " | ".join(["repeat", "from, s", "to, s", *arms]),
        (
            [
                number(repeat),
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


def _slowest(scene: Scene | None, begin_s: float, end_s: float) -> float | None:
    """Return the slowest ack of a record due in a slice, of all partitions; None if none was."""
    points = scene.latency if scene is not None else ()
    own = (
        point.max_ms
        for point in points
        if point.partition is None and begin_s <= point.since_s < end_s
    )
    return max(own, default=None)
