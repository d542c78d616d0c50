"""What a repeat decides before anything is produced: its jitter, its transaction coordinators.

Their topic is created once, and its leaders are restored per repeat.
"""

from typing import Any
from unittest.mock import Mock, call

import pytest

from insync.brokers.kafka import wire
from insync.brokers.kafka.wire import State
from insync.errors import InsyncError
from insync.nodes import ring
from insync.run import repeat
from insync.run.repeat import (
    TRANSACTIONS,
    jitter_ms,
    partition_of,
    place_coordinators,
    transactional_ids,
)

PLACED: State = {number: (number + 1, [1, 2, 3]) for number in range(3)}
ONE_ELSEWHERE: State = {**PLACED, 0: (3, [1, 2, 3])}


class FakeCluster:
    """A cluster of an arm; an election changes the state that its brokers know if it `obeys`."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, state: State, *, obeys: bool = True
    ) -> None:
        self.state = state
        self.arm = Mock(**{"cluster.bootstrap": "nowhere:1", "elect.side_effect": self._elect})
        self._obeys = obeys
        monkeypatch.setattr(repeat, "partitions", lambda *_: self.state)
        monkeypatch.setattr(repeat, "create_topic", self._create)
        monkeypatch.setattr(repeat, "await_state", self._await)

    def _create(self, _: str, topic: str, assignment: list[list[int]], config: Any) -> None:
        assert (topic, config["min.insync.replicas"]) == (TRANSACTIONS, "2")
        self.state = {number: (each[0], sorted(each)) for number, each in enumerate(assignment)}

    def _await(self, _: str, __: str, wanted: Any, ___: float) -> str | None:
        return None if wanted(wire.Metadata([], self.state, {})) else f"{self.state}"

    def _elect(self, *_: object) -> None:
        self.state = PLACED if self._obeys else self.state


def test_the_topic_has_a_partition_for_each_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster(monkeypatch, {})
    place_coordinators(cluster.arm, TRANSACTIONS)
    assert cluster.state == PLACED
    assert cluster.arm.mock_calls == []


def test_leaders_that_stepped_down_are_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster(monkeypatch, ONE_ELSEWHERE)
    place_coordinators(cluster.arm, TRANSACTIONS)
    assert cluster.arm.mock_calls == [
        *(call.assign(TRANSACTIONS, number, ring(number + 1)) for number in range(3)),
        call.elect(TRANSACTIONS, [0, 1, 2]),
    ], "also if a reassignment had moved them"


def test_leaders_already_in_place_are_not_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster(monkeypatch, PLACED)
    place_coordinators(cluster.arm, TRANSACTIONS)
    assert cluster.arm.mock_calls == []


def test_a_leader_that_is_not_restored_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = FakeCluster(monkeypatch, ONE_ELSEWHERE, obeys=False)
    with pytest.raises(InsyncError, match=r"__transaction_state: .*0: \(3, .*, expected each"):
        place_coordinators(cluster.arm, TRANSACTIONS)


def test_transactional_ids_map_to_the_requested_coordinators() -> None:
    ids = transactional_ids("transactions-r0", [1, 2, 3, 1])
    assert [partition_of(name) + 1 for name in ids] == [1, 2, 3, 1]
    assert len(set(ids)) == 4


def test_the_hash_equals_javas() -> None:
    assert partition_of("hello") == 99162322 % 3
    assert partition_of("zzzzzzzz") == 1910022912 % 3, "the absolute value of -1910022912"


def test_the_seed_decides_how_much_later_faults_begin() -> None:
    late = [jitter_ms(seed, 400) for seed in range(200)]
    assert late == [jitter_ms(seed, 400) for seed in range(200)]
    assert 0 <= min(late) < 50
    assert 350 < max(late) <= 400
    assert jitter_ms(3, 0) == 0
