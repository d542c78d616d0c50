"""The freeze: a broker's process is stopped by SIGSTOP, with every thread, and goes on later.

Evidence: all threads are stopped at the beginning and at the end, and the process got no
CPU time in between.
"""

import signal
from collections.abc import Callable

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window, await_true
from insync.faults.procfs import cpu_ms, is_stopped
from insync.running import Running

STOPS_WITHIN_S = 2.0


class FreezeFault:
    """A `Fault`: one freeze of one broker."""

    def __init__(self, process: Callable[[], Running], occasion: Occasion) -> None:
        """Plan it; `process` returns the broker's process as it is when the fault begins."""
        self._process = process
        self._occasion = occasion
        self._window = Window()
        self._frozen: Running
        self._cpu_before: float | None = None
        self._cpu_ms = 0.0
        self._still_stopped = False

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Stop the process; raises InsyncError if it does not stop."""
        self._frozen = self._process()
        self._window.begin()
        self._frozen.send_signal(signal.SIGSTOP)
        if not await_true(lambda: is_stopped(self._frozen.pid), STOPS_WITHIN_S):
            raise InsyncError(
                f"{self._occasion.where}: not stopped {STOPS_WITHIN_S:.0f} s after SIGSTOP"
            )
        self._cpu_before = cpu_ms(self._frozen.pid)

    def lift(self) -> None:
        """Let the process go on."""
        if not self._window.is_open:
            return
        pid = self._frozen.pid
        self._still_stopped = is_stopped(pid)
        after = cpu_ms(pid)
        if after is not None and self._cpu_before is not None:
            self._cpu_ms = after - self._cpu_before
        self._frozen.send_signal(signal.SIGCONT)
        await_true(lambda: not is_stopped(pid), STOPS_WITHIN_S)
        self._window.end()

    def evidence(self) -> FaultLine:
        """Return how long the process was stopped; 0 if somebody else let it go on."""
        acted_ms = self._window.length_ms if self._still_stopped else 0.0
        return self._window.line(self._occasion, acted_ms, {"cpu_ms": self._cpu_ms})
