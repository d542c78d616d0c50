"""Resolves roles to nodes: "leader of P", "followers of P", "controller", "broker N".

Pure: takes the planned leaders and returns node ids. Planned elections count; changes of
leadership that other faults cause, such as a kill, do not.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from insync.nodes import ACTIVE_CONTROLLER, CONTROLLER_ID, ring

TARGETS: Final = '"leader of P", "followers of P", "controller", "active controller" or "broker N"'
OF_PARTITIONS: Final = ("leader", "followers")
_OF_PARTITION: Final = re.compile(r"(leader|followers) of (\d{1,3})")
_BROKER: Final = re.compile(r"broker (\d{1,3})")


class Election(NamedTuple):
    """A planned change of leadership."""

    at_ms: int
    broker: int
    partitions: Sequence[int]


class Role(NamedTuple):
    """The role that a target names: `number` is a partition's or a broker's."""

    kind: str
    number: int


def parse(target: str) -> Role | None:
    """Return the role that a target's text names; None if it names none."""
    if target == "controller":
        return Role("controller", CONTROLLER_ID)
    if target == "active controller":
        return Role("active controller", ACTIVE_CONTROLLER)
    if found := _OF_PARTITION.fullmatch(target):
        return Role(found[1], int(found[2]))
    found = _BROKER.fullmatch(target)
    return Role("broker", int(found[1])) if found else None


def nodes(role: Role, leaders: Sequence[int]) -> list[int]:
    """Return the nodes of a role while `leaders` lead; IndexError for an unknown partition."""
    if role.kind in OF_PARTITIONS:
        leader, *followers = ring(leaders[role.number])
        return [leader] if role.kind == "leader" else followers
    return [role.number]


def leaders_at(leaders: Sequence[int], elections: Iterable[Election], at_ms: int) -> list[int]:
    """Return the leader of each partition at a time, by the elections planned before it."""
    led = list(leaders)
    for election in sorted(elections):
        for partition in election.partitions:
            if election.at_ms < at_ms and partition < len(led):
                led[partition] = election.broker
    return led
