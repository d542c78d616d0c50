"""SchedulingGaps measures for how long the harness was not scheduled."""

import threading
import time

import pytest

from insync.run.health import scheduling_gaps
from insync.run.health.scheduling_gaps import SchedulingGaps
from waiting import wait_for


def test_a_gap_is_the_time_between_ticks_beyond_their_interval(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduling_gaps, "TICK_SECONDS", 0.005)
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
