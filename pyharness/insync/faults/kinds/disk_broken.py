"""The full disk and the read-only disk: the volume of one broker's log folder takes no more.

A broker whose only log folder fails ends itself, as Kafka's design has it. The end of the
fault mends the volume and starts such a broker again.

Evidence: what a write to the volume is answered with, at the beginning and at the end.
"""

import errno
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window, await_true
from insync.faults.support.disk.volume import Volume
from insync.running import Running

ENDS_WITHIN_S: Final = 1.0  # a broker that has met the error ends itself at once


@dataclass(frozen=True, slots=True)
class Way:
    """How a volume fails.

    Args:
        refusal: the error that a write is answered with.
        fail: lets the volume fail.
        mend: undoes it.
        outlived: whether it can be mended under a broker that still runs.

    """

    refusal: int
    fail: Callable[[Volume], None]
    mend: Callable[[Volume], None]
    outlived: bool


FULL: Final = Way(errno.ENOSPC, Volume.fill, Volume.clear, outlived=True)
READ_ONLY: Final = Way(errno.EROFS, Volume.abort, Volume.renew, outlived=False)


class BrokenDiskFault:
    """A `Fault`: nothing more can be written to one broker's disk."""

    def __init__(
        self,
        volume: Volume,
        way: Way,
        process: Callable[[], Running],
        kill: Callable[[], None],
        restart: Callable[[], object],
        occasion: Occasion,
    ) -> None:
        """Plan it; `kill` returns when the process has ended, `restart` when a new one runs."""
        self._volume = volume
        self._way = way
        self._process = process
        self._kill = kill
        self._restart = restart
        self._occasion = occasion
        self._window = Window()
        self._refused = 0
        self._free_bytes = 0
        self._ended = False

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Let the volume fail; raises InsyncError if it cannot be made to."""
        self._window.begin()
        try:
            self._way.fail(self._volume)
        except OSError as error:
            raise InsyncError(f"broker {self._occasion.broker}: {error}") from error
        self._look()

    def lift(self) -> None:
        """Mend the volume and start the broker again if it has ended; it comes up later."""
        if not self._window.is_open:
            return
        self._look()
        self._window.end()
        self._ended = self._has_ended()
        if not (self._ended or self._way.outlived):
            self._kill()
        try:
            self._way.mend(self._volume)
        except OSError as error:
            raise InsyncError(f"broker {self._occasion.broker}: {error}") from error
        if await_true(self._has_ended, ENDS_WITHIN_S):
            self._restart()

    def evidence(self) -> FaultLine:
        """Return whether writes were refused, how much was free, and if the broker ended."""
        acted_ms = self._window.length_ms if self._refused == 2 else 0.0
        figures = {
            "refused": float(self._refused),
            "free_bytes": float(self._free_bytes),
            "ended": float(self._ended),
        }
        return self._window.line(self._occasion, acted_ms, figures)

    def _look(self) -> None:
        self._refused += self._volume.refusal() == self._way.refusal
        self._free_bytes = self._volume.free_bytes

    def _has_ended(self) -> bool:
        return self._process().poll() is not None
