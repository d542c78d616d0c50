"""Delay or block the traffic between two brokers, and count what passed.

Knows neither sockets nor Kafka. Only one event loop may use a rule; any thread may read its
counts.
"""

import asyncio
import math
import time
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class Treatment:
    """What happens to each chunk of data.

    Args:
        cut: no chunk passes.
        delay_s: each chunk passes this many seconds after it arrived.
        bytes_per_s: the most bytes that pass per second in each direction; 0: no limit.

    """

    cut: bool = False
    delay_s: float = 0.0
    bytes_per_s: int = 0


FREE: Final = Treatment()


@dataclass(frozen=True, slots=True)
class Passed:
    """Counts since a treatment began.

    `bytes` passed; of the chunks that passed, `pieces_held` were delayed, at most for
    `longest_ms`; `in_hand` bytes are waiting now.
    """

    bytes: int = 0
    pieces_held: int = 0
    in_hand: int = 0
    longest_ms: float = 0.0


class Rule:
    """The treatment of one pair of brokers; it may change while chunks wait."""

    def __init__(self) -> None:
        self.passed = Passed()
        self._treatment = FREE
        self._since = 0.0
        self._changed = asyncio.Event()
        self._line_free_at: dict[Hashable, float] = {}

    async def change(self, treatment: Treatment) -> None:
        """Set the treatment of all chunks from now on, also of those that wait."""
        self.passed = Passed(in_hand=self.passed.in_hand)
        self._treatment = treatment
        self._since = time.monotonic()
        self._line_free_at.clear()
        self._changed.set()
        self._changed = asyncio.Event()

    def came(self, size: int) -> None:
        """Count a chunk of `size` bytes as waiting until `hold` returns or it is `dropped`."""
        self._count(in_hand=size)

    def dropped(self, size: int) -> None:
        """Count a chunk as lost with its connection."""
        self._count(in_hand=-size)

    async def hold(self, size: int, came_at: float, direction: Hashable) -> None:
        """Wait until a chunk may pass; `came_at` is when it arrived, by the monotonic clock."""
        try:
            held = await self._wait(size, came_at, direction)
        finally:
            self._count(in_hand=-size)
        self._count(bytes=size, pieces_held=int(held))
        if held:
            longest = max(self.passed.longest_ms, (time.monotonic() - came_at) * 1000)
            self.passed = replace(self.passed, longest_ms=longest)

    async def _wait(self, size: int, came_at: float, direction: Hashable) -> bool:
        held = False
        while (rest := self._leaves_at(size, came_at, direction) - time.monotonic()) > 0:
            held = True
            changed = self._changed
            with suppress(TimeoutError):
                async with asyncio.timeout(None if math.isinf(rest) else rest):
                    await changed.wait()
        if self._treatment.bytes_per_s:
            self._line_free_at[direction] = time.monotonic()
        return held

    def _leaves_at(self, size: int, came_at: float, direction: Hashable) -> float:
        how = self._treatment
        if how.cut:
            return math.inf
        if how.bytes_per_s:
            free_at = self._line_free_at.get(direction, self._since)
            return max(came_at, free_at) + size / how.bytes_per_s
        return came_at + how.delay_s

    def _count(self, **more: int) -> None:
        added = {name: getattr(self.passed, name) + value for name, value in more.items()}
        self.passed = replace(self.passed, **added)
