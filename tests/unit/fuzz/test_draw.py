"""A seed is a scenario: valid, always the same, of every kind of fault, and fair to Kafka."""

import hashlib
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import get_args

import pytest
import tomli_w
from hypothesis import given
from hypothesis import strategies as st

from insync.arms import ARMS, FEATURE
from insync.brokers.kafka.versions import numbers, pinned
from insync.faults.kinds.cpu_quota import CpuQuota
from insync.faults.kinds.network.answer import Answer
from insync.faults.registry import KINDS, tags_of
from insync.fuzz.draw import (
    GENERATOR,
    MOST_FAULTS,
    Choices,
    draw,
    shrunk,
)
from insync.fuzz.reduce import keys_of
from insync.fuzz.request import Shape
from insync.fuzz.values import ASKED_OF_BROKERS, ASKED_OF_CONTROLLER, DISKS, LOSES_DATA, NOT_DRAWN
from insync.nodes import CONTROLLER_ID
from insync.run.arm_cluster import cluster_spec, disks_differ
from insync.run.requirements import require_version
from insync.scenario.load import parse
from insync.scenario.model import Scenario

SEEDS = range(1, 301)
SHAPES: tuple[Shape, ...] = get_args(Shape)
DRAWN = (8, "c95b8485ac67ee89d884210443b788cce0fbd111ea8644582f1f9fb4e9447c3d")
"""The version of the generator, and the SHA-256 of the scenarios of `SEEDS` of each shape. If this
changed without a new version, `--resume` would mix scenarios of both."""


def choices(shape: Shape = "any", kinds: tuple[str, ...] = tuple(KINDS)) -> Choices:
    arms = ("stock", "request", "step-down")
    return Choices(arms=arms, kinds=kinds, shape=shape)


@pytest.fixture(scope="module")
def drawn() -> list[Scenario]:
    return [draw(seed, choices()) for seed in SEEDS]


@given(st.integers(min_value=0, max_value=10**9), st.sampled_from(SHAPES))
def test_every_drawn_scenario_passes_the_rules_of_the_loader(seed: int, shape: Shape) -> None:
    scenario = draw(seed, choices(shape))
    assert parse(tomli_w.dumps(keys_of(scenario)), "a seed") == scenario
    assert 1 <= len(scenario.faults) <= MOST_FAULTS


@given(st.integers(min_value=0, max_value=10**9), st.sampled_from(SHAPES))
def test_a_seed_is_always_the_same_scenario(seed: int, shape: Shape) -> None:
    assert draw(seed, choices(shape)) == draw(seed, choices(shape))


def test_another_scenario_of_a_seed_is_another_version_of_the_generator(
    drawn: list[Scenario],
) -> None:
    late = [draw(seed, choices("late-write")) for seed in SEEDS]
    digest = hashlib.sha256()
    for each in (*drawn, *late):
        digest.update(tomli_w.dumps(keys_of(each)).encode())
    assert (GENERATOR, digest.hexdigest()) == DRAWN, "another scenario of a seed: raise GENERATOR"


def test_every_registered_kind_is_drawn(drawn: list[Scenario]) -> None:
    assert {fault.kind for each in drawn for fault in each.faults} == set(KINDS) - NOT_DRAWN


def test_answers_of_brokers_and_controllers_are_lost_late_wrong_or_resets(
    drawn: list[Scenario],
) -> None:
    answers = [each for one in drawn for each in one.faults if isinstance(each, Answer)]
    assert {each.mode for each in answers} == {"drop", "delay", "reset", "error"}
    assert {each.to for each in answers} == {"clients", "brokers", "controllers"}
    assert {each.at_controller for each in answers} == {True, False}
    assert {each.processed for each in answers if each.mode == "reset"} == {True, False}
    assert {each.api for each in answers} >= {"Produce", "Fetch", "BrokerHeartbeat", "EndTxn"}


def test_errors_say_rightly_whether_what_was_asked_for_is_done(drawn: list[Scenario]) -> None:
    """And none makes a correct client or follower skip or drop records."""
    answers = [each for one in drawn for each in one.faults if isinstance(each, Answer)]
    errors = {
        (each.error, each.processed) for each in answers if each.api == "Produce" and each.error
    }
    assert errors <= {
        ("REQUEST_TIMED_OUT", True), ("NOT_ENOUGH_REPLICAS_AFTER_APPEND", True),
        ("NOT_LEADER_OR_FOLLOWER", False), ("NOT_ENOUGH_REPLICAS", False),
        ("KAFKA_STORAGE_ERROR", False),
    }  # fmt: skip
    assert len(errors) > 2
    unsafe = {"OFFSET_OUT_OF_RANGE", "FENCED_LEADER_EPOCH", "UNKNOWN_PRODUCER_ID"}
    assert not any(
        unsafe & {*each.done, *each.undone} for each in (*ASKED_OF_BROKERS, *ASKED_OF_CONTROLLER)
    )


