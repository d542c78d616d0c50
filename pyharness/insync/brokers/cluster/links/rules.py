"""Delay, lose or block the traffic between two nodes, and count what passed in each direction.

Knows neither sockets nor Kafka. Only one event loop may use a rule; any thread may read its
counts.
"""

import asyncio
import math
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

Direction = tuple[int, int]
"""Who sends, and who receives."""

RETRANSMITTED_AFTER_S: Final = 0.2
"""When a lost chunk is sent again: the shortest time of Linux. It doubles for each further loss."""
MOST_LOSSES: Final = 8


@dataclass(frozen=True, kw_only=True, slots=True)
class Treatment:
    """What happens to each chunk of data.

    Args:
        cut: no chunk passes.
        delay_s: each chunk passes this many seconds after it arrived.
        bytes_per_s: the most bytes that pass per second in each direction; 0: no limit.
        loss: with which probability a chunk is lost, and passes when TCP has sent it again.
        seed: of the losses.
        only: the direction that is treated; None for both.

    """

    cut: bool = False
    delay_s: float = 0.0
    bytes_per_s: int = 0
    loss: float = 0.0
    seed: int = 0
    only: Direction | None = None


FREE: Final = Treatment()


@dataclass(frozen=True, slots=True)
class Passed:
    """Counts since a treatment began.

    `bytes` passed; of the chunks that passed, `pieces_held` were delayed, with `bytes_delayed`
    bytes, at most for `longest_ms`; `in_hand` bytes are waiting now, and `bytes_dropped` waited
    when their connection ended. `pieces_lost` chunks were lost at least once.
    """

    bytes: int = 0
    pieces_held: int = 0
    in_hand: int = 0
    longest_ms: float = 0.0
    bytes_delayed: int = 0
    bytes_dropped: int = 0
    pieces_lost: int = 0


class LinkRule:
    """The treatment of one pair of nodes; it may change while chunks wait."""

    def __init__(self) -> None:
        self._passed: dict[Direction, Passed] = {}
        self._treatment = FREE
        self._since = 0.0
        self._changed = asyncio.Event()
        self._line_free_at: dict[Direction, float] = {}
        self._random = random.Random()  # noqa: S311 - losses of packets

    def passed(self, direction: Direction) -> Passed:
        return self._passed.get(direction, Passed())

    async def change(self, treatment: Treatment) -> None:
        """Set the treatment of all chunks from now on, also of those that wait."""
        waiting = {way: Passed(in_hand=seen.in_hand) for way, seen in self._passed.items()}
        self._passed = waiting
        self._treatment = treatment
        self._random.seed(treatment.seed)
        self._since = time.monotonic()
        self._line_free_at.clear()
        self._changed.set()
        self._changed = asyncio.Event()

    def came(self, size: int, direction: Direction) -> None:
        """Count a chunk of `size` bytes as waiting until `hold` returns or it is `dropped`."""
        self._count(direction, in_hand=size)

    def dropped(self, size: int, direction: Direction) -> None:
        self._count(direction, in_hand=-size, bytes_dropped=size)

    async def hold(self, size: int, came_at: float, direction: Direction) -> None:
        """Wait until a chunk may pass; `came_at` is when it arrived, by the monotonic clock."""
        try:
            held = await self._wait(size, came_at, direction)
        except BaseException:
            self.dropped(size, direction)
            raise
        late = {"pieces_held": 1, "bytes_delayed": size} if held else {}
        self._count(direction, in_hand=-size, bytes=size, **late)
        if held:
            seen = self._passed[direction]
            longest = max(seen.longest_ms, (time.monotonic() - came_at) * 1000)
            self._passed[direction] = replace(seen, longest_ms=longest)

    async def _wait(self, size: int, came_at: float, direction: Direction) -> bool:
        held = False
        how, leaves_at = self._treated(size, came_at, direction)
        while (rest := leaves_at() - time.monotonic()) > 0:
            held = True
            changed = self._changed
            with suppress(TimeoutError):
                async with asyncio.timeout(None if math.isinf(rest) else rest):
                    await changed.wait()
            if self._treatment is not how:
                how, leaves_at = self._treated(size, came_at, direction)
        if how.bytes_per_s:
            self._line_free_at[direction] = time.monotonic()
        return held

    def _treated(
        self, size: int, came_at: float, direction: Direction
    ) -> tuple[Treatment, Callable[[], float]]:
        """Return the treatment of this moment, and what says when a chunk leaves under it."""
        how = self._treatment
        if how.only is not None and direction != how.only:
            return how, lambda: came_at
        if how.cut:
            return how, lambda: math.inf
        if how.bytes_per_s:
            return how, lambda: self._has_room_at(size, came_at, direction)
        late_s = how.delay_s + self._sent_again_after(direction)
        return how, lambda: came_at + late_s

    def _has_room_at(self, size: int, came_at: float, direction: Direction) -> float:
        free_at = self._line_free_at.get(direction, self._since)
        return max(came_at, free_at) + size / self._treatment.bytes_per_s

    def _sent_again_after(self, direction: Direction) -> float:
        """Draw how often a chunk is lost; return after how many seconds it is not."""
        losses = 0
        while losses < MOST_LOSSES and self._random.random() < self._treatment.loss:
            losses += 1
        if losses:
            self._count(direction, pieces_lost=1)
        return RETRANSMITTED_AFTER_S * ((1 << losses) - 1)

    def _count(self, direction: Direction, **more: int) -> None:
        seen = self.passed(direction)
        added = {name: getattr(seen, name) + value for name, value in more.items()}
        self._passed[direction] = replace(seen, **added)
