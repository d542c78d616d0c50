"""The argument about lag policies as a table: who was at fault in a scenario, who was dropped.

Rows are the policies, columns the situations; what stands in a place is read off a matrix's cells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from insync.arms import BY_TIME, lag_policy
from insync.report.matrix.cells import Bursts, MatrixCell
from insync.report.words import span

AtFault = Literal["nobody", "follower", "leader"]


@dataclass(frozen=True)
class Situation:
    """A column: the scenario that stands for it, and who is at fault in it."""

    scenario: str
    title: str
    at_fault: AtFault


SITUATIONS = (
    Situation("burst-steady", "steady traffic", "nobody"),
    Situation("burst", "bursts", "nobody"),
    Situation("slow-replica", "slow replica", "follower"),
    Situation("stuck-replica", "stuck replica", "follower"),
    Situation("bootstrapping-replica", "bootstrapping replica", "follower"),
    Situation("slow-leader", "slow leader", "leader"),
)

DEMANDS: Mapping[AtFault, str] = {
    "nobody": "nobody is at fault: nobody may leave",
    "follower": "a follower is at fault: it must be out",
    "leader": "the leader is: nobody may leave",
}

POLICIES: Mapping[str, tuple[str, str]] = {
    "messages-4": ("messages:4", "more than 4 behind"),
    "messages-4000": ("messages:4000", "more than 4,000 behind"),
    "time": ("time", "not caught up for the lag: Kafka since 0.9"),
    "request": ("time + KIP-501", "less the leader's own time: scope request"),
}
"""The rows in order: arm, what it is called, what it asks."""


@dataclass(frozen=True)
class Finding:
    """What a policy made of a situation: whether rightly (None: not known), and in words."""

    right: bool | None
    words: str


def is_told(cells: Sequence[MatrixCell]) -> bool:
    """Whether a version's cells compare policies: some arm does not go by time."""
    return any(lag_policy(cell.arm) != BY_TIME for cell in cells)


def finding(situation: Situation, cell: MatrixCell) -> Finding:
    """Judge one policy in one situation, by the worst of its repeats."""
    if cell.state in ("skipped", "unknown"):
        return Finding(None, "not known")
    alarms = _worst(cell.false_alarms)
    if situation.at_fault == "follower":
        return _of_follower(cell, alarms or 0)
    if alarms is None:
        return Finding(None, "not known")
    if cell.bursts and alarms:
        return Finding(False, f"{per_thousand(cell.bursts):.0f} per 1,000 bursts")
    return Finding(not alarms, f"{alarms:.0f} healthy dropped" if alarms else "nobody dropped")


def _of_follower(cell: MatrixCell, alarms: float) -> Finding:
    if any(value is None for value in cell.detected_ms):
        return Finding(False, "never noticed")
    latest = _worst(cell.detected_ms)
    if latest is None:
        return Finding(None, "not known")
    words = f"out after {span(latest)}" if latest else "never let in"
    return Finding(not alarms, f"{words}; {alarms:.0f} healthy dropped" if alarms else words)


def per_thousand(bursts: Sequence[Bursts]) -> float:
    """Return the healthy followers dropped per 1,000 bursts."""
    count = sum(each.bursts for each in bursts)
    return 1_000 * sum(each.false_alarms for each in bursts) / count if count else 0.0


def _worst(values: Sequence[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
