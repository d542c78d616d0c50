"""`queue-stall`: every request handler thread of a broker hangs in a read of another topic.

The fault makes that topic, with one replica, on that broker, and a partition per handler
thread. The shim stalls its reads; a fetch of each partition then occupies one thread.
Every other request to the broker waits in the request queue.

Evidence: that as many reads were stalled as there are threads, all of them until the end.
"""

import time
from contextlib import ExitStack
from typing import Literal

from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Fault, await_true
from insync.faults.kind import (
    LOCK_HELD,
    FaultKind,
    KindWords,
    Requirements,
    Tags,
    all_done,
    both,
)
from insync.faults.spec import Lasting
from insync.faults.support import shim
from insync.faults.support.armed_rules import ArmedRules
from insync.faults.support.control import Mode, Site

CONNECTS_WITHIN_S = 5.0
HELD_WITHIN_S = 5.0


class QueueStall(Lasting):
    """All request handler threads of the broker hang in reads of another topic."""

    kind: Literal["queue-stall"]


class QueueStallFault(Fault[QueueStall]):
    def plan(self) -> None:
        self._topic = f"{self.context.topic}-q{self.spec.broker}-{self.spec.at_ms}"
        self._threads = self.context.io_threads
        self._sockets = ExitStack()
        self._rules = ArmedRules(self.cluster.controls[self.spec.broker], self.spec.broker)
        self._all_held_at: float | None = None
        self._all_held_ms = 0.0
        self._peak = 0

    def prepare(self) -> None:
        self.cluster.make_filled_topic(self._topic, self.spec.broker, self._threads)

    def inject(self) -> None:
        from insync.brokers.kafka import wire  # here, so that scenarios load no broker code

        self._rules.check()
        targets = [f"{self._topic}-{partition}" for partition in range(self._threads)]
        port = self.cluster.node(self.spec.broker).port
        try:
            clients = [
                self._sockets.enter_context(wire.connect(port, CONNECTS_WITHIN_S)) for _ in targets
            ]
            self.window.begin()
            self._rules.arm(targets, Site.READ, Mode.HOLD, planned_ms=self.context.planned_ms)
            for partition, client in enumerate(clients):
                client.sendall(wire.fetch(self._topic, partition))
        except OSError as error:
            raise InsyncError(f"{self.context.where}: {error}") from error
        if await_true(lambda: self._rules.now == self._threads, HELD_WITHIN_S):
            self._all_held_at = time.monotonic()

    def end(self) -> None:
        self._peak = self._rules.now
        if self._all_held_at is not None and self._peak == self._threads:
            self._all_held_ms = (time.monotonic() - self._all_held_at) * 1000
        self._rules.lift()
        self.window.end()
        try:
            self._rules.drain()
        finally:
            self._sockets.close()

    def evidence(self) -> FaultLine:
        figures = {"threads": self._threads, "held": self._peak}
        return self.line(self._all_held_ms, figures, self._rules.total)


KIND = FaultKind(
    spec=QueueStall,
    words=KindWords(
        does="all request handler threads hang in reads of another topic",
        mechanism="the library of stall, and fetches that the harness sends",
        evidence="as many reads stalled as there are threads, from the beginning to the end",
    ),
    probes=both(shim.unavailable),
    inject=QueueStallFault,
    requires=lambda _, io_threads: Requirements(stall_rules=io_threads),
    missing=all_done("threads", "held"),
    tags=Tags(once=True, late_shrinks={"queue-stall": LOCK_HELD}),
)
