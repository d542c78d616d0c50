"""Make a scenario simpler: fewer faults, shorter ones, fewer partitions, a plainer workload.

Pure. What may be left out is a list of parts with names; `rebuilt` returns the scenario that has
only some of them, or None where that breaks a rule of scenarios.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Final

from pydantic import ValidationError

from insync.fuzz.setup import PLAIN
from insync.scenario.load import keys_of
from insync.scenario.model import Scenario

Keys = dict[str, Any]
SHORTEST_MS: Final = 300
FAULT: Final = "fault"
LENGTH: Final = "length"


def _without(*names: str) -> Callable[[Keys], Keys]:
    return lambda workload: {name: workload[name] for name in workload if name not in names}


FEATURES: Final[Mapping[str, Callable[[Keys], Keys]]] = {
    "transactions": _without("transactions"),
    "groups": _without("groups"),
    "bursts": _without("bursts"),
    "keys": _without("keys", "key_skew"),
    "compression": _without("compression", "linger_ms"),
    "idempotent": _without("idempotent"),
    "client": _without("client"),
    "load": lambda workload: {**workload, **PLAIN},
}
"""What each part of a workload is without it."""


def fault_parts(scenario: Scenario) -> list[str]:
    """Return a part for each fault."""
    return [f"{FAULT} {number}" for number in range(len(scenario.faults))]


def workload_parts(scenario: Scenario) -> list[str]:
    """Return a part for each feature of the workload that is not plain, and for its partitions."""
    workload = keys_of(scenario)["workload"]
    return [name for name, plain in FEATURES.items() if plain(workload) != workload] + (
        ["partitions"] if len(scenario.workload.leaders) > _needed(scenario) else []
    )


def length_parts(scenario: Scenario) -> list[str]:
    """Return a part for the length of each fault that can be shorter."""
    return [
        f"{LENGTH} {number}"
        for number, fault in enumerate(scenario.faults)
        if (fault.end_ms - fault.at_ms) // 2 >= SHORTEST_MS
    ]


def rebuilt(scenario: Scenario, parts: Sequence[str], kept: Collection[str]) -> Scenario | None:
    """Return the scenario without those of `parts` that are not `kept`."""
    gone = [part for part in parts if part not in kept]
    keys = keys_of(scenario)
    faults = list(keys.get("faults", []))
    for part in gone:
        if part in FEATURES:
            keys["workload"] = FEATURES[part](keys["workload"])
        elif part.startswith(LENGTH):
            number = int(part.split()[1])
            faults[number] = _halved(faults[number])
    keys["faults"] = [
        fault for number, fault in enumerate(faults) if f"{FAULT} {number}" not in gone
    ]
    try:
        simple = Scenario.model_validate(keys)
        return _with_few_partitions(simple) if "partitions" in gone else simple
    except ValidationError:
        return None


def _halved(fault: Keys) -> Keys:
    for_ms = fault["for_ms"] // 2
    shorter = {**fault, "for_ms": for_ms}
    if "acts_ms" in fault:
        shorter["acts_ms"] = min(fault["acts_ms"], for_ms)
    return shorter


def _needed(scenario: Scenario) -> int:
    """Return how many partitions the faults need: those up to the last one that one names."""
    named = [number for fault in scenario.faults for number in getattr(fault, "partitions", ())]
    return max(named, default=0) + 1


def _with_few_partitions(scenario: Scenario) -> Scenario:
    keys, needed = keys_of(scenario), _needed(scenario)
    workload = _without("bursts", "keys", "key_skew")(keys["workload"])
    workload["leaders"] = workload["leaders"][:needed]
    return Scenario.model_validate({**keys, "workload": workload})
