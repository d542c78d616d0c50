"""The argument about lag policies as one picture: policies by situations, a lane per follower.

Computes coordinates only; the page's template draws them as SVG.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from insync.report.matrix.cells import Grid, MatrixCell
from insync.report.policies.lanes import Lane, Standing, follower_lanes
from insync.report.policies.story import DEMANDS, POLICIES, SITUATIONS, Finding, Situation, finding
from insync.report.timeline.scenes import Scene

LEFT = 178.0
TOP = 62.0
COLUMN = 186.0
GAP = 14.0
LANES = 56.0
"""How high the lanes of a place are together, however many there are."""

ROW = 104.0
WORDS_Y = LANES + 19.0
THIN = 0.36
"""How much of its lane a follower that is in sync takes; one that is out takes all of it."""

LEAST_WIDTH = 2.4
"""A follower that is out for a moment must not vanish."""

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
    """A fault's time in a place."""

    x: float
    width: float
    title: str


@dataclass(frozen=True)
class Place:
    """One policy in one situation, at its corner; `words` name both."""

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
    """The title of a column or of a group of them, in the middle at `x`."""

    x: float
    width: float
    text: str


@dataclass(frozen=True)
class PolicyPicture:
    """Everything at its coordinates; `rows` are the policies' names with their corners' y."""

    width: float
    height: float
    columns: tuple[Heading, ...]
    groups: tuple[Heading, ...]
    rows: tuple[tuple[float, str, str], ...]
    places: tuple[Place, ...]


def draw(grid: Grid, pictures: Mapping[str, Sequence[Scene]]) -> PolicyPicture:
    """Draw a version's policies; `pictures` are the scenes of its runs, by scenario."""
    shown = [each for each in SITUATIONS if each.scenario in grid.rows]
    arms = [arm for arm in POLICIES if arm in grid.arms]
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
        rows=tuple((_y(row), *POLICIES[arm]) for row, arm in enumerate(arms)),
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
    scenes: Sequence[Scene],
) -> Place:
    scene = next((scene for scene in scenes if scene.arm == cell.arm), None)
    bars, bands = ((), ()) if scene is None else _drawn(scene, x, y)
    words = f"{POLICIES[cell.arm][0]}, {situation.title}"
    return Place(x, y, COLUMN, bars, bands, finding(situation, cell), cell.link, words)


def _drawn(scene: Scene, left: float, top: float) -> tuple[tuple[Bar, ...], tuple[Band, ...]]:
    lanes = follower_lanes(scene)
    per_s = COLUMN / (scene.length_s or 1.0)
    height = LANES / max(len(lanes), 1)
    bars = [
        bar
        for number, lane in enumerate(lanes)
        for bar in _bars(lane, left, top + number * height, height, per_s)
    ]
    bands = [
        Band(left + fault.start_s * per_s, (fault.end_s - fault.start_s) * per_s, fault.name)
        for fault in scene.faults
    ]
    # False alarms last: a widened one is drawn over its neighbours.
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
