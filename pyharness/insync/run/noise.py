"""How quiet the host was: the longest time for which the harness itself got no turn.

A follower that gets no CPU for as long as the lag limit leaves the ISR by right, whatever
the fault; a harness that got none either is the witness.
"""

import time
from typing import Final, Self

from insync.background import Background

TICK_SECONDS: Final = 0.02


class Ticker(Background):
    """Measures between entering and leaving the `with` block how late its ticks are."""

    def __init__(self) -> None:
        super().__init__("ticker", TICK_SECONDS)
        self._last = 0.0
        self._longest = 0.0

    @property
    def longest_gap_ms(self) -> float:
        """The longest time so far between two ticks, beyond the time between them."""
        return self._longest * 1000

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        return super().__enter__()

    def _step(self) -> None:
        now = time.monotonic()
        self._longest = max(self._longest, now - self._last - TICK_SECONDS)
        self._last = now
