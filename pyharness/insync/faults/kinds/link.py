"""The broken link: what replicates between two brokers is held, delayed, or let by slowly.

Evidence: while a link is cut, that something was to be sent and nothing passed; else how long
pieces were held back.
"""

from collections.abc import Callable
from typing import Protocol

from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window


class Seen(Protocol):
    """What came of a link since it is treated as it is now."""

    @property
    def bytes(self) -> int:
        """Bytes that went on."""

    @property
    def in_hand(self) -> int:
        """Bytes that are held at this moment."""

    @property
    def pieces_held(self) -> int:
        """Pieces that went on later than they came."""

    @property
    def longest_ms(self) -> float:
        """The longest time for which one of them was held."""


class LinkFault:
    """A `Fault`: one link between two brokers; the occasion's mode says what is done to it."""

    def __init__(
        self,
        treat: Callable[[], None],
        free: Callable[[], None],
        seen: Callable[[], Seen],
        occasion: Occasion,
    ) -> None:
        """Plan it; `treat` and `free` take effect at once."""
        self._treat = treat
        self._free = free
        self._look = seen
        self._occasion = occasion
        self._window = Window()
        self._seen: Seen | None = None

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Treat the link from now on."""
        self._window.begin()
        self._treat()

    def lift(self) -> None:
        """Let everything pass, what was held first."""
        if not self._window.is_open:
            return
        self._seen = self._look()
        self._window.end()
        self._free()

    def evidence(self) -> FaultLine:
        """Return what was held; a delay acted for as long as it held one piece."""
        seen = self._seen
        if seen is None:
            return self._window.line(self._occasion, 0.0)
        figures = {
            "passed_bytes": float(seen.bytes),
            "held_bytes": float(seen.in_hand),
            "held_pieces": float(seen.pieces_held),
            "longest_ms": seen.longest_ms,
        }
        return self._window.line(self._occasion, self._acted_ms(seen), figures)

    def _acted_ms(self, seen: Seen) -> float:
        if self._occasion.mode == "delay":
            return seen.longest_ms
        if self._occasion.mode == "cut":
            acted = seen.in_hand > 0 and seen.bytes == 0
        else:
            acted = seen.pieces_held > 0
        return self._window.length_ms if acted else 0.0
