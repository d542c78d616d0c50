"""A thread of a broker held at a named point of its code, to put the halves of a race in order.

The agent weaves such points in if it is told to (its option `holds=on`), and holds the first
thread that comes by and is meant. Evidence: that it waited there, and for how long.
"""

from typing import Final

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import FaultContext, Held, Window, await_true
from insync_bridge import BridgeClient, BridgeError

KIND: Final = "hold"
MOST_MS: Final = 30_000
COMES_WITHIN_S: Final = 10.0


class PointHold:
    """One thread, held at the point `context.site` of `context.broker` from its coming on."""

    def __init__(self, bridge: BridgeClient, context: FaultContext, replica: int = -1) -> None:
        """Ask for it: the next thread is meant that serves `replica`, where that is known.

        Whoever waits at the point already goes on. InsyncError if the broker cannot.
        """
        self._bridge = bridge
        self._context = context
        self._window = Window()
        [partition] = context.target
        try:
            bridge.hold(context.site, replica=replica, partition=partition, max_ms=MOST_MS)
        except BridgeError as error:
            raise InsyncError(str(error)) from error

    def await_held(self) -> None:
        """Wait until the thread is there; raises InsyncError if none comes."""
        if not await_true(lambda: self._bridge.holds()[self._point].waiting, COMES_WITHIN_S):
            raise InsyncError(f"{self._context.where}: no thread came by {self._point}")
        self._window.begin()

    def release(self) -> None:
        """Let it go on; raises InsyncError if it went on by itself, the order being lost."""
        self.over()
        self._bridge.release(self._point)

    def over(self) -> None:
        """Note that the hold ends now, be it that another is asked for at the point."""
        state = self._bridge.holds()[self._point]
        if not state.waiting:
            raise InsyncError(f"{self._context.where}: the thread at {self._point} went on")
        self._window.end()

    def evidence(self) -> FaultLine:
        """Return how long the thread was held."""
        length_ms = self._window.length_ms
        return self._window.line(self._context, length_ms, held=Held(1, length_ms, length_ms))

    @property
    def _point(self) -> str:
        return self._context.site
