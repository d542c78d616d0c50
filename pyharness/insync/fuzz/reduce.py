"""Reduce a failing seed to a scenario with fewer faults that fails as well, by replays.

Delta debugging by rounds: Zeller's ddmin, except that all candidates of a round are tested
together, because to start a cluster and Spark takes longer than most tests. A reduction asks for
replays in rounds. It is computed again from all results that there are, and ends where it asks for
a round that was not run yet; that round is what runs next.
"""

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Generic, TypeVar

from pydantic import ValidationError

from insync.fuzz.judge import Class
from insync.fuzz.values import PLAIN
from insync.scenario.load import keys_of
from insync.scenario.model import Scenario

Part = TypeVar("Part")
Test = Callable[[Sequence[tuple[Part, ...]]], Sequence[bool]]
"""Returns for each candidate whether it still fails."""

HALVES: Final = 2


@dataclass
class Reduction(Generic[Part]):
    """Reduces parts; `fails` is asked once for each candidate.

    `fails` may raise `NotRunYet`; the reduction then ends with the smallest failing list so far.
    """

    fails: Test[Part]
    _known: dict[tuple[Part, ...], bool] = field(default_factory=dict)

    def of(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """Return parts that still fail and of which none can be left out alone."""
        left = tuple(parts)
        try:
            if left and self._first_failing([()]) is not None:
                return ()
            size = HALVES
            while len(left) > 1:
                chunks = split(left, min(size, len(left)))
                found = self._first_failing([*chunks, *_without_each(left, chunks)])
                if found is None:
                    if size >= len(left):
                        break
                    size = min(size * HALVES, len(left))
                    continue
                # From a chunk on in halves; from the rest without a chunk as finely as before.
                size = HALVES if found in chunks else max(size - 1, HALVES)
                left = found
        except NotRunYet:
            pass
        return left

    def _first_failing(self, candidates: Sequence[tuple[Part, ...]]) -> tuple[Part, ...] | None:
        new = [each for each in dict.fromkeys(candidates) if each not in self._known]
        if new:
            self._known.update(zip(new, self.fails(new), strict=True))
        return next((each for each in candidates if self._known[each]), None)


class NotRunYet(Exception):  # noqa: N818  # not an error: its round runs next
    """A candidate of this round was not run yet."""


def split(parts: Sequence[Part], number: int) -> list[tuple[Part, ...]]:
    """Return the parts in so many chunks of almost equal length."""
    ends = [len(parts) * each // number for each in range(number + 1)]
    return [tuple(parts[begin:end]) for begin, end in itertools.pairwise(ends)]


def _without_each(
    parts: Sequence[Part], chunks: Sequence[Sequence[Part]]
) -> list[tuple[Part, ...]]:
    if len(chunks) == HALVES:
        return []  # without one half it is the other half
    return [tuple(each for each in parts if each not in chunk) for chunk in chunks]


REPLAYS: Final = 10
FIRST_REPLAYS: Final = 3
MOST_TRIES: Final = 3


@dataclass
class Replays:
    """The replays of a failing scenario on an arm, of which a class of finding counts.

    `failed` says of scenarios by name whether they failed; those that it lacks were not run.
    `next_round` are the scenarios that were asked for first of those.
    """

    scenario: Scenario
    arm: str
    of: Class
    failed: Mapping[str, bool]
    next_round: list[Scenario] = field(default_factory=list)
    _rounds: int = 0

    @property
    def name(self) -> str:
        return f"{self.scenario.name}-{self.arm}-{self.of}"

    def failures(self, scenarios: Sequence[Scenario], times: int) -> list[int]:
        """Return how often each scenario failed of so many times.

        Raises NotRunYet from the first round on that was not run.
        """
        if self.next_round:
            raise NotRunYet
        self._rounds += 1
        names = [
            [f"{self.name}-{self._rounds}-{number}-{time}" for time in range(1, times + 1)]
            for number in range(1, len(scenarios) + 1)
        ]
        if any(name not in self.failed for own in names for name in own):
            self.next_round = [
                scenario.model_copy(update={"name": name, "arms": (self.arm,)})
                for scenario, own in zip(scenarios, names, strict=True)
                for name in own
            ]
            raise NotRunYet
        return [sum(self.failed[name] for name in own) for own in names]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reduced:
    """What a reduction came to so far: the scenario that is left, None if no replay failed.

    It was replayed so often, and `failed` of these had such a finding.
    """

    scenario: Scenario | None
    replays: int
    failed: int
    complete: bool

    def words(self, before: int) -> str:
        """Return it in words; the scenario had so many faults before."""
        if self.scenario is None:
            return f"none of {self.replays} replays had such a finding: not reduced"
        end = "" if self.complete else "; the reduction has not ended yet"
        return (
            f"{before} faults reduced to {len(self.scenario.faults)};"
            f" {self.failed} of {self.replays} replays of the reduced scenario failed{end}"
        )


def reduce_seed(replays: Replays) -> Reduced | None:
    """Return how far a failing scenario can be reduced by the replays that there are.

    None if there are none yet.
    """
    scenario = replays.scenario
    try:
        (failed,) = replays.failures([scenario], FIRST_REPLAYS)
    except NotRunYet:
        return None
    if failed == 0:
        return Reduced(scenario=None, replays=FIRST_REPLAYS, failed=0, complete=True)
    tries = MOST_TRIES if failed < FIRST_REPLAYS else 1
    left = reduce_scenario(
        scenario, lambda each: [failed > 0 for failed in replays.failures(each, tries)]
    )
    left = left.model_copy(
        update={
            "name": replays.name, "arms": (replays.arm,),
            "summary": f"{scenario.summary}, reduced",
        }
    )  # fmt: skip
    times, complete = FIRST_REPLAYS, False
    with suppress(NotRunYet):
        failed, times, complete = replays.failures([left], REPLAYS)[0], REPLAYS, True
    return Reduced(scenario=left, replays=times, failed=failed, complete=complete)


def reduce_scenario(
    scenario: Scenario, fails: Callable[[Sequence[Scenario]], Sequence[bool]]
) -> Scenario:
    """Return the smallest scenario found that still fails.

    First fewer faults, then a plainer workload with fewer partitions, then shorter faults.
    """
    for parts_of in (fault_parts, workload_parts, length_parts):
        parts = parts_of(scenario)
        kept = Reduction(partial(_still_fail, scenario, parts, fails)).of(parts)
        scenario = rebuilt(scenario, parts, kept) or scenario
    return scenario


def _still_fail(
    scenario: Scenario,
    parts: Sequence[str],
    fails: Callable[[Sequence[Scenario]], Sequence[bool]],
    candidates: Sequence[tuple[str, ...]],
) -> list[bool]:
    made = [rebuilt(scenario, parts, kept) for kept in candidates]
    valid = [each for each in made if each is not None]
    found = iter(fails(valid) if valid else ())
    return [each is not None and next(found) for each in made]


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
    "read_from": _without("read_from"),
    "fetch_wait_ms": _without("fetch_wait_ms"),
    "load": lambda workload: {**workload, **PLAIN},
}
"""What each part of a workload is without it."""


def fault_parts(scenario: Scenario) -> list[str]:
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
