import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.skew import PartitionKeys, shares
from insync.workload.plan import Load, WorkloadPlan
from unit.workload.plans import BASE

PARTITIONS = st.integers(1, 12)
MORE_KEYS = st.integers(0, 60)
SKEWS = st.floats(0, 4)


@given(PARTITIONS, MORE_KEYS, SKEWS)
def test_the_shares_of_all_partitions_are_everything_and_fall(
    partitions: int, more: int, skew: float
) -> None:
    found = shares(partitions + more, skew, partitions)
    assert sum(found) == pytest.approx(1)
    assert all(share > 0 for share in found)
    assert found == sorted(found, reverse=True)


@given(PARTITIONS, MORE_KEYS, SKEWS, st.integers(), st.data())
def test_a_partition_gets_only_its_own_keys(
    partitions: int, more: int, skew: float, seed: int, data: st.DataObject
) -> None:
    keys, partition = partitions + more, data.draw(st.integers(0, partitions - 1))
    source = random.Random(seed)  # noqa: S311
    own = PartitionKeys(partition, keys, skew, partitions, source)
    found = {own.next() for _ in range(50)}
    assert found <= set(range(partition, keys, partitions))


@given(st.floats(0, 3), st.integers(0, 2**32))
def test_each_key_is_as_frequent_as_the_skew_says(skew: float, seed: int) -> None:
    source = random.Random(seed)  # noqa: S311
    own, records = PartitionKeys(1, 9, skew, 3, source), 4_000
    counts = Counter(own.next() for _ in range(records))
    weights = {key: 1 / (key + 1) ** skew for key in (1, 4, 7)}
    for key, weight in weights.items():
        share = weight / sum(weights.values())
        # Five standard deviations: one example in a million is outside.
        assert abs(counts[key] - records * share) < 5 * (records * share * (1 - share)) ** 0.5 + 1


def test_without_keys_all_partitions_have_the_same_rate_and_records_no_key() -> None:
    plan = _plan(Load())
    assert [plan.rate_of(p) for p in plan.partitions] == [30, 30, 30]
    assert plan.keys_of(0, 0) is None


def test_a_skew_moves_records_between_partitions_and_adds_none() -> None:
    plan = _plan(Load(keys=3, key_skew=1.0))
    rates = [plan.rate_of(p) for p in plan.partitions]
    assert sum(rates) == pytest.approx(90)
    assert rates[0] == pytest.approx(rates[1] * 2) == pytest.approx(rates[2] * 3)


def test_keys_that_count_down_are_different_and_two_are_those_of_markers() -> None:
    plan = _plan(Load(key_countdown=3))
    found = [plan.key_of(seq) for seq in range(6)]
    assert found[2:4] == [b"\0\0\0\1", b"\0\0\0\0"], "of a commit and of an abort"
    assert found[4] == b"\xff\xff\xff\xff"
    assert len(set(found)) == 6
    assert plan.key_of(1 << 40) == (1 << 40).to_bytes(8, "big"), "of a transaction"
    assert _plan(Load()).key_of(7) is None


def _plan(load: Load) -> WorkloadPlan:
    return replace(BASE, partitions=range(3), rate=30, producers=2, load=load)
