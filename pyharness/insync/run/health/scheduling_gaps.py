"""Measure the longest time for which the harness itself was not scheduled.

A follower that gets no CPU for as long as the lag limit leaves the ISR correctly, whatever the
fault. If the harness got no CPU either, the host was too busy and the fault is not the cause.
"""

import time
from typing import Final, Self

from insync.background import Background

TICK_SECONDS: Final = 0.02


class SchedulingGaps(Background):
    """Measures between entering and leaving the `with` block how late its ticks are."""

    def __init__(self) -> None:
        super().__init__("insync-gaps", TICK_SECONDS)
        self._last = 0.0
        self._longest = 0.0

    @property
    def longest_gap_ms(self) -> float:
        """The longest delay of a wake-up so far, in ms."""
        return self._longest * 1000

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        return super().__enter__()

    def _step(self) -> None:
        now = time.monotonic()
        self._longest = max(self._longest, now - self._last - TICK_SECONDS)
        self._last = now
