"""What is written when: bursts, skewed keys, and the share of the Java clients."""

import random
from collections import Counter
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.clients import LIBRARIES, Client
from insync.skew import PartitionKeys, shares
from insync.workload.java import java_plan
from insync.workload.plan import VARIES, Burst, Load, TransactionPlan, WorkloadPlan, schedule
from unit.workload.plans import BASE

BURST = Burst(records=5, every=0.2)


def bursting(producers: int = 1, seed: int = 7) -> WorkloadPlan:
    return replace(
        BASE, partitions=(0, 1), rate=100, producers=producers, seed=seed, bursts={1: BURST}
    )


def due(made: WorkloadPlan, partition: int, lane: int, count: int) -> list[tuple[int, float]]:
    return list(islice(schedule(made, partition, lane), count))


def test_a_partition_without_bursts_gets_its_records_evenly() -> None:
    assert due(bursting(producers=2), 0, 1, 3) == [(1, 0.01), (3, 0.03), (5, 0.05)]


def test_records_of_a_burst_are_due_together_and_in_order() -> None:
    found = due(bursting(), 1, 0, 20)
    assert [seq for seq, _ in found] == list(range(20))
    times = [{at for seq, at in found if seq // BURST.records == number} for number in range(4)]
    assert all(len(same) == 1 for same in times)


def test_intervals_between_bursts_vary_around_their_mean() -> None:
    times = [at for _, at in due(bursting(), 1, 0, 5_000)[:: BURST.records]]
    gaps = [later - before for before, later in zip([0.0, *times], times, strict=False)]
    assert min(gaps) >= BURST.every * (1 - VARIES)
    assert max(gaps) <= BURST.every * (1 + VARIES)
    assert abs(sum(gaps) / len(gaps) - BURST.every) < 0.01


def test_producers_take_turns_with_whole_bursts_at_times_decided_by_the_seed() -> None:
    alone = due(bursting(), 1, 0, 20)
    by_two = [*due(bursting(producers=2), 1, 0, 10), *due(bursting(producers=2), 1, 1, 10)]
    assert sorted(by_two) == alone
    assert [seq // BURST.records for seq, _ in by_two] == [0] * 5 + [2] * 5 + [1] * 5 + [3] * 5
    assert due(bursting(seed=8), 1, 0, 20) != alone


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
    plan = loaded(Load())
    assert [plan.rate_of(p) for p in plan.partitions] == [30, 30, 30]
    assert plan.keys_of(0, 0) is None


def test_a_skew_moves_records_between_partitions_and_adds_none() -> None:
    plan = loaded(Load(keys=3, key_skew=1.0))
    rates = [plan.rate_of(p) for p in plan.partitions]
    assert sum(rates) == pytest.approx(90)
    assert rates[0] == pytest.approx(rates[1] * 2) == pytest.approx(rates[2] * 3)


def test_keys_that_count_down_are_different_and_two_are_those_of_markers() -> None:
    plan = loaded(Load(key_countdown=3))
    found = [plan.key_of(seq) for seq in range(6)]
    assert found[2:4] == [b"\0\0\0\1", b"\0\0\0\0"], "of a commit and of an abort"
    assert found[4] == b"\xff\xff\xff\xff"
    assert len(set(found)) == 6
    assert plan.key_of(1 << 40) == (1 << 40).to_bytes(8, "big"), "of a transaction"
    assert loaded(Load()).key_of(7) is None


def loaded(load: Load) -> WorkloadPlan:
    return replace(BASE, partitions=range(3), rate=30, producers=2, load=load)


PLAN = replace(
    BASE, repeat=2, topic="t-r2", partitions=range(3), rate=30, producers=3, client="both",
    transactions=TransactionPlan(ids=("a", "b", "c"), per_second=2, records=3, abort_percent=20),
)  # fmt: skip


@pytest.mark.parametrize("client", ["librdkafka", "java", "both"])
def test_each_producer_is_of_one_library(client: Client) -> None:
    plan = replace(PLAN, client=client)
    for partition in plan.partitions:
        lanes = [lane for library in LIBRARIES for lane in plan.lanes(library, partition)]
        assert sorted(lanes) == [0, 1, 2]
    numbers = [number for library in LIBRARIES for number in plan.transactional(library)]
    assert sorted(numbers) == [0, 1, 2]


def test_both_libraries_write_each_partition_and_with_one_producer_half_of_the_partitions() -> None:
    assert [PLAN.lanes("java", partition) for partition in PLAN.partitions] == [[1], [0, 2], [1]]
    alone = replace(PLAN, producers=1)
    assert [alone.lanes("java", partition) for partition in alone.partitions] == [[], [0], []]


def test_the_keys_are_the_share_of_the_java_clients() -> None:
    keys = java_plan(PLAN, consumer=1)
    assert keys["all_partitions"] == "0,1,2"
    assert (keys["lanes.0"], keys["lanes.1"], keys["rate.0"]) == ("1", "0,2", "30")
    assert (keys["transactions.ids"], keys["transactions.producers"]) == ("1:b", "3")
    assert (keys["consumer_number"], keys["topic"], keys["repeat"]) == ("1", "t-r2", "2")
    assert "keys" not in keys
    assert (keys["producer.linger.ms"], keys["burst_producer.linger.ms"]) == ("0", "10")


def test_bursts_of_java_are_at_the_times_of_the_python_producers() -> None:
    plan = replace(PLAN, bursts={1: Burst(records=2, every=0.5)}, producers=1)
    records, times = java_plan(plan, consumer=0)["burst.1"].split(":")
    listed = [float(after) for after in times.split(",")]
    due = [after for _, after in islice(schedule(plan, 1, 0), 40)]
    assert records == "2"
    assert [after for after in listed[:20] for _ in range(2)] == pytest.approx(due, abs=1e-6)
    assert listed[-1] > 1_500


def test_a_skew_gives_partitions_of_java_their_own_rates() -> None:
    keys = java_plan(replace(PLAN, load=Load(keys=3, key_skew=1.0)), consumer=0)
    assert float(keys["rate.0"]) == pytest.approx(2 * float(keys["rate.1"]))
    assert (keys["keys"], keys["key_skew"]) == ("3", "1.0")


def test_clients_have_the_settings_of_the_load() -> None:
    load = Load(acks="1", compression="lz4", linger_ms=7, batch_bytes=2_000)
    keys = java_plan(replace(PLAN, load=load, client_timeout_ms=900, retries=False), consumer=0)
    assert keys["producer.acks"] == "1"
    assert keys["producer.retries"] == "0"
    assert keys["producer.enable.idempotence"] == "false"
    for client in ("producer", "transactional"):
        assert keys[f"{client}.compression.type"] == "lz4"
        assert keys[f"{client}.linger.ms"] == "7"
        assert keys[f"{client}.batch.size"] == "2000"
        assert keys[f"{client}.request.timeout.ms"] == "900"
