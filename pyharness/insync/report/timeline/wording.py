"""Shrinks and leader changes in words: when they came, when they were due, how many."""

from __future__ import annotations

from collections.abc import Sequence

from insync.faults.registry import KINDS
from insync.report.timeline.scenes import LeaderChange, Shrink
from insync.report.words import span


def change_in_short(change: LeaderChange) -> str:
    """Say all of it in one line, for a pointer that rests on the mark."""
    why = (
        ", which stepped down" if change.stepped_down else ", as planned" if change.planned else ""
    )
    return (
        f"broker {change.leader} leads from {change.at_s:.2f} s on instead of broker"
        f" {change.before}{why}"
    )


def changes_sentence(changes: Sequence[LeaderChange]) -> str:
    """Say how often leaders changed without being told to by the scenario; nothing if never."""
    own = [change for change in changes if not change.planned]
    if not own:
        return ""
    by_choice = sum(change.stepped_down for change in own)
    times = "once" if len(own) == 1 else f"{len(own)} times"
    return f" Leaders changed {times}, {by_choice} of them by stepping down."


MOMENTS = {
    "before": "before any fault",
    "during": "during a fault",
    "on_lift": "as a fault ended",
    "after": "after the faults",
}
"""The moments of the table isr_shrinks, as a reader says them."""

_BY_FAULT = {words: why for kind in KINDS.values() for words, why in kind.tags.late_shrinks.items()}
"""Why a shrink comes late while a fault is at the leader, by the fault's words."""

_UNEXPLAINED = "later than the next look of the isr-expiration task"


def moment(shrink: Shrink) -> str:
    """Say where the shrink fell among the faults; empty where there were none."""
    return MOMENTS[shrink.moment] if shrink.moment else ""


def lateness(shrink: Shrink) -> str:
    """Say when a delayed shrink was due, when it came, and what it waited for; else nothing."""
    if not shrink.delayed or shrink.due_s is None:
        return ""
    return f"was due at {shrink.due_s:.2f} s, came at {shrink.at_s:.2f} s: {_why(shrink)}"


def in_short(shrink: Shrink) -> str:
    """Say all of it in one line, for a pointer that rests on the shrink."""
    when = f", {moment(shrink)}" if shrink.moment else ""
    when += ", for the leader stepped down" if shrink.cause == "stepped down" else ""
    late = lateness(shrink)
    return f"shrink at {shrink.at_s:.2f} s{when}" + (f"; {late}" if late else "")


def delayed_sentence(shrinks: list[Shrink]) -> str:
    """Say of all shrinks of an arm how many came late, and by how much; nothing if none did."""
    late = [s.at_s - s.due_s for s in shrinks if s.delayed and s.due_s is not None]
    if not late:
        return ""
    least, most = span(min(late) * 1e3), span(max(late) * 1e3)
    by = most if least == most else f"{least} to {most}"
    return f" {len(late)} of {len(shrinks)} shrinks came {by} after they were due."


def _why(shrink: Shrink) -> str:
    """Name what held it up, as far as the fault it is put down to tells.

    A leader's stalled read holds a partition's lock for reading; the shrink wants it for
    writing, and the one isr-expiration task visits all partitions in turn.
    """
    end, _, fault = shrink.cause.partition(": ")
    if end == "leader" and shrink.moment in ("during", "on_lift"):
        return _BY_FAULT.get(fault, _UNEXPLAINED)
    return _UNEXPLAINED
