"""Computes the pictures that compare lag policies: policies by situations, a lane per follower.

The page's template draws each as SVG inside a table.
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

WIDTH = 186.0
HEIGHT = 56.0
"""The height of all lanes of a place together."""

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
    """One policy in one situation: its picture, its finding, and the report of its arm."""

    bars: tuple[Bar, ...]
    bands: tuple[Band, ...]
    finding: Finding
    report: str | None


@dataclass(frozen=True)
class PolicyRow:
    """A policy, when a follower is out of sync by it, and its places; None: it was not run."""

    name: str
    says: str
    places: tuple[Place | None, ...]


@dataclass(frozen=True)
class PolicyPicture:
    """The pictures; `groups` are what situations demand, with how many columns do."""

    columns: tuple[str, ...]
    groups: tuple[tuple[str, int], ...]
    rows: tuple[PolicyRow, ...]


def draw(grid: Grid, pictures: Mapping[str, Sequence[Timeline]]) -> PolicyPicture:
    """Draw a version's policies; `pictures` are the timelines of its runs, by scenario."""
    shown = [each for each in SITUATIONS if each.scenario in grid.rows]
    rows = []
    for arm, policy in policy_rows().items():
        if arm in grid.arms:
            cells = [(each, grid.rows[each.scenario].get(arm)) for each in shown]
            places = tuple(
                None if cell is None else _place(each, cell, pictures.get(each.scenario, ()))
                for each, cell in cells
            )
            rows.append(PolicyRow(policy.name, policy.says, places))
    demands = groupby(each.at_fault for each in shown)
    return PolicyPicture(
        columns=tuple(each.title for each in shown),
        groups=tuple((DEMANDS[at_fault], len(list(members))) for at_fault, members in demands),
        rows=tuple(rows),
    )


def _place(situation: Situation, cell: MatrixCell, timelines: Sequence[Timeline]) -> Place:
    timeline = next((timeline for timeline in timelines if timeline.arm == cell.arm), None)
    bars, bands = ((), ()) if timeline is None else _drawn(timeline)
    return Place(bars, bands, finding(situation, cell), cell.link)


def _drawn(timeline: Timeline) -> tuple[tuple[Bar, ...], tuple[Band, ...]]:
    lanes = follower_lanes(timeline)
    per_s = WIDTH / (timeline.length_s or 1.0)
    height = HEIGHT / max(len(lanes), 1)
    bars = [
        bar
        for number, lane in enumerate(lanes)
        for bar in _bars(lane, number * height, height, per_s)
    ]
    bands = [
        Band(fault.start_s * per_s, (fault.end_s - fault.start_s) * per_s, fault.name)
        for fault in timeline.faults
    ]
    # False alarms come last: a widened one is drawn over its neighbours.
    return tuple(sorted(bars, key=lambda bar: _ORDER.index(bar.standing))), tuple(bands)


def _bars(lane: Lane, top: float, height: float, per_s: float) -> list[Bar]:
    made = []
    for each in lane.stretches:
        inside = each.standing in ("fine", "unnoticed")
        thick = height * (THIN if inside else 0.86)
        width = (each.end_s - each.start_s) * per_s
        least = 0.0 if inside else LEAST_WIDTH
        made.append(
            Bar(
                x=min(each.start_s * per_s, WIDTH - least),
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
