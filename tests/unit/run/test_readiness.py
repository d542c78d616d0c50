from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self, cast

import pytest

from insync.brokers.cluster import admin
from insync.brokers.kafka.wire import Metadata
from insync.errors import InsyncError
from insync.progress import Progress
from insync.run import readiness
from insync.run import readiness as warm
from insync.scenario.load import load

FULL = {0: (1, [1, 2, 3]), 1: (2, [1, 2, 3])}
SHRUNK = {0: (1, [1, 2, 3]), 1: (2, [2])}


class Brokers:
    def __init__(self, monkeypatch: pytest.MonkeyPatch, **answers: list[object]) -> None:
        self.asked: list[str] = []
        self._answers = answers
        monkeypatch.setattr(admin, "ask_metadata", self._answer)

    def _answer(self, server: str, topic: str, seconds: float) -> Metadata:
        self.asked.append(server)
        answers = self._answers[server]
        return Metadata([], cast("Any", answers.pop(0) if len(answers) > 1 else answers[0]), {})


def test_every_broker_must_see_every_isr_full(monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = Brokers(monkeypatch, a=[{}, SHRUNK, FULL], b=[SHRUNK, FULL])
    readiness.await_full_isr("a,b", "t", lambda: None)
    assert brokers.asked == ["a", "a", "a", "b", "b"]


@pytest.fixture
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "FULL_ISR_SECONDS", 0)


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize(
    ("state", "problem"),
    [
        (SHRUNK, r"topic t: ISR not full in 0 s: at b .*1: \(2, \[2\]\)"),
        ({0: (-1, [])}, "ISR not full"),
    ],
)
def test_the_error_shows_the_last_state_seen(
    monkeypatch: pytest.MonkeyPatch, state: object, problem: str
) -> None:
    Brokers(monkeypatch, a=[FULL], b=[state])
    with pytest.raises(InsyncError, match=problem):
        readiness.await_full_isr("a,b", "t", lambda: None)


@pytest.mark.usefixtures("_soon")
def test_a_broker_that_is_not_a_replica_yet_must_be_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    two = {0: (1, [1, 2]), 1: (2, [1, 2, 3])}
    Brokers(monkeypatch, a=[two])
    readiness.await_full_isr("a", "t", lambda: None, {0: {3}})
    for absent in ({}, {1: {3}}):
        with pytest.raises(InsyncError, match="ISR not full"):
            readiness.await_full_isr("a", "t", lambda: None, absent)


def test_the_wait_ends_when_the_check_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    Brokers(monkeypatch, a=[SHRUNK])

    def dead() -> None:
        raise InsyncError("broker 1: ended with -9")

    with pytest.raises(InsyncError, match="ended with -9"):
        readiness.await_full_isr("a", "t", dead)


class FakeBridge:
    """A broker's bridge; reports in turn how slow it and its peers are. The last report repeats."""

    def __init__(self, says: dict[str, list[tuple[float, int]]]) -> None:
        self._says = says
        self.asked: list[str] = []

    def connect(self, path: Path) -> Self:
        self.asked.append(path.name)
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def counters(self) -> SimpleNamespace:
        words = self._says[self.asked[-1]]
        slow, peers = words.pop(0) if len(words) > 1 else words[0]
        return SimpleNamespace(step_downs=SimpleNamespace(slow=slow, slow_peers=peers))


def context(arm: str, scenario: str = "step-down-read") -> Any:
    arm_cluster = SimpleNamespace(
        bridge=Path("bridge"), check_nodes=lambda: None, brokers=(1, 2, 3), cluster=None
    )
    cell = SimpleNamespace(scenario=load(scenario))
    return cast(
        "Any", SimpleNamespace(arm=arm, arm_cluster=arm_cluster, cell=cell, bootstrap="none")
    )


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBridge]:
    made = FakeBridge(
        {
            "bridge-1.json": [(True, 0), (False, 1), (False, 0)],
            "bridge-2.json": [(False, 0)],
            "bridge-3.json": [(False, 0)],
        }
    )
    monkeypatch.setattr("insync.run.context.BridgeClient", made)
    monkeypatch.setattr(warm, "LOOK_SECONDS", 0.0)
    yield made


def test_a_repeat_waits_until_no_broker_is_slow(bridge: FakeBridge) -> None:
    warm.await_no_slow_broker(context("step-down"))
    assert bridge.asked == ["bridge-1.json"] * 3 + ["bridge-2.json", "bridge-3.json"]


def test_a_broker_that_stays_slow_is_named_in_the_error(
    bridge: FakeBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warm, "NOT_SLOW_SECONDS", -1.0)
    with pytest.raises(InsyncError, match=r"broker 1: still slow .*: slow true, slow peers 0"):
        warm.await_no_slow_broker(context("step-down"))


def test_without_step_downs_no_broker_is_queried(bridge: FakeBridge) -> None:
    warm.await_no_slow_broker(context("request"))
    assert bridge.asked == []


def test_only_scenarios_with_a_fetch_time_limit_are_warmed_up_in_every_arm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []

    def refuse(_: str, topic: str, *__: object) -> None:
        made.append(topic)
        raise InsyncError("no brokers")

    monkeypatch.setattr(warm, "create_topic", refuse)
    warm.warm_up(context("stock", "kip-501"), Progress())
    assert made == []
    with pytest.raises(InsyncError, match="no brokers"):
        warm.warm_up(context("stock"), Progress())
    assert made == [warm.TOPIC]
