"""Roles, repetitions and ramps become primitive faults: complete, in order, not overlapping."""

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.errors import InputError
from insync.faults.registry import KINDS
from insync.faults.spec import Lasting
from insync.scenario.expand import RAMPS, expand, ramped, repeated
from insync.scenario.load import parse, source
from insync.scenario.model import Scenario
from insync.scenario.roles import Election, leaders_at
from insync.scenario.written import WrittenScenario

KIP = source("kip-501")
WHOLE = KIP[KIP.index("[[faults]]") : KIP.index("[expect.stock]")]
QUOTA = '[[faults]]\nkind = "cpu-quota"\nquota_percent = 10.0\nat_ms = 3_000\nfor_ms = 1_000\n'
FREEZE = '[[faults]]\nkind = "freeze"\nat_ms = 40_000\nfor_ms = 1_000\n'
ELECT = '[[faults]]\nkind = "elect"\nbroker = 2\npartitions = [0]\nat_ms = 5_000\n'
DELAY = (
    '[[faults]]\nkind = "stall"\nsite = "write"\nmode = "delay"\ndelay_ms = 90\npartitions = [0]\n'
    "broker = 2\nat_ms = 3_000\nfor_ms = 1_000\n"
)


def of(*faults: str, scale: float = 1.0) -> Scenario:
    return parse(KIP.replace(WHOLE, "\n".join([*faults, ""])), "mine.toml", scale)


def starts_and_brokers(*faults: str) -> list[tuple[int, int]]:
    return [(fault.at_ms, fault.broker) for fault in of(*faults).faults]


@pytest.mark.parametrize(
    ("target", "brokers"),
    [
        ("leader of 2", [2]),
        ("followers of 0", [2, 3]),
        ("followers of 2", [3, 1]),
        ("controller", [100]),
        ("broker 3", [3]),
    ],
)
def test_a_role_is_one_fault_per_node_that_it_means(target: str, brokers: list[int]) -> None:
    found = starts_and_brokers(FREEZE + f'target = "{target}"\n')
    assert [broker for _, broker in found] == brokers


def test_a_role_follows_the_elections_planned_before() -> None:
    early = FREEZE.replace("40_000", "5_000") + 'target = "leader of 0"\n'
    late = FREEZE + 'target = "leader of 0"\n'
    assert starts_and_brokers(early, late, ELECT) == [(5_000, 1), (40_000, 2), (5_000, 2)]


def test_a_fault_that_repeats_follows_the_elections_as_well() -> None:
    often = QUOTA + 'target = "leader of 0"\nevery_ms = 1_500\ntimes = 3\n'
    assert starts_and_brokers(often, ELECT)[:3] == [(3_000, 1), (4_500, 1), (6_000, 2)]


def test_a_stall_may_be_on_the_broker_elected_before() -> None:
    stall = DELAY.replace("write", "read").replace("broker = 2", 'target = "leader of 0"')
    assert starts_and_brokers(ELECT, stall.replace("3_000", "6_000")) == [(5_000, 2), (6_000, 2)]


@pytest.mark.parametrize(
    ("key", "value", "levels"),
    [
        ("by_ms", 3_000, [1_000, 2_000, 3_000]),
        ("by_ms", -3_000, [-1_000, -2_000, -3_000]),
        ("by_ms", -1, [-1, -1, -1]),
        ("loss_percent", 30.0, [10.0, 20.0, 30.0]),
    ],
)
def test_a_jump_and_a_loss_move_away_from_zero(key: str, value: float, levels: list[float]) -> None:
    steps = ramped({"at_ms": 0, "for_ms": 300, key: value}, {key: value}, 3)
    assert [step[key] for step in steps] == levels


def test_a_ramp_rises_to_the_value_and_a_quota_falls_to_it() -> None:
    steps = of(DELAY + "ramp = 3\n").faults
    assert [(each.at_ms, each.end_ms, each.delay_ms) for each in steps] == [  # type: ignore[union-attr]
        (3_000, 3_333, 30), (3_333, 3_666, 60), (3_666, 4_000, 90),
    ]  # fmt: skip
    falling = of(QUOTA + "broker = 1\nramp = 4\n").faults
    assert [each.quota_percent for each in falling] == [77.5, 55.0, 32.5, 10.0]  # type: ignore[union-attr]


