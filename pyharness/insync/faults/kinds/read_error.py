"""`read-error`: one broker's reads of chosen topic-partitions fail with EIO.

The shim `support/native/stall.c` (LD_PRELOAD) makes the calls fail. They are those that the site
`read` of a `stall` delays: the data that a leader sends from file to socket is not among them.
"""

import time
from typing import Literal

from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.kind import FaultKind, KindWords, Requirements, counted, every
from insync.faults.spec import Lasting, OtherTopic, Surroundings, check_partitions
from insync.faults.support import shim
from insync.faults.support.armed_rules import ArmedRules
from insync.faults.support.control import Mode, Site
from insync.fields import Partitions

CALLS = "calls_failed"


class ReadError(Lasting):
    """Reads of the broker on chosen partitions fail, whether it leads or follows them."""

    kind: Literal["read-error"]
    partitions: Partitions
    topic: OtherTopic | None = None

    def check_within(self, around: Surroundings) -> None:
        check_partitions(self.partitions, around)


class ReadErrorFault(Fault[ReadError]):
    def plan(self) -> None:
        self._rules = ArmedRules(self.cluster.controls[self.context.broker], self.context.broker)
        self._acted_ms = 0.0

    def inject(self) -> None:
        self._rules.check()
        self.window.begin()
        self._rules.arm(
            self.context.target, Site.READ, Mode.FAIL, planned_ms=self.context.planned_ms
        )

    def end(self) -> None:
        self._rules.lift()
        self.window.end()
        first_ns = self._rules.first_ns
        self._acted_ms = 0.0 if first_ns is None else (time.monotonic_ns() - first_ns) / 1e6

    def evidence(self) -> FaultLine:
        """Return how many calls failed; it acted from the first of them until it was lifted."""
        return self.line(self._acted_ms, {CALLS: self._rules.total.calls})


KIND = FaultKind(
    spec=ReadError,
    words=KindWords(
        does="reads of chosen topic-partitions fail with EIO",
        mechanism="a library preloaded into the broker (LD_PRELOAD), at the system calls",
        evidence="the calls that failed, and the time from the first one to the end",
        notes=(
            "Kafka answers the follower with UNKNOWN_SERVER_ERROR and keeps the log directory"
            " online; the follower asks again after `replica.fetch.backoff.ms`."
        ),
    ),
    probes=every(shim.unavailable),
    inject=ReadErrorFault,
    requires=lambda spec, _: Requirements(stall_rules=len(spec.partitions)),
    missing=counted(CALLS),
)
