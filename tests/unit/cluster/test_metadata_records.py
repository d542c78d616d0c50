"""From a recorded metadata log of 4.3.1 to the states in time.

The recording: three brokers, min ISR 2, a topic of two partitions; broker 3 is frozen, then
broker 2, which leads partition 1; then both are woken.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from insync.brokers.cluster.quorum.metadata_log import Line, states
from insync.errors import InsyncError
from unit.cluster.isr_lines import assert_well_formed

RECORDED = Path(__file__).parents[2] / "data" / "metadata-4.3.1.jsonl"


def record(t_ms: int, kind: str, **data: Any) -> Line:
    return {"t_ms": t_ms, "type": kind, "data": data}


def change(**fields: Any) -> Line:
    return record(2000, "PARTITION_CHANGE_RECORD", partitionId=0, topicId="T", **fields)


NAMED = record(999, "TOPIC_RECORD", name="events", topicId="T")
CREATED = record(
    1000, "PARTITION_RECORD",
    partitionId=0, topicId="T", replicas=[1, 2], isr=[1, 2], leader=1, leaderEpoch=4,
)  # fmt: skip


@pytest.fixture(scope="module")
def recorded() -> list[Line]:
    with RECORDED.open(encoding="utf-8") as lines:
        return list(states(map(json.loads, lines), "stock"))


def test_every_line_has_every_key_and_times_never_decrease(recorded: list[Line]) -> None:
    assert_well_formed(recorded, "stock")


def test_a_partitions_states_are_complete(recorded: list[Line]) -> None:
    of_1 = [line for line in recorded if line["kind"] == "partition" and line["partition"] == 1]
    assert [(line["leader"], line["leader_epoch"], line["isr"], line["elr"]) for line in of_1] == [
        (2, 0, [2, 3, 1], None),
        (2, 0, [1, 2], None),
        (1, 1, [1], [2]),
        (1, 1, [1, 2], []),
        (1, 1, [1, 2, 3], []),
    ]
    assert all(line["topic"] == "events" and line["replicas"] == [2, 3, 1] for line in of_1)
    assert all(line["broker"] is None and line["fenced"] is None for line in of_1)


def test_brokers_are_fenced_and_unfenced(recorded: list[Line]) -> None:
    of_2 = [line["fenced"] for line in recorded if line["broker"] == 2]
    assert of_2 == [True, False, True, False]


@pytest.mark.parametrize(
    ("fields", "leader", "epoch", "isr", "elr"),
    [
        ({}, 1, 4, [1, 2], None),
        ({"isr": [1]}, 1, 4, [1], None),
        ({"leader": 1}, 1, 5, [1, 2], None),
        ({"leader": -1, "isr": [2]}, -1, 5, [2], None),
        ({"eligibleLeaderReplicas": [2], "isr": [1]}, 1, 4, [1], [2]),
        ({"isr": None, "leader": -2}, 1, 4, [1, 2], None),
    ],
)
def test_a_change_keeps_fields_that_it_does_not_name(
    fields: Line, leader: int, epoch: int, isr: list[int], elr: list[int] | None
) -> None:
    *_, last = states([NAMED, CREATED, change(**fields)], "stock")
    seen = (last["leader"], last["leader_epoch"], last["isr"], last["elr"])
    assert seen == (leader, epoch, isr, elr)
    assert last["t_ms"] == 2000.0


def test_a_replica_is_being_added_until_a_change_says_that_it_is_not() -> None:
    begun = change(replicas=[1, 2, 3], addingReplicas=[3])
    shrunk, joined = change(isr=[1]), change(isr=[1, 2, 3], addingReplicas=[])
    found = states([NAMED, CREATED, begun, shrunk, joined], "a")
    assert [(line["replicas"], line["adding"]) for line in found] == [
        ([1, 2], []),
        ([1, 2, 3], [3]),
        ([1, 2, 3], [3]),
        ([1, 2, 3], []),
    ]


def test_clearing_the_eligible_replicas_is_recorded() -> None:
    clear = record(3000, "CLEAR_ELR_RECORD", topicName="events")
    eligible = change(eligibleLeaderReplicas=[2])
    assert [line["elr"] for line in states([NAMED, CREATED, eligible, clear], "a")] == [
        None,
        [2],
        [],
    ]


def test_a_change_of_an_unknown_partition_is_an_error() -> None:
    with pytest.raises(InsyncError, match="PARTITION_CHANGE_RECORD without"):
        list(states([change()], "stock"))
