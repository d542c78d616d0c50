"""What a repeat waits for, what a cluster did not do in time, and how long nobody was scheduled."""

import struct
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import Mock

import pytest

from insync.brokers.cluster import admin
from insync.brokers.kafka.wire import Metadata
from insync.errors import InsyncError
from insync.events.schema import LivenessLine, LivenessType
from insync.faults.kinds.freeze import Freeze
from insync.faults.kinds.kill import Kill
from insync.progress import Progress
from insync.run import readiness
from insync.run.readiness import IsrNotFullError, Liveness, SchedulingGaps
from insync.scenario.load import load
from unit.servers import Answers
from waiting import wait_for

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
    dead = Mock(side_effect=InsyncError("broker 1: ended with -9"))
    with pytest.raises(InsyncError, match="ended with -9"):
        readiness.await_full_isr("a", "t", dead)


def context(arm: str, scenario: str = "step-down-read") -> Any:
    arm_cluster = SimpleNamespace(
        bridge=Path("bridge"), check_nodes=lambda: None, brokers=(1, 2, 3), cluster=None
    )
    cell = SimpleNamespace(scenario=load(scenario))
    return SimpleNamespace(arm=arm, arm_cluster=arm_cluster, cell=cell, bootstrap="none")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let broker 1 be slow and then have a slow peer; return the bridges that are asked."""
    files: list[str] = []
    reports = [(True, 0), (False, 1)]

    def connect(path: Path) -> Any:
        files.append(path.name)
        slow, peers = reports.pop(0) if path.name == "bridge-1.json" and reports else (False, 0)
        step_downs = SimpleNamespace(slow=slow, slow_peers=peers)
        counters = SimpleNamespace(step_downs=step_downs)
        return nullcontext(SimpleNamespace(counters=lambda: counters))

    monkeypatch.setattr("insync.run.context.BridgeClient", SimpleNamespace(connect=connect))
    monkeypatch.setattr(readiness, "LOOK_SECONDS", 0.0)
    return files


def test_a_repeat_waits_until_no_broker_is_slow(asked: list[str]) -> None:
    readiness.await_no_slow_broker(context("step-down"))
    assert asked == ["bridge-1.json"] * 3 + ["bridge-2.json", "bridge-3.json"]


@pytest.mark.usefixtures("asked")
def test_a_broker_that_stays_slow_is_named_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "NOT_SLOW_SECONDS", -1.0)
    with pytest.raises(InsyncError, match=r"broker 1: still slow .*: slow true, slow peers 0"):
        readiness.await_no_slow_broker(context("step-down"))


def test_without_step_downs_no_broker_is_queried(asked: list[str]) -> None:
    readiness.await_no_slow_broker(context("request"))
    assert asked == []


def test_only_scenarios_with_a_fetch_time_limit_are_warmed_up_in_every_arm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    create = Mock(side_effect=InsyncError("no brokers"))
    monkeypatch.setattr(readiness, "create_topic", create)
    readiness.warm_up(context("stock", "kip-501"), Progress())
    create.assert_not_called()
    with pytest.raises(InsyncError, match="no brokers"):
        readiness.warm_up(context("stock"), Progress())
    assert [call.args[1] for call in create.call_args_list] == [readiness.TOPIC]


class Watched:
    """A context whose cluster has nodes that end, and that keeps the lines that are written."""

    def __init__(self, **ended: str) -> None:
        self.lines: list[LivenessLine] = []
        self.ended = {int(node[1:]): words for node, words in ended.items()}
        cluster = SimpleNamespace(ended_nodes=lambda: self.ended)
        files = SimpleNamespace(liveness=SimpleNamespace(write=self.lines.append))
        context = SimpleNamespace(arm="request", arm_cluster=cluster, files=files)
        self.live = Liveness(cast("Any", context), 1)

    @property
    def types(self) -> list[tuple[str, int | None]]:
        return [(line.type, line.node) for line in self.lines]


def test_an_isr_that_is_not_full_in_time_is_recorded_with_its_last_state() -> None:
    seen = Watched()
    with seen.live.watch():
        raise IsrNotFullError("topic t: ISR not full in 60 s: at b, {0: (1, [1])}")
    (line,) = seen.lines
    assert (line.type, line.arm, line.repeat) == ("isr_not_recovered", "request", 1)
    assert line.note.endswith("{0: (1, [1])}")
    assert seen.live.unusable == line.note


def test_a_node_that_ended_unnoticed_is_found_at_the_end() -> None:
    seen = Watched(n100="controller 100: ended with 1, see x")
    with seen.live.watch():
        pass
    assert seen.lines == []
    seen.live.check_nodes()
    assert seen.types == [("unplanned_exit", 100)]


@pytest.mark.parametrize("kind", ["read_back_unfinished", "hanging", "not_stopped"])
def test_what_concerns_one_topic_leaves_the_cluster_usable(kind: LivenessType) -> None:
    seen = Watched()
    with seen.live.watch(kind):
        raise InsyncError("read-back of t not complete after 30 s")
    assert seen.types == [(kind, None)]
    assert seen.live.unusable is None


def killed(
    serves: list[bool], check: Callable[[], None] = lambda: None, kind: type[Kill] | None = Kill
) -> Any:
    when = {"broker": 2, "at_ms": 0, "for_ms": 50}
    fault = (kind or Freeze).model_validate({"kind": "kill" if kind else "freeze", **when})
    asked: list[int] = []

    def answer(number: int) -> bool:
        asked.append(number)
        return serves.pop(0)

    nodes = {
        number: SimpleNamespace(role=role) for number, role in ((99, "zookeeper"), (2, "broker"))
    }
    return SimpleNamespace(
        cell=SimpleNamespace(scenario=SimpleNamespace(faults=[fault])), asked=asked,
        arm_cluster=SimpleNamespace(
            serves=answer, check_nodes=check, cluster=SimpleNamespace(nodes=nodes)
        ),
    )  # fmt: skip


def test_a_node_that_was_killed_is_waited_for_until_it_serves() -> None:
    repeat = killed([False, True])
    readiness.await_back(repeat, 10)
    assert repeat.asked == [2, 2]


def test_nobody_is_waited_for_where_no_fault_ended_a_node() -> None:
    repeat = killed([], kind=None)
    readiness.await_back(repeat, 10)
    assert repeat.asked == []


def test_a_node_that_does_not_serve_in_time_is_named() -> None:
    with pytest.raises(InsyncError, match="broker 2: was started again, and does not serve"):
        readiness.await_back(killed([False, False]), 0)


def test_a_node_that_ended_is_not_waited_for() -> None:
    check = Mock(side_effect=InsyncError("broker 2: ended with 1"))
    with pytest.raises(InsyncError, match="ended with 1"):
        readiness.await_back(killed([False], check), 10)


def test_an_error_of_the_harness_ends_the_repeat() -> None:
    seen = Watched()
    with pytest.raises(InsyncError, match="no proxies"), seen.live.watch():
        raise InsyncError("no proxies between the brokers")
    assert seen.lines == []


def test_errors_that_follow_from_an_unusable_cluster_are_left_out() -> None:
    seen = Watched(n1="broker 1: ended with -9, see x")
    for words in ("topic t: not recovered", "broker 1: no answer"):
        with seen.live.watch():
            raise InsyncError(words)
    seen.live.check_nodes()
    assert seen.types == [("unplanned_exit", 1)], "once"
    assert seen.live.unusable == "broker 1: ended with -9, see x"


def test_a_gap_is_what_exceeds_the_interval_of_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readiness, "TICK_SECONDS", 0.005)
    with SchedulingGaps() as gaps:

        def late() -> float:
            gaps._last -= 3.0  # as if it had last ticked three seconds ago
            return gaps.longest_gap_ms

        wait_for(late, lambda gap: gap > 2_900)
    assert gaps.longest_gap_ms < 60_000


def test_an_idle_host_has_a_small_gap_and_the_thread_ends() -> None:
    begun = time.monotonic()
    with SchedulingGaps() as gaps:
        time.sleep(0.1)
    assert 0 <= gaps.longest_gap_ms <= (time.monotonic() - begun) * 1000
    assert "insync-gaps" not in {thread.name for thread in threading.enumerate()}


def text(value: str) -> bytes:
    return bytes([len(value) + 1]) + value.encode()


def answer(*found: tuple[str, str], unknown: Sequence[str] = ()) -> bytes:
    rows = b"".join(
        text(name) + struct.pack(">q", 7) + text(state) + b"\0" for name, state in found
    )
    body = struct.pack(">ixih", 1, 0, 0) + bytes([len(unknown) + 1])
    body += b"".join(map(text, unknown)) + bytes([len(found) + 1]) + rows + b"\0"
    return struct.pack(">i", len(body)) + body


def test_the_decided_transactions_of_a_broker_are_listed() -> None:
    broker = Answers(answer(("t-0", "PrepareCommit"), ("t-1", "PrepareAbort")))
    assert readiness.decided(broker.port) == [("t-0", "PrepareCommit"), ("t-1", "PrepareAbort")]
    assert struct.unpack_from(">hh", broker.asked[0], 4) == (66, 0)
    assert broker.asked[0].endswith(b"\3" + text("PrepareCommit") + text("PrepareAbort") + b"\1\0")


@pytest.mark.parametrize("said", [b"", answer(), answer(unknown=["PrepareCommit"])])
def test_a_broker_that_knows_none_or_cannot_say_has_none(said: bytes) -> None:
    assert readiness.decided(Answers(said).port) == []


def test_one_that_ends_in_time_does_not_hang() -> None:
    broker = Answers(answer(("t-0", "PrepareCommit")), answer())
    readiness.await_no_hanging([broker.port], ["t-0"], 10)
    assert len(broker.asked) == 2


def test_one_that_does_not_end_is_named_with_its_state() -> None:
    broker = Answers(answer(("t-0", "PrepareCommit")))
    with pytest.raises(InsyncError, match="decided, and not over after 0 s: t-0 PrepareCommit"):
        readiness.await_no_hanging([broker.port], ["t-0", "t-1"], 0)


def test_one_of_an_earlier_repeat_is_not_waited_for() -> None:
    broker = Answers(answer(("r0-0", "PrepareCommit")))
    readiness.await_no_hanging([broker.port], ["r1-0"], 0)
    assert len(broker.asked) == 1
