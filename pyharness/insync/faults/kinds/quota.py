"""The CPU quota: a broker's process gets a small share of one core.

By a control group of ours or by its container's, as `shares` says. Evidence: how often, and for
how long in sum, the kernel made it wait for its next share.
"""

from collections.abc import Callable
from contextlib import suppress

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window
from insync.faults.support.cpu_groups import Throttled
from insync.faults.support.shares import Share


class QuotaFault:
    """A `Fault`: one broker is starved of CPU."""

    def __init__(self, share: Callable[[], Share], percent: float, occasion: Occasion) -> None:
        """Plan it; `share` returns that of the broker's process as it is when it begins."""
        self._make_share = share
        self._percent = percent
        self._occasion = occasion
        self._window = Window()
        self._share: Share
        self._seen = Throttled(0, 0.0)

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Cut the process's share; raises InsyncError if that fails."""
        self._share = self._make_share()
        self._window.begin()
        try:
            self._share.cut(self._percent)
        except OSError as error:
            raise InsyncError(f"{self._occasion.where}: no CPU quota: {error}") from error

    def lift(self) -> None:
        """Give the process back what it had."""
        if not self._window.is_open:
            return
        with suppress(OSError):
            self._seen = self._share.throttled()
        self._share.restore()
        self._window.end()

    def evidence(self) -> FaultLine:
        """Return what the kernel counted; threads on several cores may wait at once."""
        acted_ms = min(self._seen.ms, self._window.length_ms)
        return self._window.line(
            self._occasion,
            acted_ms,
            {"throttled": float(self._seen.times), "throttled_ms": self._seen.ms},
        )
