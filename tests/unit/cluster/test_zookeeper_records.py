"""From a recorded ZooKeeper log of Kafka 2.8.2 to the states in time.

The recording: three brokers and one more that is the controller, min ISR 2, a topic of two
partitions; broker 3 is frozen, then broker 2, which leads partition 1, then broker 1, and all
are woken.
"""

import shutil
from pathlib import Path

import pytest

from insync.brokers.cluster.quorum.zookeeper_log import Change, Line, changes, states
from insync.errors import InsyncError
from unit.cluster.isr_lines import assert_well_formed

RECORDED = Path(__file__).parents[2] / "data" / "zookeeper-2.8.2.log"
TOPIC = Change(1000, 5, "/brokers/topics/events", b'{"partitions":{"0":[1,2]}}')
STATE = "/brokers/topics/events/partitions/0/state"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Line]:
    folder = tmp_path_factory.mktemp("version-2")
    shutil.copyfile(RECORDED, folder / "log.1")
    return list(states(changes(folder), "stock"))


def test_every_line_has_every_key_and_times_never_decrease(recorded: list[Line]) -> None:
    assert_well_formed(recorded, "stock")


def test_a_partitions_states_are_complete(recorded: list[Line]) -> None:
    of_1 = [line for line in recorded if line["partition"] == 1]
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
def test_a_broker_is_fenced_while_it_has_no_session(recorded: list[Line], broker: int) -> None:
    of_it = [line["fenced"] for line in recorded if line["broker"] == broker]
    assert of_it == [False, True, False]


def test_a_broker_that_shuts_down_cleanly_is_fenced_once() -> None:
    came = Change(1000, 7, "/brokers/ids/3", b"", ephemeral=True)
    left, ended = Change(2000, 7, "/brokers/ids/3"), Change(2001, 7, None)
    lines = list(states([came, left, ended], "stock"))
    assert [(line["t_ms"], line["fenced"]) for line in lines] == [(1000.0, False), (2000.0, True)]


def test_a_replica_is_being_added_until_the_topic_says_that_it_is_not() -> None:
    state = Change(2000, 5, STATE, b'{"leader":1,"leader_epoch":0,"isr":[1,2]}')
    added = b'{"partitions":{"0":[1,2,3]},"adding_replicas":{"0":[3]}}'
    begun, over = Change(3000, 5, TOPIC.path, added), Change(5000, 5, TOPIC.path, TOPIC.data)
    found = states([TOPIC, state, begun, state, over, state], "a")
    assert [(line["replicas"], line["adding"]) for line in found] == [
        ([1, 2], []),
        ([1, 2, 3], [3]),
        ([1, 2], []),
    ]


def test_deleted_nodes_give_no_line() -> None:
    assert list(states([TOPIC, Change(2000, 5, STATE), Change(2000, 5, TOPIC.path)], "a")) == []


@pytest.mark.parametrize("data", [b"{", b"{}", b'{"leader":1,"leader_epoch":0,"isr":[1]}'])
def test_a_state_that_kafka_did_not_write_is_an_error(data: bytes) -> None:
    with pytest.raises(InsyncError, match=r"^zookeeper log: /brokers/topics/events/.* is b'"):
        list(states([Change(2000, 5, STATE, data)], "stock"))
