"""How quiet the host was: the longest time for which the harness itself got no turn.

A follower that gets no CPU for as long as the lag limit leaves the ISR by right, whatever
the fault; a harness that got none either is the witness.
"""

import threading
import time
from types import TracebackType
from typing import Final, Self

TICK_SECONDS: Final = 0.02


class SchedulingGaps:
    """Measures between entering and leaving the `with` block how late its ticks are."""

    def __init__(self) -> None:
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._tick, name="gaps", daemon=True)
        self._last = 0.0
        self._longest = 0.0

    @property
    def longest_gap_ms(self) -> float:
        """The longest time so far between two ticks, beyond the time between them."""
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
