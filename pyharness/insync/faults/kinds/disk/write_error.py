"""`write-error`: one broker's writes to chosen topic-partitions fail with EIO.

The shim `support/native/stall.c` (LD_PRELOAD) makes the calls fail. Kafka then gives the log
directory up: a broker with one ends, a broker with several goes on with the others. At the end it
is started again, because only then it looks at a directory that it gave up.
"""

from typing import Literal

from insync.events.schema import FaultLine
from insync.faults.kind import FaultKind, KindWords, Requirements, Tags, both, counted
from insync.faults.kinds.read_error import CALLS
from insync.faults.spec import Lasting, OtherTopic, Surroundings, check_partitions
from insync.faults.support import shim
from insync.faults.support.armed_rules import ArmedRules
from insync.faults.support.control import Mode, Site
from insync.faults.support.disk.broken import LostFolderFault
from insync.fields import Partitions


class WriteError(Lasting):
    """Writes of the broker to chosen partitions fail, whether it leads or follows them."""

    kind: Literal["write-error"]
    partitions: Partitions
    topic: OtherTopic | None = None

    def check_within(self, around: Surroundings) -> None:
        check_partitions(self.partitions, around)


class WriteErrorFault(LostFolderFault[WriteError]):
    def plan(self) -> None:
        super().plan()
        self._rules = ArmedRules(self.cluster.controls[self.context.broker], self.context.broker)

    def inject(self) -> None:
        self._rules.check()
        self.mark()
        self.window.begin()
        self._rules.arm(
            self.context.target, Site.WRITE, Mode.FAIL, planned_ms=self.context.planned_ms
        )

    def end(self) -> None:
        self.end_with(self._rules.lift, outlived=True)

    def evidence(self) -> FaultLine:
        calls = self._rules.total.calls
        return self.line(self.acted_if(calls), {CALLS: calls, **self.lost})


KIND = FaultKind(
    spec=WriteError,
    words=KindWords(
        does="writes to chosen topic-partitions fail with EIO",
        mechanism="a library preloaded into the broker (LD_PRELOAD), at the system calls",
        evidence="the calls that failed; whether the broker ended, or wrote that the directory is"
        " offline",
        notes="Kafka gives the whole log directory up. A broker that has no other one ends, and is"
        " started again at the end, as is one that goes on with the others.",
    ),
    probes=both(shim.unavailable),
    inject=WriteErrorFault,
    requires=lambda spec, _: Requirements(stall_rules=len(spec.partitions)),
    missing=counted(CALLS),
    tags=Tags(only_planned=True),
)
