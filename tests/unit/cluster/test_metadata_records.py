"""From a recorded metadata log of 4.3.1, and a ZooKeeper log of 2.8.2, to the states in time.

The recordings: three brokers (on ZooKeeper one more that is the controller), min ISR 2, a topic of
two partitions; broker 3 is frozen, then broker 2, which leads partition 1 (on ZooKeeper also broker
1); then they are woken.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from insync.brokers.cluster.quorum.metadata_log import Line, states
from insync.brokers.cluster.quorum.zookeeper_log import Znode, changes
from insync.brokers.cluster.quorum.zookeeper_log import states as states_of
from insync.errors import InsyncError

RECORDED = Path(__file__).parents[2] / "data" / "metadata-4.3.1.jsonl"


def record(t_ms: int, kind: str, **data: Any) -> Line:
    return {"t_ms": t_ms, "type": kind, "data": data}


def change(**fields: Any) -> Line:
    return record(2000, "PARTITION_CHANGE_RECORD", partitionId=0, topicId="T", **fields)


CREATED = (
    record(999, "TOPIC_RECORD", name="events", topicId="T"),
    record(
        1000, "PARTITION_RECORD",
        partitionId=0, topicId="T", replicas=[1, 2], isr=[1, 2], leader=1, leaderEpoch=4,
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def quorum_log_lines() -> list[Line]:
    with RECORDED.open(encoding="utf-8") as lines:
        return list(states(map(json.loads, lines), "stock"))


def test_a_partitions_states_are_complete(quorum_log_lines: list[Line]) -> None:
    of_1 = [line for line in quorum_log_lines if line["partition"] == 1]
    assert [(line["leader"], line["leader_epoch"], line["isr"], line["elr"]) for line in of_1] == [
        (2, 0, [2, 3, 1], None),
        (2, 0, [1, 2], None),
        (1, 1, [1], [2]),
        (1, 1, [1, 2], []),
        (1, 1, [1, 2, 3], []),
    ]
    assert all(line["topic"] == "events" and line["replicas"] == [2, 3, 1] for line in of_1)
    assert all(line["broker"] is None and line["fenced"] is None for line in of_1)


def test_brokers_are_fenced_and_unfenced(quorum_log_lines: list[Line]) -> None:
    of_2 = [line["fenced"] for line in quorum_log_lines if line["broker"] == 2]
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
    *_, last = states([*CREATED, change(**fields)], "stock")
    seen = (last["leader"], last["leader_epoch"], last["isr"], last["elr"])
    assert seen == (leader, epoch, isr, elr)
    assert last["t_ms"] == 2000.0


def test_a_replica_is_being_added_until_a_change_says_that_it_is_not() -> None:
    begun = change(replicas=[1, 2, 3], addingReplicas=[3])
    shrunk, joined = change(isr=[1]), change(isr=[1, 2, 3], addingReplicas=[])
    found = states([*CREATED, begun, shrunk, joined], "a")
    assert [(line["replicas"], line["adding"]) for line in found] == [
        ([1, 2], []),
        ([1, 2, 3], [3]),
        ([1, 2, 3], [3]),
        ([1, 2, 3], []),
    ]


def test_clearing_the_eligible_replicas_is_recorded() -> None:
    clear = record(3000, "CLEAR_ELR_RECORD", topicName="events")
    eligible = change(eligibleLeaderReplicas=[2])
    found = states([*CREATED, eligible, clear], "a")
    assert [line["elr"] for line in found] == [None, [2], []]


def test_a_change_of_an_unknown_partition_is_an_error() -> None:
    with pytest.raises(InsyncError, match="PARTITION_CHANGE_RECORD without"):
        list(states([change()], "stock"))


RECORDED_BY_ZOOKEEPER = Path(__file__).parents[2] / "data" / "zookeeper-2.8.2.log"
TOPIC = Znode(1000, 5, "/brokers/topics/events", b'{"partitions":{"0":[1,2]}}')
STATE = "/brokers/topics/events/partitions/0/state"


@pytest.fixture(scope="module")
def zookeeper_lines(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    folder = tmp_path_factory.mktemp("version-2")
    shutil.copyfile(RECORDED_BY_ZOOKEEPER, folder / "log.1")
    return list(states_of(changes(folder), "stock"))


def test_a_partitions_states_are_complete_on_zookeeper(zookeeper_lines: list[Line]) -> None:
    of_1 = [line for line in zookeeper_lines if line["partition"] == 1]
    assert [(line["leader"], line["leader_epoch"], line["isr"]) for line in of_1] == [
        (2, 0, [2, 3, 1]),
        (2, 0, [2]),
        (2, 0, [2, 1]),
        (1, 1, [1]),
        (-1, 2, [1]),
        (1, 3, [1]),
        (1, 3, [1, 3]),
        (1, 3, [1, 3, 2]),
    ]
    assert all(line["topic"] == "events" and line["replicas"] == [2, 3, 1] for line in of_1)
    assert all(line["elr"] is None and line["broker"] is None for line in of_1)


@pytest.mark.parametrize("broker", [1, 2, 3])
def test_a_broker_is_fenced_while_it_has_no_session(
    zookeeper_lines: list[Line], broker: int
) -> None:
    of_it = [line["fenced"] for line in zookeeper_lines if line["broker"] == broker]
    assert of_it == [False, True, False]


def test_a_broker_that_shuts_down_cleanly_is_fenced_once() -> None:
    came = Znode(1000, 7, "/brokers/ids/3", b"", ephemeral=True)
    left, ended = Znode(2000, 7, "/brokers/ids/3"), Znode(2001, 7, None)
    lines = list(states_of([came, left, ended], "stock"))
    assert [(line["t_ms"], line["fenced"]) for line in lines] == [(1000.0, False), (2000.0, True)]


def test_a_replica_is_being_added_until_the_topic_says_that_it_is_not() -> None:
    state = Znode(2000, 5, STATE, b'{"leader":1,"leader_epoch":0,"isr":[1,2]}')
    added = b'{"partitions":{"0":[1,2,3]},"adding_replicas":{"0":[3]}}'
    begun, over = Znode(3000, 5, TOPIC.path, added), Znode(5000, 5, TOPIC.path, TOPIC.data)
    found = states_of([TOPIC, state, begun, state, over, state], "a")
    assert [(line["replicas"], line["adding"]) for line in found] == [
        ([1, 2], []),
        ([1, 2, 3], [3]),
        ([1, 2], []),
    ]


def test_deleted_nodes_give_no_line() -> None:
    assert list(states_of([TOPIC, Znode(2000, 5, STATE), Znode(2000, 5, TOPIC.path)], "a")) == []


@pytest.mark.parametrize("data", [b"{", b"{}", b'{"leader":1,"leader_epoch":0,"isr":[1]}'])
def test_a_state_that_kafka_did_not_write_is_an_error(data: bytes) -> None:
    with pytest.raises(InsyncError, match=r"^zookeeper log: /brokers/topics/events/.* is b'"):
        list(states_of([Znode(2000, 5, STATE, data)], "stock"))


KEYS = [
    "v", "arm", "t_ms", "kind", "topic", "partition", "leader", "leader_epoch", "isr", "elr",
    "replicas", "adding", "broker", "fenced",
]  # fmt: skip


def test_every_line_has_every_key_and_times_never_decrease(
    quorum_log_lines: list[Line], zookeeper_lines: list[Line]
) -> None:
    for lines in (quorum_log_lines, zookeeper_lines):
        assert all(list(line) == KEYS for line in lines)
        assert all(line["arm"] == "stock" and line["v"] == 1 for line in lines)
        times = [line["t_ms"] for line in lines]
        assert times == sorted(times)
