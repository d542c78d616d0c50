"""Draw the scenario of a seed: brokers, workload, and one to five faults that may overlap.

Pure: the same seed, kinds and shape give the same scenario. Ten seeds in a row can run on one
cluster: all have the same broker settings, and those ten the same controllers.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal

from pydantic import ValidationError

from insync.faults.registry import KINDS, tags_of
from insync.faults.spec import Planned
from insync.fuzz import late_write
from insync.fuzz.brokers import brokers_of
from insync.fuzz.together import outage, shrunk
from insync.fuzz.values import LOSES_DATA, WEIGHTS, draw_keys
from insync.fuzz.workload import draw_workload
from insync.nodes import BROKERS, CONTROLLER_ID
from insync.scenario.model import Scenario

Shape = Literal["any", "late-write"]
SHAPES: Final[Sequence[Shape]] = ("any", "late-write")
MOST_FAULTS: Final = 5
STEADY_MS: Final = 500
BEGIN_WITHIN_MS: Final = 3_000
RECOVER_MS: Final = 1_500
RESTART_MS: Final = 12_000
"""For how long after a process was started again nothing is asked of it."""
TRIES: Final = 200
SWARM_SHARE: Final = 0.5
SWARM_KINDS: Final = 2
REPLICATION_ONLY: Final = frozenset({"link"})
"""Kinds that leave the connections of clients and of the controller alone."""
AT_LEADERS: Final = frozenset({"read-error"})
"""Kinds that act only at the leaders of their partitions, and do not require that by a rule."""
AT_BROKERS: Final = frozenset({"cpu-neighbour"})
"""Kinds that do not act at the controller, which uses too little CPU time to wait for a core."""
STICKS: Final = frozenset({"read-error"})
"""Kinds after which a former leader does not come back by itself: where a read fails while it
truncates its log, Kafka gives the partition up at that broker until it is started again."""
FORWARDING: Final = frozenset({"controller-link"})
"""Kinds that keep any broker from forwarding a request to the controller."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Choices:
    """What a seed may be drawn from.

    Args:
        arms: the arms on which each seed is run.
        kinds: the kinds of faults that can act here.
        shape: "any", or a schedule of one form.
        protocols: the protocols of consumer groups that the version has.
        quorums: whether the version can have several controllers.
        settings: more settings of every node.

    """

    arms: Sequence[str]
    kinds: Sequence[str]
    shape: Shape = "any"
    protocols: Sequence[str] = ("classic",)
    quorums: bool = True
    settings: Mapping[str, str] = field(default_factory=dict)


def draw(seed: int, choices: Choices) -> Scenario:
    """Return the scenario of a seed."""
    random = Random(f"insync fuzz {choices.shape} {seed}")  # noqa: S311
    keys = {
        "schema": 1,
        "name": name_of(seed, choices.shape),
        "summary": f"seed {seed} of insync fuzz",
        "arms": list(choices.arms),
        "repeats": 1,
        "min_insync_replicas": random.choice((1, 2, 2, 2)),
        "broker": brokers_of(seed, quorums=choices.quorums, settings=choices.settings),
        "workload": draw_workload(random, choices.protocols),
        "timeline": {"steady_ms": STEADY_MS, "recover_ms": RECOVER_MS},
    }
    if choices.shape == "late-write":
        return Scenario.model_validate(late_write.shaped(keys, random))
    return _with_faults(keys, seed, random, choices.kinds)


def name_of(seed: int, shape: Shape) -> str:
    """Return the name of a seed's scenario."""
    return f"{'seed' if shape == 'any' else shape}-{seed}"


def _with_faults(
    keys: Mapping[str, Any], seed: int, random: Random, kinds: Sequence[str]
) -> Scenario:
    """Return the scenario with faults, each of which fits those before it."""
    wanted = random.randint(1, MOST_FAULTS)
    scenario = Scenario.model_validate(keys)
    faults: list[dict[str, Any]] = []
    together = outage(random, kinds, STEADY_MS) or shrunk(
        seed, kinds, scenario.workload.leaders, STEADY_MS
    )
    kinds = _swarm(random, kinds)
    for _ in range(TRIES):
        if len(faults) >= wanted and not together:
            break
        fault = together.pop(0) if together else _one(random, kinds, scenario)
        try:
            # In order of time, in which a verdict finds the evidence of faults of one kind.
            in_time = sorted([*faults, fault], key=lambda each: int(each["at_ms"]))
            found = Scenario.model_validate({**keys, "faults": in_time})
        except ValidationError:
            continue
        if is_fair(found):
            scenario = found
            faults.append(fault)
    return scenario


