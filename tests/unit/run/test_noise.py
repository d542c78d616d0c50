"""The ticker measures how long the harness was not scheduled."""

import threading
import time

import pytest

from insync.run import noise
from insync.run.noise import Ticker
from waiting import wait_for


def test_a_gap_between_ticks_is_what_is_beyond_their_distance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(noise, "TICK_SECONDS", 0.005)
    with Ticker() as ticker:

        def late() -> float:
            ticker._last -= 3.0  # as if it had last ticked three seconds ago
            return ticker.longest_gap_ms

        wait_for(late, lambda gap: gap > 2_900, within_s=10)
    assert ticker.longest_gap_ms < 60_000


def test_a_quiet_host_has_a_small_gap_and_the_ticker_ends() -> None:
    begun = time.monotonic()
    with Ticker() as ticker:
        time.sleep(0.1)
    assert 0 <= ticker.longest_gap_ms <= (time.monotonic() - begun) * 1000
    assert "ticker" not in {thread.name for thread in threading.enumerate()}
