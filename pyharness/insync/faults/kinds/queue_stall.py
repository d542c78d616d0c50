"""The queue stall: every request handler thread of a broker hangs in a read of another topic.

The topic is the fault's own, with one replica, on that broker, and a partition per handler
thread. The shim holds its reads; a fetch of each partition then takes one thread out.
Whatever else is asked of the broker waits in the request queue.

Evidence: that as many reads were held as there are threads, all of them until the end.
"""

import socket
import time
from collections.abc import Callable
from contextlib import ExitStack

from insync.brokers.kafka import wire
from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Occasion, Window, await_true
from insync.faults.support.control import ControlFile, Mode, Site
from insync.faults.support.holds import Holds

CONNECTS_WITHIN_S = 5.0
HELD_WITHIN_S = 5.0


class QueueStallFault:
    """A `Fault`: no request handler thread of one broker is free."""

    def __init__(
        self,
        control: ControlFile,
        port: Callable[[], int],
        make_topic: Callable[[str, int], None],
        topic: str,
        threads: int,
        occasion: Occasion,
    ) -> None:
        """Plan it; `make_topic` makes a topic with so many partitions, a record in each."""
        self._port = port
        self._make_topic = make_topic
        self._topic = topic
        self._threads = threads
        self._occasion = occasion
        self._window = Window()
        self._sockets = ExitStack()
        self._holds = Holds(control, occasion.broker)
        self._all_held_at: float | None = None
        self._all_held_ms = 0.0
        self._peak = 0

    def prepare(self) -> None:
        """Make the topic that is read."""
        self._make_topic(self._topic, self._threads)

    def inject(self) -> None:
        """Hold the reads and send the fetches; raises InsyncError if the broker takes none."""
        self._holds.check()
        targets = [f"{self._topic}-{partition}" for partition in range(self._threads)]
        try:
            clients = [self._connect() for _ in range(self._threads)]
            self._window.begin()
            self._holds.arm(targets, Site.READ, Mode.HOLD, planned_ms=self._occasion.planned_ms)
            for partition, client in enumerate(clients):
                client.sendall(wire.fetch(self._topic, partition))
        except OSError as error:
            raise InsyncError(f"broker {self._occasion.broker}: {error}") from error
        if await_true(lambda: self._holds.now == self._threads, HELD_WITHIN_S):
            self._all_held_at = time.monotonic()

    def lift(self) -> None:
        """Let the reads go on and wait until none is held; raises InsyncError if one stays."""
        if not self._window.is_open:
            return
        self._peak = self._holds.now
        if self._all_held_at is not None and self._peak == self._threads:
            self._all_held_ms = (time.monotonic() - self._all_held_at) * 1000
        self._holds.lift()
        self._window.end()
        try:
            self._holds.drain()
        finally:
            self._sockets.close()

    def evidence(self) -> FaultLine:
        """Return how many threads were taken out, and how long all of them were."""
        figures = {"threads": float(self._threads), "held": float(self._peak)}
        return self._window.line(self._occasion, self._all_held_ms, figures, self._holds.total)

    def _connect(self) -> socket.socket:
        return self._sockets.enter_context(wire.connect(self._port(), CONNECTS_WITHIN_S))
