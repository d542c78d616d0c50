"""The freeze: a broker's process is stopped, with every thread, and goes on later.

By signals or with its container, as `freezer` says. Evidence: it is stopped at the beginning
and at the end, and the process got no CPU time in between.
"""

from collections.abc import Callable

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window, await_true
from insync.faults.support.freezer import Freezer
from insync.faults.support.procfs import cpu_ms

STOPS_WITHIN_S = 2.0


class FreezeFault:
    """A `Fault`: one freeze of one broker."""

    def __init__(self, freezer: Callable[[], Freezer], occasion: Occasion) -> None:
        """Plan it; `freezer` returns that of the broker's process as it is when it begins."""
        self._make_freezer = freezer
        self._occasion = occasion
        self._window = Window()
        self._freezer: Freezer
        self._cpu_before: float | None = None
        self._cpu_ms = 0.0
        self._still_stopped = False

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Stop the process; raises InsyncError if it does not stop."""
        self._freezer = self._make_freezer()
        self._window.begin()
        self._freezer.stop()
        if not await_true(self._freezer.is_stopped, STOPS_WITHIN_S):
            raise InsyncError(
                f"{self._occasion.where}: not stopped {STOPS_WITHIN_S:.0f} s after"
                f" {self._freezer.words}"
            )
        self._cpu_before = cpu_ms(self._freezer.pid)

    def lift(self) -> None:
        """Let the process go on."""
        if not self._window.is_open:
            return
        self._still_stopped = self._freezer.is_stopped()
        after = cpu_ms(self._freezer.pid)
        if after is not None and self._cpu_before is not None:
            self._cpu_ms = after - self._cpu_before
        self._freezer.go_on()
        await_true(lambda: not self._freezer.is_stopped(), STOPS_WITHIN_S)
        self._window.end()

    def evidence(self) -> FaultLine:
        """Return how long the process was stopped; 0 if somebody else let it go on."""
        acted_ms = self._window.length_ms if self._still_stopped else 0.0
        return self._window.line(self._occasion, acted_ms, {"cpu_ms": self._cpu_ms})
