"""How what is sent between two brokers is treated, and what came of it.

Knows neither sockets nor Kafka. Used from one event loop alone; the counts may be read from
anywhere.
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
    """What is done to each piece that is sent.

    Args:
        cut: it is held.
        delay_s: it goes on so long after it came.
        bytes_per_s: no more pass in each direction; 0 for no bound.

    """

    cut: bool = False
    delay_s: float = 0.0
    bytes_per_s: int = 0


FREE: Final = Treatment()


@dataclass(frozen=True, slots=True)
class Passed:
    """What came of a treatment since it began.

    Bytes that went on, how many pieces did so later than they came, bytes in hand at this
    moment, and the longest time in ms for which a piece that went on was held.
    """

    bytes: int = 0
    pieces_held: int = 0
    in_hand: int = 0
    longest_ms: float = 0.0


class Rule:
    """The treatment of one pair of brokers, which may change while something is held."""

    def __init__(self) -> None:
        self.passed = Passed()
        self._treatment = FREE
        self._since = 0.0
        self._changed = asyncio.Event()
        self._line_free_at: dict[Hashable, float] = {}

    async def change(self, treatment: Treatment) -> None:
        """Treat everything in this way from now on, also what is held."""
        self.passed = Passed(in_hand=self.passed.in_hand)
        self._treatment = treatment
        self._since = time.monotonic()
        self._line_free_at.clear()
        self._changed.set()
        self._changed = asyncio.Event()

    def came(self, size: int) -> None:
        """Count a piece of so many bytes as in hand, until `hold` returns or it is `dropped`."""
        self._count(in_hand=size)

    def dropped(self, size: int) -> None:
        """Count a piece as gone with its connection."""
        self._count(in_hand=-size)

    async def hold(self, size: int, came_at: float, direction: Hashable) -> None:
        """Return when a piece that came may go on; `came_at` is by the monotonic clock."""
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
