"""Writes shrinks and leader changes as text: when they came, when they were due, how many."""

from __future__ import annotations

from collections.abc import Sequence

from insync.faults.registry import KINDS
from insync.report.timeline.timelines import WAIT_S, LatencyPoint, LeaderChange, Shrink, Wait
from insync.report.words import span


def wait_in_short(wait: Wait) -> str:
    """Describe in one line when acks waited, for the tooltip of the line."""
    return f"partition {wait.partition}: acks waited from {wait.start_s:.1f} to {wait.end_s:.1f} s"


def waits_sentence(acks: Sequence[LatencyPoint]) -> str:
    """Say how long the slowest ack took; empty if none took `WAIT_S`."""
    longest = max((each.max_ms for each in acks), default=0.0)
    return f" The slowest ack took {span(longest)}." if longest >= WAIT_S * 1e3 else ""


def change_in_short(change: LeaderChange) -> str:
    """Describe a leader change in one line, for the tooltip of its mark."""
    why = (
        ", which stepped down" if change.stepped_down else ", as planned" if change.planned else ""
    )
    return (
        f"broker {change.leader} leads from {change.at_s:.2f} s on instead of broker"
        f" {change.before}{why}"
    )


def changes_sentence(changes: Sequence[LeaderChange]) -> str:
    """Count the leader changes that the scenario did not plan; empty if there were none."""
    own = [change for change in changes if not change.planned]
    if not own:
        return ""
    by_choice = sum(change.stepped_down for change in own)
    times = "once" if len(own) == 1 else f"{len(own)} times"
    return f" Leaders changed {times}, {by_choice} of them by stepping down."


MOMENTS = {
    "before": "before any fault",
    "during": "during a fault",
    "on_lift": "when a fault ended",
    "after": "after the faults",
}
"""The moments of the table isr_shrinks, in words."""

_BY_FAULT = {words: why for kind in KINDS.values() for words, why in kind.tags.late_shrinks.items()}
"""Why a shrink comes late while a fault is at the leader, by the fault's words."""

_UNEXPLAINED = "later than the next run of the isr-expiration task"


def moment(shrink: Shrink) -> str:
    """Say when the shrink came relative to the faults; empty without faults."""
    return MOMENTS[shrink.moment] if shrink.moment else ""


def lateness(shrink: Shrink) -> str:
    """Say when a delayed shrink was due, when it came, and why; empty if it was not delayed."""
    if not shrink.delayed or shrink.due_s is None:
        return ""
    return f"was due at {shrink.due_s:.2f} s, came at {shrink.at_s:.2f} s: {_why(shrink)}"


def in_short(shrink: Shrink) -> str:
    """Describe a shrink in one line, for the tooltip of its arrow."""
    when = f", {moment(shrink)}" if shrink.moment else ""
    when += ", because the leader stepped down" if shrink.cause == "stepped down" else ""
    late = lateness(shrink)
    return f"shrink at {shrink.at_s:.2f} s{when}" + (f"; {late}" if late else "")


def delayed_sentence(shrinks: list[Shrink]) -> str:
    """Count the delayed shrinks of an arm and say how late they came; empty if none was."""
    late = [s.at_s - s.due_s for s in shrinks if s.delayed and s.due_s is not None]
    if not late:
        return ""
    least, most = span(min(late) * 1e3), span(max(late) * 1e3)
    by = most if least == most else f"{least} to {most}"
    return f" {len(late)} of {len(shrinks)} shrinks came {by} after they were due."


def _why(shrink: Shrink) -> str:
    """Name the reason for a delay, as far as the cause of the shrink shows it.

    A leader's stalled read has a partition's read lock. The shrink needs the write lock, and
    the one isr-expiration task visits all partitions in turn.
    """
    end, _, fault = shrink.cause.partition(": ")
    if end == "leader" and shrink.moment in ("during", "on_lift"):
        return _BY_FAULT.get(fault, _UNEXPLAINED)
    return _UNEXPLAINED
