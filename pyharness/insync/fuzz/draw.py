"""Draw the scenario of a seed: brokers, workload, and one to five faults that may overlap.

Pure: the same seed, kinds and shape give the same scenario. Ten seeds in a row can run on one
cluster: all have the same broker settings, and those ten the same controllers.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from pydantic import ValidationError

from insync.brokers.kafka.versions import DEFAULT, KRAFT_SINCE, numbers
from insync.faults.registry import KINDS
from insync.fuzz.request import Shape
from insync.fuzz.valid_schedule import is_valid_schedule
from insync.fuzz.values import (
    LONG_MS,
    LONGEST_MS,
    LOSES_DATA,
    NOT_DRAWN,
    STEADY_MS,
    WEIGHTS,
    brokers_of,
    draw_keys,
    draw_workload,
)
from insync.nodes import BROKERS
from insync.run.arm_cluster import SELECTOR
from insync.run.requirements import OLDEST_CONSUMER, OLDEST_JAVA_GROUP, OLDEST_RACKS
from insync.scenario.model import PlannedWorkload, Scenario

Drawn = list[dict[str, Any]]

OUTAGE_SHARE: Final = 0.1
OUTAGE_GAP_MS: Final = (300, 2_800)
"""The time between two kills of an outage: the first broker may be out of the ISR by then."""
SHRUNK_SHARE: Final = 0.1
LEADER_HANGS_AFTER_MS: Final = (2_600, 3_000)
"""Until most followers that were not served are out of the ISR, which takes 2 to 3.5 s."""


def outage(random: Random, kinds: Collection[str]) -> Drawn:
    """Return kills of all brokers in some of the seeds, else nothing."""
    lethal = [
        name for name in kinds if KINDS[name].tags.kills and name not in LOSES_DATA | NOT_DRAWN
    ]
    if not lethal or random.random() > OUTAGE_SHARE:
        return []
    kind, at_ms, faults = random.choice(lethal), STEADY_MS, []
    for broker in random.sample(range(1, BROKERS + 1), BROKERS):
        for_ms = random.randint(LONG_MS, LONGEST_MS)
        faults.append({"kind": kind, "broker": broker, "at_ms": at_ms, "for_ms": for_ms})
        at_ms += random.randint(*OUTAGE_GAP_MS)
    return faults


def shrunk(seed: int, kinds: Collection[str], leaders: Sequence[int]) -> Drawn:
    """Return faults that shrink an ISR, then stall its leader, in some of the seeds.

    It has random numbers of its own, so that the other seeds are as if it did not exist.
    """
    random = Random(f"insync fuzz shrunk ISR {seed}")  # noqa: S311
    if not {"stall", "link"} <= set(kinds) or random.random() > SHRUNK_SHARE:
        return []
    leader = random.choice(sorted(set(leaders)))
    led = [number for number, each in enumerate(leaders) if each == leader]
    follower = random.choice([each for each in range(1, BROKERS + 1) if each != leader])
    stall = {"kind": "stall", "mode": "hold", "partitions": led}
    late = {"broker": follower, "at_ms": STEADY_MS, "for_ms": LONGEST_MS}
    hung = {
        "broker": leader, "at_ms": STEADY_MS + random.randint(*LEADER_HANGS_AFTER_MS),
        "for_ms": random.randint(LONG_MS, LONGEST_MS), "site": random.choice(("read", "send")),
    }  # fmt: skip
    if random.random() < 0.5:
        return [{**stall, **late, "site": "write"}, {**stall, **hung}]
    return [{"kind": "link", "mode": "cut", "peer": leader, **late}, {**stall, **hung}]


CANCELLED_SHARE: Final = 0.1


def cancelled(seed: int, kinds: Collection[str], leaders: Sequence[int]) -> Drawn:
    """Return a reassignment that is cancelled while a stall keeps it in progress, in some seeds."""
    random = Random(f"insync fuzz cancelled {seed}")  # noqa: S311
    added = random.randint(1, BROKERS)
    others = [number for number, each in enumerate(leaders) if each != added]
    able = {"stall", "add-replica"} <= set(kinds) and others
    if not able or random.random() > CANCELLED_SHARE:
        return []
    at_ms, for_ms = STEADY_MS + random.randint(0, 1_000), random.randint(1_000, LONG_MS)
    some = sorted(random.sample(others, random.randint(1, len(others))))
    own = {"broker": added, "partitions": some}
    stall = {"kind": "stall", "site": "write", "mode": "hold"}
    return [
        {**stall, **own, "at_ms": at_ms, "for_ms": for_ms + 1_000},
        {"kind": "add-replica", "cancel": True, **own, "at_ms": at_ms + 100, "for_ms": for_ms},
    ]


FROZEN_SHARE: Final = 0.5


def frozen(seed: int, kinds: Collection[str], workload: PlannedWorkload) -> Drawn:
    """Return a freeze of the Java clients, in some of the few seeds where one can act."""
    random = Random(f"insync fuzz frozen clients {seed}")  # noqa: S311
    own, able = workload.transactions, "client-freeze" in kinds and workload.client == "both"
    if own is None or not able or random.random() > FROZEN_SHARE:
        return []
    keys = draw_keys(KINDS["client-freeze"], random, workload.leaders)
    return [{**keys, "broker": own.coordinators[1]}]


READ_FIRST_MS: Final = 40
PRODUCERS: Final = 8
RATE: Final = 50
"""With acks=all a producer has one append at a time at the leader, and none when its append is not
replicated. So several write often, and appends hang before each has one that waits.
"""
LEAST_MS: Final = 300
"""How long an append must hang where reads hang, too, after which few appends come."""
IO_THREADS: Final = 16
"""Handlers of requests: more than the reads of followers and consumers that hang."""
STEPS_DOWN_SHARE: Final = 0.5


def late_write(keys: Mapping[str, Any], random: Random) -> dict[str, Any]:
    """Return the keys of a scenario of the shape "late-write", with leaders that fit.

    A leader's append stalls while its partitions get another leader. The stall ends after that, and
    the append of the former leader completes: it writes records that the new leader does not have.
    With acks=all none of them may have been acked.

    In half of the seeds an election moves the leadership. In the others the leader's reads stall,
    too, and a leader that may step down does.
    """
    leader = random.randint(1, BROKERS)
    others = [broker for broker in range(1, BROKERS + 1) if broker != leader]
    partitions = list(range(random.randint(1, 2)))
    stall_ms = random.randint(2_000, 4_500)
    write = {
        "kind": "stall", "site": "write", "mode": "hold", "broker": leader,
        "partitions": partitions, "at_ms": STEADY_MS + READ_FIRST_MS, "for_ms": stall_ms,
    }  # fmt: skip
    faults, load = [write], dict(keys["workload"])
    if random.random() < STEPS_DOWN_SHARE:
        load |= {"producers_per_partition": PRODUCERS, "rate_per_partition": RATE}
        # The read stalls first: without appends nothing is read that could.
        faults.append({**write, "site": "read", "at_ms": STEADY_MS})
        write["acts_ms"] = LEAST_MS
    else:
        elected = random.choice(others)
        at_ms = STEADY_MS + READ_FIRST_MS + random.randint(100, stall_ms - 500)
        faults.append(
            {"kind": "elect", "broker": elected, "partitions": partitions, "at_ms": at_ms}
        )
    leaders = [*([leader] * len(partitions)), random.choice(others)]
    workload = {**load, "leaders": leaders}
    workload.pop("bursts", None)
    if "keys" in workload:
        workload["keys"] = 10 * len(leaders)
    broker = {**keys["broker"], "num_io_threads": IO_THREADS}
    return {**keys, "broker": broker, "workload": workload, "faults": faults}


GENERATOR: Final = 8
"""The version of the rules by which a seed becomes a scenario.

