"""Reduce a failing seed to a scenario with fewer faults that fails as well, by replays.

A reduction asks for replays in rounds: all candidates of a round are tested together, because to
start a cluster and Spark takes longer than most tests. It is computed again from all results that
there are, and ends where it asks for a round that was not run yet; that round is what runs next.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from pydantic import ValidationError

from insync.fuzz.judge import Class
from insync.fuzz.values import PLAIN
from insync.scenario.load import keys_of
from insync.scenario.model import Scenario

Part = TypeVar("Part")
Test = Callable[[Sequence[tuple[Part, ...]]], Sequence[bool]]
"""Returns for each candidate whether it still fails; may raise `NotRunYet`."""


class NotRunYet(Exception):  # noqa: N818  # not an error: its round runs next
    """A candidate of this round was not run yet."""


def smallest(parts: Sequence[Part], fails: Test[Part]) -> tuple[Part, ...]:
    """Return parts that still fail and of which none can be left out alone.

    A round leaves out each part alone; those that are not needed are then left out together. If
    `fails` raises `NotRunYet`, they are the fewest so far.
    """
    left = tuple(parts)
    with suppress(NotRunYet):
        if left and fails([()])[0]:
            return ()
        while len(left) > 1:
            fewer = [tuple(each for each in left if each != part) for part in left]
            still = fails(fewer)
            needed = tuple(part for part, failed in zip(left, still, strict=True) if not failed)
            if needed == left:
                break
            # Without all others it may not fail: one of two may be needed, whichever it is.
            is_enough = needed in fewer or (needed and fails([needed])[0])
            left = needed if is_enough else fewer[still.index(True)]
    return left


REPLAYS: Final = 10
FIRST_REPLAYS: Final = 3
MOST_TRIES: Final = 3


@dataclass
class Replays:
    """The replays of a failing scenario on an arm, of which a class of finding counts.

    `found` has the classes of findings of replays, by name; those that it lacks were not run.
    `next_round` are the scenarios that were asked for first of those.
    """

    scenario: Scenario
    arm: str
    of: Class
    found: Mapping[str, Collection[Class]]
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
        if any(name not in self.found for own in names for name in own):
            self.next_round = [
                scenario.model_copy(update={"name": name, "arms": (self.arm,)})
                for scenario, own in zip(scenarios, names, strict=True)
                for name in own
            ]
            raise NotRunYet
        return [sum(self.of in self.found[name] for name in own) for own in names]


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


Fails = Callable[[Sequence[Scenario]], Sequence[bool]]


def reduce_scenario(scenario: Scenario, fails: Fails) -> Scenario:
    """Return the smallest scenario found that still fails.

    First fewer faults, then a plainer workload with fewer partitions.
    """
    for parts_of in (fault_parts, workload_parts):
        parts = parts_of(scenario)
        kept = smallest(parts, partial(_still_fail, scenario, parts, fails))
        scenario = without(scenario, parts, kept) or scenario
    return scenario


Keys = dict[str, Any]
Removal = Callable[[Keys], object]
"""Takes a part out of the keys of a scenario."""


def _still_fail(
    scenario: Scenario,
    parts: Sequence[Removal],
    fails: Fails,
    candidates: Sequence[tuple[Removal, ...]],
) -> list[bool]:
    made = [without(scenario, parts, kept) for kept in candidates]
    valid = [each for each in made if each is not None]
    found = iter(fails(valid) if valid else ())
    return [each is not None and next(found) for each in made]


def without(
    scenario: Scenario, parts: Sequence[Removal], kept: Collection[Removal] = ()
) -> Scenario | None:
    """Return the scenario without those of `parts` that are not `kept`; None if it is not valid."""
    keys = keys_of(scenario)
    for remove in parts:
        if remove not in kept:
            remove(keys)
    keys["faults"] = [fault for fault in keys.get("faults", ()) if fault]
    try:
        return Scenario.model_validate(keys)
    except ValidationError:
        return None


FEATURES: Final = (
    ("transactions",), ("groups",), ("bursts",), ("keys", "key_skew"), ("compression", "linger_ms"),
    ("idempotent",), ("client",), ("read_from",), ("fetch_wait_ms",),
)  # fmt: skip
"""The keys of each part of a workload that it can be without."""


def fault_parts(scenario: Scenario) -> list[Removal]:
    return [partial(_empty, number) for number in range(len(scenario.faults))]


def _empty(number: int, keys: Keys) -> None:
    keys["faults"][number] = {}  # so that the others keep their numbers


def workload_parts(scenario: Scenario) -> list[Removal]:
    """Return a part for each feature of the workload that is not plain, and for its partitions.

    The faults need the partitions up to the last one that one names.
    """
    workload = keys_of(scenario)["workload"]
    parts: list[Removal] = [
        partial(_pop, names) for names in FEATURES if not workload.keys().isdisjoint(names)
    ]
    if not workload.items() >= PLAIN.items():
        parts.append(lambda keys: keys["workload"].update(PLAIN))
    named = [number for fault in scenario.faults for number in getattr(fault, "partitions", ())]
    needed = max(named, default=0) + 1
    return [*parts, partial(_keep, needed)] if len(workload["leaders"]) > needed else parts


def _pop(names: Sequence[str], keys: Keys) -> None:
    for name in names:
        keys["workload"].pop(name, None)


def _keep(partitions: int, keys: Keys) -> None:
    _pop(("bursts", "keys", "key_skew"), keys)
    del keys["workload"]["leaders"][partitions:]
