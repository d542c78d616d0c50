"""Measure the longest time for which the harness itself was not scheduled.

A follower that gets no CPU for as long as the lag limit leaves the ISR correctly, whatever the
fault. If the harness got no CPU either, the host was too busy and the fault is not the cause.
"""

import threading
import time
from types import TracebackType
from typing import Final, Self

TICK_SECONDS: Final = 0.02


class SchedulingGaps:
    """Measures how late its thread wakes up, from entering to leaving the `with` block."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._thread = threading.Thread(
            target=self._tick, name="insync-scheduling-gaps", daemon=True
        )
        self._last = 0.0
        self._longest = 0.0

    @property
    def longest_gap_ms(self) -> float:
        """The longest delay of a wake-up so far, in ms."""
        return self._longest * 1000

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    def _tick(self) -> None:
        while not self._done.wait(TICK_SECONDS):
            now = time.monotonic()
            self._longest = max(self._longest, now - self._last - TICK_SECONDS)
            self._last = now