def test_no_seed_has_an_election_that_loses_records(drawn: list[Scenario]) -> None:
    assert not any(fault.loses_records for each in drawn for fault in each.faults)


def test_in_some_seeds_a_reassignment_is_cancelled_while_a_stall_holds_it_up(
    drawn: list[Scenario],
) -> None:
    found = [fault for each in drawn for fault in each.faults if fault.cancelled]
    assert 5 < len(found) < len(drawn) / 5


def test_clients_are_frozen_where_there_are_java_clients_in_a_transaction(
    drawn: list[Scenario],
) -> None:
    freezes = ["client-freeze" in {fault.kind for fault in each.faults} for each in drawn]
    both = [each for each, freeze in zip(drawn, freezes, strict=True) if freeze]
    assert len(both) > 2
    assert all(each.workload.client == "both" for each in both)


def test_consumers_read_from_followers_in_half_of_the_tens_of_seeds(drawn: list[Scenario]) -> None:
    readers = {seed for seed, each in zip(SEEDS, drawn, strict=True) if each.workload.read_from}
    assert len(readers) > 20
    assert {(seed - 1) // 10 % 2 for seed in readers} == {1}
    assert len({each.workload.fetch_wait_ms for each in drawn}) > 2
    old = replace(choices(), version=(2, 3, 1))
    assert not any(draw(seed, old).workload.read_from for seed in readers)


def test_an_older_version_has_nothing_that_it_refuses() -> None:
    old, new = (replace(choices(), version=version) for version in ((2, 8, 2), (4, 3, 1)))
    kinds = {"answer", "client-freeze", "controller-link", "quorum-link"}
    assert set(new.able) - set(old.able) == kinds
    assert set(new.able) == set(KINDS)
    for each in (pinned("1.1.0"), pinned("2.8.2")):
        able = replace(choices(), version=numbers(each.version))
        for seed in range(1, 61):
            require_version(draw(seed, able), each)


def test_kinds_that_cannot_act_here_are_not_drawn() -> None:
    without = tuple(kind for kind in KINDS if kind != "kill")
    seeds = [draw(seed, choices(kinds=without)) for seed in range(1, 101)]
    assert not any(fault.kind == "kill" for each in seeds for fault in each.faults)


def test_a_seed_without_a_missing_kind_is_the_same_where_the_kind_is_missing() -> None:
    without = tuple(kind for kind in KINDS if kind != "disk-full")
    seeds = range(1, 101)
    same = [draw(seed, choices()) == draw(seed, choices(kinds=without)) for seed in seeds]
    assert sum(same) > len(same) / 2


def test_workloads_and_schedules_vary(drawn: list[Scenario]) -> None:
    loads = [each.workload for each in drawn]
    assert {load.acks for load in loads} == {"1", "all"}
    assert {load.client for load in loads} == {"librdkafka", "java", "both"}
    for part in ("idempotent", "transactions", "groups", "bursts", "keys"):
        assert any(getattr(load, part) for load in loads), part
    assert {len(each.faults) for each in drawn} == set(range(1, MOST_FAULTS + 1))
    assert any(_overlap(each) for each in drawn)


def _overlap(scenario: Scenario) -> bool:
    faults = sorted(scenario.faults, key=lambda fault: fault.at_ms)
    return any(one.end_ms > other.at_ms for one, other in pairwise(faults))


def test_in_some_seeds_every_broker_is_killed(drawn: list[Scenario]) -> None:
    killed = [{fault.broker for fault in each.faults if fault.kind == "kill"} for each in drawn]
    assert any({1, 2, 3} <= each for each in killed)
    assert sum({1, 2, 3} <= each for each in killed) < len(killed) / 4


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_seeds_in_a_row_can_share_a_cluster(shape: Shape) -> None:
    for first in range(1, 60, 10):
        seeds = [draw(seed, choices(shape)) for seed in range(first, first + 10)]
        assert disks_differ(seeds) is None
        for arm in ARMS:
            assert all(cluster_spec(each, arm) == cluster_spec(seeds[0], arm) for each in seeds)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_third_of_the_seeds_has_three_controllers_and_one_combined_nodes(shape: Shape) -> None:
    found = Counter[tuple[int, bool]]()
    for seed in range(1, 61):
        scenario = draw(seed, choices(shape))
        found[scenario.broker.controllers, scenario.broker.combined] += 1
        if scenario.broker.combined:
            assert all(fault.broker < CONTROLLER_ID for fault in scenario.faults)
    assert found == {(1, False): 20, (3, False): 20, (3, True): 20}
    on_zookeeper = replace(choices(shape), version=(2, 8, 2))
    assert draw(11, on_zookeeper).broker.controllers == 1


def test_cpu_faults_can_act_at_a_controller_which_uses_little() -> None:
    kinds = ("cpu-quota", "cpu-neighbour")  # else few seeds have them
    drawn = [draw(seed, choices(kinds=kinds)) for seed in range(1, 101)]
    faults = [fault for each in drawn for fault in each.faults]
    quotas: dict[bool, list[float]] = {True: [], False: []}
    for fault in faults:
        if isinstance(fault, CpuQuota):
            quotas[fault.broker == CONTROLLER_ID].append(fault.quota_percent)
    assert 0 < max(quotas[True]) <= min(quotas[False])
    assert {fault.broker for fault in faults if fault.kind == "cpu-neighbour"} == {1, 2, 3}


def test_in_some_seeds_a_leader_hangs_when_a_follower_is_live_and_out_of_the_isr() -> None:
    found = []
    for seed in range(1, 1_001):
        faults = shrunk(seed, tuple(KINDS), [2, 1, 2])
        if faults:
            late, hung = faults
            assert late["broker"] != hung["broker"]
            assert late["at_ms"] + 2_500 < hung["at_ms"] < late["at_ms"] + late["for_ms"]
            assert [[2, 1, 2][each] for each in hung["partitions"]] == [hung["broker"]] * len(
                hung["partitions"]
            )
            found.append((seed, late["kind"]))
    assert 20 < len(found) < 200
    assert {kind for _, kind in found} == {"stall", "link"}
    seed = found[0][0]
    assert shrunk(seed, ("stall",), [2, 1, 2]) == []


def test_both_faults_of_a_shrunk_isr_are_in_its_seeds(drawn: list[Scenario]) -> None:
    found = Counter[str]()
    for seed, each in zip(SEEDS, drawn, strict=True):
        pair = shrunk(seed, tuple(KINDS), each.workload.leaders)
        has = {(fault.kind, fault.broker, fault.at_ms) for fault in each.faults}
        if pair and {(one["kind"], one["broker"], one["at_ms"]) for one in pair} <= has:
            found[each.workload.acks] += 1
    assert found["all"] >= 5
    assert found["1"] >= 3


def test_at_most_one_replica_is_lost(drawn: list[Scenario]) -> None:
    lossy = [each for each in drawn if any(fault.kind in LOSES_DATA for fault in each.faults)]
    assert lossy
    for each in lossy:
        assert sum(not tags_of(fault).harmless for fault in each.faults) == 1


def test_settings_of_a_fuzz_reach_every_node_and_those_of_an_arm_replace_them() -> None:
    unsafe = {"unclean.leader.election.enable": "true", FEATURE: "false"}
    scenario = draw(1, Choices(arms=("stock", "request"), kinds=tuple(KINDS), settings=unsafe))
    found = [cluster_spec(scenario, arm).settings for arm in scenario.arms]
    assert [each["unclean.leader.election.enable"] for each in found] == ["true", "true"]
    assert [each[FEATURE] for each in found] == ["false", "true"]


def test_a_late_write_ends_after_the_leadership_may_have_moved() -> None:
    forms = Counter[str]()
    for seed in SEEDS:
        scenario = draw(seed, choices("late-write"))
        write, other = scenario.faults
        assert (write.kind, getattr(write, "site", "")) == ("stall", "write")
        assert scenario.workload.leaders[0] == write.broker
        forms[other.kind] += 1
        assert other.end_ms < write.end_ms
    assert set(forms) == {"elect", "stall"}


def test_disks_name_each_kind_of_disk_once() -> None:
    assert len(set(DISKS.values())) == len(DISKS)
    assert {kind.tags.log_folder for kind in KINDS.values()} - {""} <= set(DISKS)
