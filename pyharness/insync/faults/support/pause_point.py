"""Stops a thread of a broker at a pause point of its code, to order the steps of a race.

The agent weaves such points in if its option `pause-points=on` is set, and stops the first thread
that reaches the point and matches. Evidence: that it waited there, and for how long.
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
    """One thread, stopped at the point `context.site` of `context.broker` once it gets there."""

    def __init__(self, bridge: BridgeClient, context: FaultContext, replica: int = -1) -> None:
        """Stop the next thread at the point that serves `replica`, where that is known.

        A thread that waits there already continues. InsyncError if the broker has no such point.
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
        """Wait until a thread is there; raises InsyncError if none comes."""
        if not await_true(lambda: self._bridge.holds()[self._point].waiting, COMES_WITHIN_S):
            raise InsyncError(f"{self._context.where}: no thread reached {self._point}")
        self._window.begin()

    def release(self) -> None:
        """Continue it; raises InsyncError if it continued by itself, which breaks the order."""
        self.over()
        self._bridge.release(self._point)

    def over(self) -> None:
        """Record that the pause ends now, also because the next one at the point begins."""
        state = self._bridge.holds()[self._point]
        if not state.waiting:
            raise InsyncError(
                f"{self._context.where}: the thread at {self._point} was not waiting any more"
            )
        self._window.end()

    def evidence(self) -> FaultLine:
        """Return how long the thread was stopped."""
        length_ms = self._window.length_ms
        return self._window.line(self._context, length_ms, held=Held(1, length_ms, length_ms))

    @property
    def _point(self) -> str:
        return self._context.site
