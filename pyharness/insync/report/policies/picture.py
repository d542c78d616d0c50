"""Computes the picture that compares lag policies: policies by situations, a lane per follower.

The page's template draws the coordinates as SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from insync.arms import policy_rows
from insync.report.matrix.cells import Grid, MatrixCell
from insync.report.policies.lanes import Lane, Standing, follower_lanes
from insync.report.policies.story import DEMANDS, SITUATIONS, Finding, Situation, finding
from insync.report.timeline.timelines import Timeline

LEFT = 178.0
TOP = 62.0
COLUMN = 186.0
GAP = 14.0
LANES = 56.0
"""The height of all lanes of a place together."""

ROW = 104.0
THIN = 0.36
"""The part of its lane that a follower in sync fills; one out of sync fills nearly all of it."""

LEAST_WIDTH = 2.4
"""The width of the shortest removal, which must stay visible."""

_ORDER: tuple[Standing, ...] = ("fine", "unnoticed", "noticed", "alarm")


@dataclass(frozen=True)
class Bar:
    """A stretch of a follower's lane."""

    x: float
    y: float
    width: float
    height: float
    standing: Standing
    title: str


@dataclass(frozen=True)
class Band:
    """The time of a fault in a place."""

    x: float
    width: float
    title: str


@dataclass(frozen=True)
class Place:
    """One policy in one situation, at its top left corner; `words` name both."""

    x: float
    y: float
    width: float
    bars: tuple[Bar, ...]
    bands: tuple[Band, ...]
    finding: Finding
    report: str | None
    words: str


@dataclass(frozen=True)
class Heading:
    """The title of a column or of a group of columns, centred at `x`."""

    x: float
    width: float
    text: str


@dataclass(frozen=True)
class PolicyPicture:
    """The picture with all coordinates; `rows` are the policies, each with the y of its row."""

    width: float
    height: float
    columns: tuple[Heading, ...]
    groups: tuple[Heading, ...]
    rows: tuple[tuple[float, str, str], ...]
    places: tuple[Place, ...]


def draw(grid: Grid, pictures: Mapping[str, Sequence[Timeline]]) -> PolicyPicture:
    """Draw a version's policies; `pictures` are the timelines of its runs, by scenario."""
    shown = [each for each in SITUATIONS if each.scenario in grid.rows]
    policies = policy_rows()
    arms = [arm for arm in policies if arm in grid.arms]
    columns = [Heading(_x(n) + COLUMN / 2, COLUMN, each.title) for n, each in enumerate(shown)]
    places = [
        _place(_x(column), _y(row), each, cell, pictures.get(each.scenario, ()))
        for row, arm in enumerate(arms)
        for column, each in enumerate(shown)
        if (cell := grid.rows[each.scenario].get(arm)) is not None
    ]
    return PolicyPicture(
        width=_x(len(shown)),
        height=_y(len(arms)),
        columns=tuple(columns),
        groups=tuple(_groups(shown)),
        rows=tuple(
            (_y(row), policies[arm].name, policies[arm].says) for row, arm in enumerate(arms)
        ),
        places=tuple(places),
    )


def _x(column: int) -> float:
    return LEFT + column * (COLUMN + GAP)


def _y(row: int) -> float:
    return TOP + row * ROW


def _groups(shown: Sequence[Situation]) -> list[Heading]:
    found = []
    for at_fault, members in groupby(enumerate(shown), key=lambda each: each[1].at_fault):
        numbers = [number for number, _ in members]
        left, right = _x(numbers[0]), _x(numbers[-1]) + COLUMN
        found.append(Heading((left + right) / 2, right - left, DEMANDS[at_fault]))
    return found


def _place(
    x: float,
    y: float,
    situation: Situation,
    cell: MatrixCell,
    timelines: Sequence[Timeline],
) -> Place:
    timeline = next((timeline for timeline in timelines if timeline.arm == cell.arm), None)
    bars, bands = ((), ()) if timeline is None else _drawn(timeline, x, y)
    words = f"{policy_rows()[cell.arm].name}, {situation.title}"
    return Place(x, y, COLUMN, bars, bands, finding(situation, cell), cell.link, words)


def _drawn(timeline: Timeline, left: float, top: float) -> tuple[tuple[Bar, ...], tuple[Band, ...]]:
    lanes = follower_lanes(timeline)
    per_s = COLUMN / (timeline.length_s or 1.0)
    height = LANES / max(len(lanes), 1)
    bars = [
        bar
        for number, lane in enumerate(lanes)
        for bar in _bars(lane, left, top + number * height, height, per_s)
    ]
    bands = [
        Band(left + fault.start_s * per_s, (fault.end_s - fault.start_s) * per_s, fault.name)
        for fault in timeline.faults
    ]
    # False alarms come last: a widened one is drawn over its neighbours.
    return tuple(sorted(bars, key=lambda bar: _ORDER.index(bar.standing))), tuple(bands)


def _bars(lane: Lane, left: float, top: float, height: float, per_s: float) -> list[Bar]:
    made = []
    for each in lane.stretches:
        inside = each.standing in ("fine", "unnoticed")
        thick = height * (THIN if inside else 0.86)
        width = (each.end_s - each.start_s) * per_s
        least = 0.0 if inside else LEAST_WIDTH
        made.append(
            Bar(
                x=left + min(each.start_s * per_s, COLUMN - least),
                y=top + (height - thick) / 2,
                width=max(width, least),
                height=thick,
                standing=each.standing,
                title=(
                    f"partition {lane.partition}, follower {lane.follower}:"
                    f" {each.start_s:.2f} to {each.end_s:.2f} s"
                ),
            )
        )
    return made