Raise it with every change after which any seed is another scenario: here, in the modules that this
one imports, in the registry of faults. Results of two generators are not of the same seeds, so a
fuzz of another one is not resumed.
"""

MOST_FAULTS: Final = 5
RECOVER_MS: Final = 1_500
TRIES: Final = 200
SWARM_SHARE: Final = 0.5
SWARM_KINDS: Final = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Choices:
    """What a seed may be drawn from, such as the `kinds` of faults that can act here.

    `version` has the numbers of the Kafka; `settings` are more settings of every node.
    """

    arms: Sequence[str]
    kinds: Sequence[str]
    version: tuple[int, ...] = numbers(DEFAULT)
    shape: Shape = "any"
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def able(self) -> list[str]:
        """The kinds that can act on such a version."""
        oldest = {kind: (KINDS[kind].tags.oldest or ((),))[0] for kind in self.kinds}
        oldest |= dict.fromkeys(ON_KRAFT & {*oldest}, KRAFT_SINCE)
        return [kind for kind in self.kinds if self.version >= oldest[kind]]


ON_KRAFT: Final = frozenset({"answer", "controller-link", "quorum-link"})
"""Kinds that may need a controller that others connect to."""


def draw(seed: int, choices: Choices) -> Scenario:
    random = Random(f"insync fuzz {choices.shape} {seed}")  # noqa: S311
    version = choices.version
    broker = brokers_of(
        seed, quorums=version >= KRAFT_SINCE, racks=version >= OLDEST_RACKS,
        settings=choices.settings,
    )  # fmt: skip
    protocols = ("classic", "consumer") if version >= OLDEST_CONSUMER else ("classic",)
    racks, java = SELECTOR in broker["settings"], version >= OLDEST_JAVA_GROUP
    keys = {
        "schema": 1,
        "name": name_of(seed, choices.shape),
        "summary": f"seed {seed} of insync fuzz",
        "arms": list(choices.arms),
        "repeats": 1,
        "min_insync_replicas": random.choice((1, 2, 2, 2)),
        "broker": broker,
        "workload": draw_workload(random, protocols, racks=racks, java=java),
        "timeline": {"steady_ms": STEADY_MS, "recover_ms": RECOVER_MS},
    }
    if choices.shape == "late-write":
        return Scenario.model_validate(late_write(keys, random))
    return _with_faults(keys, seed, random, choices.able)


def name_of(seed: int, shape: Shape) -> str:
    return f"{'seed' if shape == 'any' else shape}-{seed}"


def _with_faults(
    keys: Mapping[str, Any], seed: int, random: Random, kinds: Sequence[str]
) -> Scenario:
    """Return the scenario with faults, each of which fits those before it."""
    wanted = random.randint(1, MOST_FAULTS)
    scenario = Scenario.model_validate(keys)
    faults: list[dict[str, Any]] = []
    leaders = scenario.workload.leaders
    compound = (
        outage(random, kinds)
        or shrunk(seed, kinds, leaders)
        or cancelled(seed, kinds, leaders)
        or frozen(seed, kinds, scenario.workload)
    )
    # In half of the seeds a few kinds, which then come often (swarm testing): with all of them
    # three brokers are hardly ever killed in one seed.
    ranked = [name for name in _ranked(random) if name in kinds]
    few = ranked[:SWARM_KINDS] if random.random() < SWARM_SHARE else kinds
    for turn in range(TRIES):
        if len(faults) >= wanted and not compound:
            break
        able = few if faults or turn < TRIES // 2 else kinds  # the few may have nothing to act on
        if compound:
            fault = compound.pop(0)
        else:
            kind = next(KINDS[name] for name in _ranked(random) if name in able)
            fault = draw_keys(kind, random, leaders)
        try:
            # In order of time, which a rule of some kinds goes by: what another one did before it.
            in_time = sorted([*faults, fault], key=lambda each: int(each["at_ms"]))
            found = Scenario.model_validate({**keys, "faults": in_time})
        except ValidationError:
            continue
        if is_valid_schedule(found):
            scenario = found
            faults.append(fault)
    return scenario


def _ranked(random: Random) -> list[str]:
    """Return all kinds in random order, by weight: one that is missing here changes little."""
    names = [name for name in KINDS if name not in NOT_DRAWN]
    keys = {name: random.random() ** (1 / WEIGHTS.get(name, 1.0)) for name in names}
    return sorted(names, key=lambda name: keys[name], reverse=True)