def _swarm(random: Random, kinds: Sequence[str]) -> Sequence[str]:
    """Return the kinds of a seed: in half of the seeds all, else a few, which then come often.

    With all of them three brokers are hardly ever killed in one seed (swarm testing).
    """
    ranked = [name for name in _ranked(random) if name in kinds]
    return ranked[:SWARM_KINDS] if random.random() < SWARM_SHARE else kinds


def _one(random: Random, kinds: Sequence[str], scenario: Scenario) -> dict[str, Any]:
    name = next(name for name in _ranked(random) if name in kinds)
    window = (STEADY_MS, STEADY_MS + BEGIN_WITHIN_MS)
    return draw_keys(KINDS[name], random, scenario.workload.leaders, window)


def _ranked(random: Random) -> list[str]:
    """Return all kinds in random order, by weight: one that is missing here changes little."""
    keys = {name: random.random() ** (1 / WEIGHTS.get(name, 1.0)) for name in KINDS}
    return sorted(KINDS, key=lambda name: keys[name], reverse=True)


def is_fair(scenario: Scenario) -> bool:
    """Whether Kafka must survive the faults, and whether each of them can act.

    A replica may be lost only where nothing else harms another one, and reads may fail only where
    no leader changes (`STICKS`). What the harness asks of a broker or of the controller, such as
    an election, needs one that answers.
    """
    faults, leaders = scenario.faults, scenario.workload.leaders
    if not all(_can_act(fault, leaders) for fault in faults):
        return False
    harmful = [fault for fault in faults if not tags_of(fault).harmless]
    if any(_is_quiet_for(other, fault) for fault in harmful for other in harmful):
        return False
    if len(harmful) > 1 and any(fault.kind in LOSES_DATA | STICKS for fault in harmful):
        return False
    moved = {each for fault in faults for each in fault.elected}
    if moved and any(fault.kind in STICKS for fault in harmful):
        return False
    asked = [fault for fault in faults if tags_of(fault).harmless]
    controllers = set(range(1, BROKERS + 1)) if scenario.broker.combined else {CONTROLLER_ID}
    return not any(
        _is_silent_for(fault, request, leaders, controllers)
        for request in asked
        for fault in harmful
    )


def _can_act(fault: Planned, leaders: Sequence[int]) -> bool:
    """Whether a fault has something to act on, such as the reads of a leader."""
    if fault.kind in AT_BROKERS and CONTROLLER_ID in fault.nodes:
        return False
    if fault.kind in AT_LEADERS:
        return {leaders[each] for each in getattr(fault, "partitions", ())} <= fault.nodes
    return fault.kind not in REPLICATION_ONLY or bool(fault.nodes & set(leaders))


def _is_quiet_for(other: Planned, fault: Planned) -> bool:
    """Whether a fault may leave too little traffic for losses, which are random, to occur."""
    loses = getattr(fault, "mode", "") == "loss" and other is not fault
    overlap = other.at_ms < fault.end_ms and fault.at_ms < other.end_ms
    return loses and overlap and bool(other.nodes & fault.nodes)


def _is_silent_for(
    fault: Planned, request: Planned, leaders: Sequence[int], controllers: Collection[int]
) -> bool:
    """Whether a fault may keep a node from answering a request, which is asked at both its ends."""
    named = {leaders[partition] for partition in (*request.added, *request.removed)}
    asked = request.nodes | named | set(controllers)
    if fault.kind in REPLICATION_ONLY or not (asked & fault.nodes or fault.kind in FORWARDING):
        return False
    until = fault.end_ms + (RESTART_MS if tags_of(fault).alone else 0)
    return fault.at_ms < request.end_ms + BEGIN_WITHIN_MS and request.at_ms < until
