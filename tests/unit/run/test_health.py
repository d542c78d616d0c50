"""What a cluster did not do in time, and for how long the harness was not scheduled."""

from __future__ import annotations

import threading
import time
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.errors import InsyncError
from insync.events.schema import LivenessLine
from insync.run import readiness
from insync.run.readiness import IsrNotFullError, Liveness, SchedulingGaps
from waiting import wait_for


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


def test_a_node_that_ended_explains_an_error_and_is_recorded_once() -> None:
    seen = Watched(n2="broker 2: ended with -9, see x")
    with seen.live.watch():
        raise InsyncError("broker 2: no answer")
    seen.live.check_nodes()
    assert seen.types == [("unplanned_exit", 2)]
    assert seen.live.unusable == "broker 2: ended with -9, see x"


def test_a_node_that_ended_unnoticed_is_found_at_the_end() -> None:
    seen = Watched(n100="controller 100: ended with 1, see x")
    with seen.live.watch():
        pass
    assert seen.lines == []
    seen.live.check_nodes()
    assert seen.types == [("unplanned_exit", 100)]


def test_a_read_back_that_does_not_finish_leaves_the_cluster_usable() -> None:
    seen = Watched()
    with seen.live.watch("read_back_unfinished"):
        raise InsyncError("read-back of t not complete after 30 s")
    assert seen.types == [("read_back_unfinished", None)]
    assert seen.live.unusable is None


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
    assert seen.types == [("unplanned_exit", 1)]


def test_a_gap_is_the_time_between_ticks_beyond_their_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(readiness, "TICK_SECONDS", 0.005)
    with SchedulingGaps() as gaps:

        def late() -> float:
            gaps._last -= 3.0  # as if it had last ticked three seconds ago
            return gaps.longest_gap_ms

        wait_for(late, lambda gap: gap > 2_900, within_s=10)
    assert gaps.longest_gap_ms < 60_000


def test_an_idle_host_has_a_small_gap_and_the_thread_ends() -> None:
    begun = time.monotonic()
    with SchedulingGaps() as gaps:
        time.sleep(0.1)
    assert 0 <= gaps.longest_gap_ms <= (time.monotonic() - begun) * 1000
    assert "insync-gaps" not in {thread.name for thread in threading.enumerate()}
