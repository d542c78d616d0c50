"""Waits until every broker shows the full ISR; else the error has the last state seen."""

import pytest

from insync.brokers.cluster import admin
from insync.errors import InsyncError
from insync.run import readiness

FULL = {0: (1, [1, 2, 3]), 1: (2, [1, 2, 3])}
SHRUNK = {0: (1, [1, 2, 3]), 1: (2, [2])}


class Brokers:
    """Each server's successive answers; the last one repeats."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **answers: list[object]) -> None:
        self.asked: list[str] = []
        self._answers = answers
        monkeypatch.setattr(admin, "partitions", self._answer)

    def _answer(self, server: str, topic: str) -> object:
        self.asked.append(server)
        answers = self._answers[server]
        return answers.pop(0) if len(answers) > 1 else answers[0]


def test_every_broker_must_see_every_isr_full(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers(monkeypatch, a=[{}, SHRUNK, FULL], b=[SHRUNK, FULL])
    readiness.await_full_isr("a,b", "t", lambda: None)
    assert brokers.asked == ["a", "a", "a", "b", "b"]


@pytest.fixture
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "FULL_ISR_SECONDS", 0)


@pytest.mark.usefixtures("_soon")
def test_the_error_shows_the_last_state_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    Brokers(monkeypatch, a=[FULL], b=[SHRUNK])
    with pytest.raises(InsyncError, match=r"topic t: ISR not full in 0 s: at b .*1: \(2, \[2\]\)"):
        readiness.await_full_isr("a,b", "t", lambda: None)


@pytest.mark.usefixtures("_soon")
def test_a_broker_that_is_not_a_replica_yet_must_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    two = {0: (1, [1, 2]), 1: (2, [1, 2, 3])}
    Brokers(monkeypatch, a=[two])
    readiness.await_full_isr("a", "t", lambda: None, {0: {3}})
    for absent in ({}, {1: {3}}):
        with pytest.raises(InsyncError, match="ISR not full"):
            readiness.await_full_isr("a", "t", lambda: None, absent)


@pytest.mark.usefixtures("_soon")
def test_a_partition_without_leader_has_no_full_isr(monkeypatch: pytest.MonkeyPatch) -> None:
    Brokers(monkeypatch, a=[{0: (-1, [])}])
    with pytest.raises(InsyncError, match="ISR not full"):
        readiness.await_full_isr("a", "t", lambda: None)


def test_the_wait_ends_when_the_check_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    Brokers(monkeypatch, a=[SHRUNK])

    def dead() -> None:
        raise InsyncError("broker 1: ended with -9")

    with pytest.raises(InsyncError, match="ended with -9"):
        readiness.await_full_isr("a", "t", dead)
