"""The kill: a broker's process ends by SIGKILL, and is started again at the end.

Evidence: the process was gone, and for how long there was none.
"""

from collections.abc import Callable

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window
from insync.running import Running


class KillFault:
    """A `Fault`: one broker is killed and restarted."""

    def __init__(
        self,
        process: Callable[[], Running],
        kill: Callable[[], None],
        restart: Callable[[], object],
        occasion: Occasion,
    ) -> None:
        """Plan it; `kill` returns when the process has ended, `restart` when a new one runs."""
        self._process = process
        self._kill = kill
        self._restart = restart
        self._occasion = occasion
        self._window = Window()
        self._exit_code: int | None = None

    def prepare(self) -> None:
        """Nothing to do."""

    def inject(self) -> None:
        """Kill the broker; raises InsyncError if it has ended by itself before."""
        process = self._process()
        if process.poll() is not None:
            raise InsyncError(f"{self._occasion.where}: had ended before it was killed")
        self._kill()
        self._window.begin()
        self._exit_code = process.poll()

    def lift(self) -> None:
        """Start the broker again, in its own folder and at its own port; it comes up later."""
        if not self._window.is_open:
            return
        self._window.end()
        self._restart()

    def evidence(self) -> FaultLine:
        """Return how long there was no process, and the signal that ended the old one."""
        gone = self._exit_code is not None
        figures = {"signal": float(-(self._exit_code or 0))}
        return self._window.line(self._occasion, self._window.length_ms if gone else 0.0, figures)
