"""Reduction finds what a failure needs, and nothing else; tested against made-up predicates."""

from collections.abc import Callable, Sequence

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from insync.faults.registry import KINDS
from insync.fuzz.draw import Choices, draw
from insync.fuzz.reduce import NotRunYet, fault_parts, reduce_scenario, smallest, without
from insync.scenario.load import keys_of, parse
from insync.scenario.model import PlannedWorkload, Scenario


def left_of(count: int, fails: Callable[[Sequence[int]], bool]) -> tuple[int, ...]:
    return smallest(range(count), lambda found: [fails(each) for each in found])


@given(st.integers(1, 16), st.sets(st.integers(0, 15)))
def test_what_is_left_is_exactly_what_the_failure_needs(count: int, needed: set[int]) -> None:
    needed = {each for each in needed if each < count}
    assert set(left_of(count, lambda parts: needed <= set(parts))) == needed


@given(st.sets(st.frozensets(st.integers(0, 7), min_size=1), min_size=1, max_size=3))
def test_of_several_causes_one_is_left_and_all_of_it_needed(causes: set[frozenset[int]]) -> None:
    def fails(parts: Sequence[int]) -> bool:
        return any(cause <= set(parts) for cause in causes)

    left = left_of(8, fails)
    assert fails(left)
    assert not any(fails([each for each in left if each != one]) for one in left)


def test_candidates_of_a_round_are_tested_together_and_only_once() -> None:
    rounds: list[Sequence[tuple[int, ...]]] = []

    def test(candidates: Sequence[tuple[int, ...]]) -> list[bool]:
        rounds.append(candidates)
        return [{0, 4} <= set(each) for each in candidates]

    assert smallest(range(5), test) == (0, 4)
    asked = [each for candidates in rounds for each in candidates]
    assert len(asked) == len(set(asked))
    assert len(rounds) <= 4


def test_before_a_round_is_run_the_smallest_list_so_far_is_left() -> None:
    rounds = iter([[False], 4 * [False] + 4 * [True], [True]])

    def test(candidates: Sequence[tuple[int, ...]]) -> list[bool]:
        found = next(rounds, None)
        if found is None:
            raise NotRunYet
        assert len(found) == len(candidates)
        return found

    assert smallest(range(8), test) == (0, 1, 2, 3)


def seed_with(*kinds: str) -> Scenario:
    choices = Choices(arms=("stock",), kinds=tuple(KINDS))
    drawn = (draw(seed, choices) for seed in range(5_000))
    return next(
        each for each in drawn
        if set(kinds) <= {fault.kind for fault in each.faults} and len(each.faults) >= 4
    )  # fmt: skip


@pytest.mark.parametrize("needed", [("kill",), ("kill", "freeze"), ("link", "stall")])
def test_a_scenario_is_reduced_to_the_faults_that_it_needs(needed: tuple[str, ...]) -> None:
    def fails(scenarios: Sequence[Scenario]) -> list[bool]:
        return [set(needed) <= {fault.kind for fault in each.faults} for each in scenarios]

    left = reduce_scenario(seed_with(*needed), fails)
    assert sorted(fault.kind for fault in left.faults) == sorted(needed)
    assert left.workload.transactions is None
    assert not left.workload.groups
    assert left.workload.client == "librdkafka"
    assert parse_again(left) == left


def test_what_the_failure_needs_of_the_workload_stays() -> None:
    choices = Choices(arms=("stock",), kinds=tuple(KINDS))
    scenario = next(
        each for each in (draw(seed, choices) for seed in range(1_000))
        if each.workload.transactions and each.workload.groups and each.faults
    )  # fmt: skip
    left = reduce_scenario(
        scenario, lambda found: [each.workload.transactions is not None for each in found]
    )
    assert left.workload.transactions == scenario.workload.transactions
    assert not left.workload.groups
    assert not left.faults
    assert len(left.workload.leaders) == 1


@pytest.mark.parametrize("kind", ["answer", "client-freeze", "quorum-link"])
def test_what_a_fault_needs_of_the_workload_stays(kind: str) -> None:
    """Such as the Java clients that freeze."""
    scenario = seed_with(kind)
    left = reduce_scenario(
        scenario, lambda found: [any(fault.kind == kind for fault in each.faults) for each in found]
    )
    (fault,) = left.faults
    assert fault.kind == kind
    needed = ("client", "transactions") if kind == "client-freeze" else ()
    for name in ("client", "transactions", "read_from", "fetch_wait_ms"):
        plain = PlannedWorkload.model_fields[name].get_default()
        own = getattr(scenario.workload, name) if name in needed else plain
        assert getattr(left.workload, name) == own, name
    assert parse_again(left) == left


def test_a_part_that_others_need_is_no_candidate() -> None:
    """A preferred election after an earlier one of the same partition breaks a rule."""
    scenario = seed_with("stall")
    keys = keys_of(scenario)
    assert without(scenario, ()) == scenario
    keys["workload"]["leaders"] = [1]
    elect = {"kind": "elect", "broker": 2, "partitions": [0], "at_ms": 600}
    read = {
        "kind": "stall", "site": "read", "mode": "hold", "broker": 2, "partitions": [0],
        "at_ms": 700, "for_ms": 500,
    }  # fmt: skip
    keys["workload"].pop("bursts", None)
    keys["workload"].pop("keys", None)
    moved = Scenario.model_validate({**keys, "faults": [elect, read]})
    assert without(moved, fault_parts(moved)[:1]) is None


def parse_again(scenario: Scenario) -> Scenario:
    return parse(tomli_w.dumps(keys_of(scenario)), "reduced")
