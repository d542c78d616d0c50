"""Expands the faults of a file to primitive ones: one node, one time, one level each.

Pure. A role is resolved for each primitive fault at its own time, so that a fault that
repeats or rises follows leadership through the elections that are planned. Primitive faults
stay as they are: a scenario may be expanded again.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from insync.scenario import roles
from insync.scenario.roles import Election, leaders_at
from insync.scenario.schedule import ramped, repeated
from insync.scenario.written import FaultSpec, WrittenScenario

Keys = dict[str, Any]


class Expanded(NamedTuple):
    """Primitive faults as keys, and for each the number of the fault in the file."""

    faults: list[Keys]
    origins: list[int]


def expand(written: WrittenScenario) -> Expanded:
    """Return the primitive faults in the order of the file, and those of one fault by time."""
    leaders = written.workload.leaders
    elections = _elections(written.faults, leaders)
    faults, origins = [], []
    for origin, fault in enumerate(written.faults):
        for at_one_time in _in_time(fault):
            led = leaders_at(leaders, elections, at_one_time["at_ms"])
            made = _on_nodes(at_one_time, fault.target, led)
            faults += made
            origins += [origin] * len(made)
    return Expanded(faults, origins)


def _in_time(fault: FaultSpec) -> Iterator[Keys]:
    keys = fault.primitive
    often = (
        repeated(keys, fault.every_ms, fault.times) if fault.every_ms and fault.times else [keys]
    )
    for each in often:
        yield from ramped(each, fault.intensity, fault.ramp) if fault.ramp else [each]


def _on_nodes(keys: Keys, target: str | None, led: Sequence[int]) -> list[Keys]:
    role = None if target is None else roles.parse(target)
    if role is None:
        return [keys]
    return [{**keys, "broker": node} for node in roles.nodes(role, led)]


def _elections(faults: Sequence[FaultSpec], leaders: Sequence[int]) -> list[Election]:
    """Return the planned elections; invalid ones are rejected later."""
    elections: list[Election] = []
    for fault in sorted(faults, key=lambda each: each.at_ms):
        if fault.moves_leaders:
            led = leaders_at(leaders, elections, fault.at_ms)
            for keys in _on_nodes(fault.primitive, fault.target, led):
                elections += _election(keys)
    return elections


def _election(keys: Keys) -> list[Election]:
    broker, partitions = keys.get("broker"), keys.get("partitions")
    if not (isinstance(broker, int) and isinstance(partitions, list)):
        return []
    numbers = [number for number in partitions if isinstance(number, int) and number >= 0]
    return [Election(keys["at_ms"], broker, numbers)]
