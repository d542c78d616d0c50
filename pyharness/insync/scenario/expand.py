"""Expands the faults of a file to primitive ones: one node, one time, one level each.

Pure. A role is resolved for each primitive fault at its own time, so that a fault that
repeats or rises follows leadership through the elections that are planned. Primitive faults
stay as they are: a scenario may be expanded again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from insync.scenario import roles
from insync.scenario.roles import Election, leaders_at
from insync.scenario.written import FaultSpec, WrittenScenario

Keys = dict[str, Any]


class Expanded(NamedTuple):
    """Primitive faults as keys, and for each the number of the fault in the file."""

    faults: list[Keys]
    origins: list[int]


def expand(written: WrittenScenario) -> Expanded:
    """Return the primitive faults in the order of the file, and those of one fault by time."""
    elections = {
        topic: _elections([each for each in written.faults if each.topic == topic], leaders)
        for topic, leaders in written.topics.items()
    }
    faults, origins = [], []
    for origin, fault in enumerate(written.faults):
        topic = fault.topic if fault.topic in elections else None
        for at_one_time in _in_time(fault):
            led = leaders_at(written.topics[topic], elections[topic], at_one_time["at_ms"])
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


_WHOLE: Final = 100.0  # of a core


def repeated(fault: Mapping[str, Any], every_ms: int, times: int) -> list[dict[str, Any]]:
    """Return the fault `times` times, each beginning `every_ms` after the one before."""
    return [{**fault, "at_ms": fault["at_ms"] + number * every_ms} for number in range(times)]


def ramped(fault: Mapping[str, Any], keys: Mapping[str, Any], steps: int) -> list[dict[str, Any]]:
    """Return the fault in steps of equal length, `keys` growing in equal steps to their values.

    `keys` are those of the fault's intensity that it has. `for_ms` must be `steps` at least.
    """
    begin, length = fault["at_ms"], fault["for_ms"]
    made = []
    for step in range(steps):
        at, end = (begin + length * each // steps for each in (step, step + 1))
        level = {key: RAMPS[key](value, step + 1, steps) for key, value in keys.items()}
        made.append({**fault, **level, "at_ms": at, "for_ms": end - at})
    return made


def _up(value: int, step: int, steps: int) -> int:
    return max(1, value * step // steps)


def _away_from_zero(value: int, step: int, steps: int) -> int:
    return _up(value, step, steps) if value > 0 else -_up(-value, step, steps)


def _in_equal_parts(value: float, step: int, steps: int) -> float:
    return value * step / steps


def _down_from_whole(value: float, step: int, steps: int) -> float:
    return value if step == steps else _WHOLE - (_WHOLE - value) * step / steps


def _down_in_equal_times(value: int, step: int, steps: int) -> int:
    """Return a rate such that the time per byte grows in equal steps."""
    return value * steps // step


RAMPS: Final[Mapping[str, Callable[[Any, int, int], Any]]] = {
    "delay_ms": _up,
    "by_ms": _away_from_zero,
    "loss_percent": _in_equal_parts,
    "quota_percent": _down_from_whole,
    "bytes_per_s": _down_in_equal_times,
    "read_bytes_per_s": _down_in_equal_times,
    "write_bytes_per_s": _down_in_equal_times,
}
"""How a key of a fault's intensity grows, from its full value, a step (from 1) and their number."""