def test_scaled_steps_are_still_contiguous() -> None:
    scaled = of(QUOTA + "broker = 1\nramp = 3\nevery_ms = 1_000\ntimes = 2\n", scale=0.333).faults
    assert [each.at_ms for each in scaled[1:]] == [each.end_ms for each in scaled[:-1]]
    assert (scaled[0].at_ms, scaled[-1].end_ms) == (999, 1_665)


def test_a_primitive_fault_is_unchanged() -> None:
    scenario = of(DELAY + "ramp = 3\n", FREEZE + 'target = "followers of 0"\n')
    again = expand(WrittenScenario.model_validate(scenario.as_dict()))
    assert again.faults == scenario.as_dict()["faults"]
    assert again.origins == list(range(5))


def test_a_fault_of_kafkas_own_topic_follows_the_leaders_of_that_topic() -> None:
    own = ELECT.replace("[0]", "[2]") + 'topic = "__transaction_state"\n'
    back = own.replace("5_000", "9_000").replace("broker = 2", "broker = 3")
    frozen = FREEZE + 'target = "leader of 2"\n'
    text = source("transactions")
    text = text[: text.index("[[faults]]")]
    made = parse("\n".join([text, own, back, frozen]), "mine.toml")
    assert [fault.broker for fault in made.faults] == [2, 3, made.workload.leaders[2]]
    again = own.replace("5_000", "6_000")
    with pytest.raises(InputError, match=r"faults\[1\].partitions\[0\]: 2, expected a partition"):
        parse("\n".join([text, own, again]), "mine.toml")


def test_a_partition_may_be_elected_there_and_back() -> None:
    back = ELECT.replace("5_000", "9_000").replace("broker = 2", "broker = 1")
    assert starts_and_brokers(ELECT, back) == [(5_000, 2), (9_000, 1)]


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        (FREEZE, "faults[1].broker: None, expected a broker, or a target instead"),
        (FREEZE + 'broker = 1\ntarget = "broker 1"', "faults[1].target: 'broker 1', expected none"),
        (FREEZE + 'target = "leader"', "faults[1].target: 'leader', expected \"leader of P\", "),
        (FREEZE + 'target = "leader of 4"', "target: 'leader of 4', expected a partition from 0 t"),
        (FREEZE + 'target = "broker 7"', "faults[1].broker: 7, expected at most 3, or a target"),
        (FREEZE + "broker = 4", "faults[1].broker: 4, expected at most 3, or a target instead"),
        (FREEZE + "target = 1", "faults[1].target: 1, expected a string"),
        (
            DELAY.replace("broker = 2", 'target = "controller"'),
            "'controller', expected a broker, or one of the kinds answer, cpu-neighbour,",
        ),
        (FREEZE + "broker = 1\nevery_ms = 9", "faults[1].times: None, expected how often it is"),
        (FREEZE + "broker = 1\ntimes = 2", "faults[1].every_ms: None, expected the time from one"),
        (FREEZE + "broker = 1\ntimes = 1\nevery_ms = 9", "faults[1].times: 1, expected at least 2"),
        (
            FREEZE + "broker = 1\ntimes = 2\nevery_ms = 999",
            "faults[1].every_ms: 999, expected at least for_ms, which is 1000",
        ),
        (FREEZE + "broker = 1\nramp = 2", "faults[1].ramp: 2, expected none for kind 'freeze'"),
        (
            DELAY.replace("delay_ms = 90", "").replace('"delay"', '"hold"') + "ramp = 2",
            "faults[1].ramp: 2, expected delay_ms, to which it rises",
        ),
        (DELAY.replace("1_000", "5") + "ramp = 6", "ramp: 6, expected at most for_ms, which is 5"),
        (
            DELAY + "ramp = 2\nx = 1",
            "faults[1].x: unknown key, expected one of: broker, at_ms, for",
        ),
        (ELECT + "times = 2\nevery_ms = 9", "faults[1].every_ms: 9, expected none: a partition is"),
        (
            ELECT + ELECT.replace("5_000", "6_000"),
            "[0]: 0, expected a partition that broker 2 does",
        ),
        (
            ELECT + 'topic = "__transaction_state"\n',
            "faults[1].topic: '__transaction_state', expected a scenario with workload.tra",
        ),
        (
            ELECT + 'topic = "__cluster_metadata"\n',
            "faults[1].topic: '__cluster_metadata', expected '__transaction_state', ",
        ),
        (
            QUOTA
            + "broker = 1\ntimes = 40\nevery_ms = 1_000\n\n"
            + QUOTA
            + "broker = 2\nramp = 40",
            "faults: 82 items, expected at most 64 items",
        ),
        (
            QUOTA + "broker = 1\ntimes = 3\nevery_ms = 2_000\n" + QUOTA + "broker = 1",
            "faults[2].at_ms: 3000, expected outside of 3000 to 4000, when the same broker is",
        ),
    ],
)
def test_an_invalid_value_is_named_with_its_key(fault: str, problem: str) -> None:
    first = DELAY.replace("broker = 2", 'target = "followers of 0"').replace("90", "9")
    with pytest.raises(InputError, match=r"^mine.toml: [^\n]*" + re.escape(problem)):
        of(first, fault)


