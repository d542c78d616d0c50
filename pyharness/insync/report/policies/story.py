"""Judges lag policies: which replica was at fault in a scenario, and which were dropped.

Policies are rows and situations are columns; a finding is made of one cell of a matrix.
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
    """A column: its scenario, and which replica is at fault in it."""

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
    "nobody": "no replica is at fault: all must stay",
    "follower": "a follower is at fault: it must leave",
    "leader": "the leader is at fault: all must stay",
}


@dataclass(frozen=True)
class Finding:
    """How a policy acted in a situation: whether it was right (None: not known), and in words."""

    right: bool | None
    words: str


def compares_policies(cells: Sequence[MatrixCell]) -> bool:
    """Whether cells compare lag policies: the policy of some arm is not by time."""
    return any(lag_policy(cell.arm) != BY_TIME for cell in cells)


def finding(situation: Situation, cell: MatrixCell) -> Finding:
    """Judge one policy in one situation, by the worst of its repeats."""
    if cell.state in ("skipped", "unknown"):
        return Finding(None, "not known")
    alarms = _worst(cell.values("false_alarms"))
    if situation.at_fault == "follower":
        return _of_follower(cell, alarms or 0)
    if alarms is None:
        return Finding(None, "not known")
    if cell.bursts and alarms:
        return Finding(False, f"{per_thousand(cell.bursts):.0f} per 1,000 bursts")
    return Finding(not alarms, f"{alarms:.0f} healthy dropped" if alarms else "none dropped")


def _of_follower(cell: MatrixCell, alarms: float) -> Finding:
    detected = cell.values("detected_ms")
    if any(value is None for value in detected):
        return Finding(False, "never dropped")
    latest = _worst(detected)
    if latest is None:
        return Finding(None, "not known")
    words, joined = f"out after {span(latest)}", False
    if not latest:
        words, joined = _of_one_out(_worst(cell.values("let_in_at_fault")))
    dropped = f"; {alarms:.0f} healthy dropped" if alarms else ""
    return Finding(not alarms and not joined, f"{words}{dropped}")


def _of_one_out(let_in: float | None) -> tuple[str, bool]:
    """Describe a follower that was out when its fault began, and say whether it was let in.

    Older cells do not say whether it was.
    """
    if let_in is None:
        return "out at the beginning", False
    return (f"let in {let_in:.0f} times", True) if let_in else ("never in sync", False)


def per_thousand(bursts: Sequence[Bursts]) -> float:
    """Return the healthy followers dropped per 1,000 bursts."""
    count = sum(each.bursts for each in bursts)
    return 1_000 * sum(each.false_alarms for each in bursts) / count if count else 0.0


def _worst(values: Sequence[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
