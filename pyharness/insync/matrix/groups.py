"""Which scenarios stand in one table: what `insync matrix` plays by default, and by a group's name.

A scenario knows nothing of groups; it is in one at most.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from insync.errors import InputError
from insync.events.matrix_info import FIGURES
from insync.scenario.load import MATRIX


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Scenarios in order, what their times are multiplied by, and what their cells show.

    `full_size`: those whose times are left as they are. `figures` are metrics. `at_once`: arms
    that run at the same time; each is a cluster of four small JVMs, mostly waiting.
    """

    scenarios: Sequence[str]
    scale: float = 1.0
    full_size: Sequence[str] = ()
    figures: Sequence[str] = FIGURES
    at_once: int = 2

    def scale_of(self, scenario: str) -> float:
        """Return what the scenario's times are multiplied by."""
        return 1.0 if scenario in self.full_size else self.scale


SITES: Final = Group(scenarios=MATRIX)
"""Every site of a stall: what a matrix plays if nothing is asked for."""

GROUPS: Final = {
    # At a quarter of their times, so that it takes minutes; a step-down comes after 0.5 s then.
    "step-down": Group(
        scenarios=(
            "step-down-read", "step-down-send", "step-down-queue", "step-down-neighbours",
            "two-slow-leaders", "all-slow", "hung-follower", "leader-death-mid-stall",
            "rebalance-pulls-back", "relinquish-on-stock-controller", "transactions",
        ),
        scale=0.25,
        # Its stalls follow each other: a client that takes a second to find a new leader, whatever
        # the scale, would find it in the next stall.
        full_size=("all-slow",),
        figures=(
            "max_ack_gap_ms", "under_min_isr_ms", "offline_ms", "dead_follower_dropped_ms",
            "leader_changes",
        ),
    ),
    # Retention comes last: old brokers look for what to delete from 30 s after their start on.
    "kafka-7104": Group(
        scenarios=("kafka-7104", "log-start-race", "kafka-7104-retention"),
        figures=(
            "fetchers_lost", "partitions_failed", "partitions_behind", "start_above_end",
            "start_above_watermark", "starts_put_right",
        ),
        # The halves of a race wait for each other, however long that takes.
        at_once=8,
    ),
    # What is mostly waiting comes first: while an arm waits, the clusters of the next ones start.
    "policies": Group(
        scenarios=(
            "slow-replica", "stuck-replica", "slow-leader", "bootstrapping-replica",
            "burst-steady", "burst",
        ),
        figures=("false_alarms", "detected_ms", "isr_shrinks", "under_min_isr_ms"),
        at_once=4,
    ),
}  # fmt: skip
"""By the names that `--only` takes beside those of their scenarios."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A scenario that a matrix plays, and the group that it belongs to."""

    scenario: str
    group: Group


def entries(only: Sequence[str] | None) -> list[Entry]:
    """Return what is to be played, in the order of the groups; raises InputError."""
    if only is None:
        return _all_of(SITES)
    known = [entry for group in (SITES, *GROUPS.values()) for entry in _all_of(group)]
    names = dict.fromkeys([*(entry.scenario for entry in known), *GROUPS])
    for name in only:
        if name not in names:
            raise InputError(f"--only: {name!r}, expected one of: {', '.join(names)}")
    asked = {
        *only,
        *(scenario for name in only if name in GROUPS for scenario in GROUPS[name].scenarios),
    }
    return [entry for entry in known if entry.scenario in asked]


def _all_of(group: Group) -> list[Entry]:
    return [Entry(scenario, group) for scenario in group.scenarios]