WHEN = st.fixed_dictionaries(
    {"at_ms": st.integers(0, 10**6), "for_ms": st.integers(64, 10**6), "kind": st.just("x")}
)


@given(WHEN, st.integers(0, 10**6), st.integers(2, 64))
def test_repetitions_are_as_many_as_requested_equal_and_not_overlapping(
    fault: dict[str, Any], pause: int, times: int
) -> None:
    made = repeated(fault, fault["for_ms"] + pause, times)
    assert len(made) == times
    assert made[0] == fault
    assert all(each["for_ms"] == fault["for_ms"] for each in made)
    for one, after in pairwise(made):
        assert after["at_ms"] - one["at_ms"] == one["for_ms"] + pause


@given(WHEN, st.sampled_from(sorted(RAMPS)), st.integers(1, 10**6), st.integers(2, 64))
def test_a_ramp_fills_its_time_without_gaps_and_ends_at_its_value(
    fault: dict[str, Any], key: str, value: int, steps: int
) -> None:
    full = min(value, 100) if key == "quota_percent" else value
    made = ramped({**fault, key: full}, {key: full}, steps)
    assert len(made) == steps
    assert made[0]["at_ms"] == fault["at_ms"]
    assert sum(each["for_ms"] for each in made) == fault["for_ms"]
    assert all(each["for_ms"] >= 1 for each in made)
    for one, after in pairwise(made):
        assert after["at_ms"] == one["at_ms"] + one["for_ms"]
    levels = [each[key] for each in made]
    assert levels == sorted(levels, reverse=key not in ("delay_ms", "by_ms", "loss_percent"))
    assert levels[-1] == full
    assert len({*levels}) == steps or key != "quota_percent" or full == 100


def test_every_intensity_of_every_kind_can_ramp() -> None:
    assert {key for kind in KINDS.values() for key in kind.spec.intensity} <= RAMPS.keys()


ELECTIONS = st.lists(
    st.builds(
        Election, st.integers(0, 50), st.integers(1, 3), st.lists(st.integers(0, 9), max_size=4)
    )
)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=6), ELECTIONS, st.integers(0, 60))
def test_the_last_election_before_a_time_decides_the_leader(
    leaders: list[int], elections: list[Election], at_ms: int
) -> None:
    led = leaders_at(leaders, elections, at_ms)
    for partition, leader in enumerate(leaders):
        about = [each for each in elections if partition in each.partitions and each.at_ms < at_ms]
        latest = max((each.at_ms for each in about), default=None)
        expected = {each.broker for each in about if each.at_ms == latest} or {leader}
        assert led[partition] in expected


def test_every_primitive_fault_of_a_schedule_is_a_valid_fault() -> None:
    faults = of(QUOTA + 'target = "followers of 0"\ntimes = 4\nevery_ms = 2_000\nramp = 4\n').faults
    assert len(faults) == 4 * 4 * 2
    assert all(isinstance(fault, Lasting) and fault.for_ms == 250 for fault in faults)
