"""Changes of leaders in words: one of them, and how many an arm had."""

from __future__ import annotations

from collections.abc import Sequence

from insync.report.timeline.scenes import LeaderChange


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
