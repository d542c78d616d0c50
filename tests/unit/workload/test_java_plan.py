"""What the Java clients are told: their share of the work, at the times of the Python producers."""

from dataclasses import replace
from itertools import islice

import pytest

from insync.clients import LIBRARIES, Client
from insync.workload.java import java_plan
from insync.workload.plan import Burst, Load, TransactionPlan, schedule
from unit.workload.plans import BASE

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


def test_bursts_are_at_the_times_of_the_python_producers() -> None:
    plan = replace(PLAN, bursts={1: Burst(records=2, every=0.5)}, producers=1)
    records, times = java_plan(plan, consumer=0)["burst.1"].split(":")
    listed = [float(after) for after in times.split(",")]
    due = [after for _, after in islice(schedule(plan, 1, 0), 40)]
    assert records == "2"
    assert [after for after in listed[:20] for _ in range(2)] == pytest.approx(due, abs=1e-6)
    assert listed[-1] > 1_500


def test_a_skew_gives_partitions_their_own_rates() -> None:
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
