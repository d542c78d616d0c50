"""`stall`: chosen system calls of one broker on chosen topic-partitions hang or take longer.

The shim `support/native/stall.c` (LD_PRELOAD) intercepts the calls; this file arms and lifts its
rules and reads back what they stalled.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.kind import (
    LOCK_HELD,
    FaultKind,
    KindWords,
    RecordedFigures,
    Requirements,
    Tags,
    every,
)
from insync.faults.spec import (
    Lasting,
    Mode,
    OtherTopic,
    Surroundings,
    check_delay,
    check_partitions,
)
from insync.faults.support import shim
from insync.faults.support.armed_rules import ArmedRules
from insync.faults.support.control import MAX_FILES_BYTES, Site
from insync.faults.support.control import Mode as RuleMode
from insync.fields import Partitions, Time, broken

Files = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9_.*-]+( [A-Za-z0-9_.*-]+)*$", max_length=MAX_FILES_BYTES)
]


class Stall(Lasting):
    """System calls of the broker on chosen partitions hang, or take `delay_ms` longer.

    Sites `read` and `send` are those of a partition's leader, the others those of any replica.
    `files` are names of files of the partition, with `*` for anything, and a space between two;
    `.` is its folder itself. Without, they are its segments: a broker creates one when it rolls
    the log, and renames one to delete it.
    `acts_ms` is how long mode `hold` must act to prove anything; 0 for half of its time.
    """

    intensity = ("delay_ms",)

    kind: Literal["stall"]
    site: Literal[
        "read", "send", "write", "fsync", "create", "truncate", "rename", "open", "unlink"
    ]
    files: Files | None = None
    mode: Mode
    delay_ms: Time = 0
    acts_ms: Time = 0
    partitions: Partitions
    topic: OtherTopic | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_delay(self.mode, self.delay_ms)
        if self.mode != "hold" and self.acts_ms != 0:
            raise broken("acts_ms", self.acts_ms, f"none for mode '{self.mode}'")
        if self.acts_ms > self.for_ms:
            raise broken("acts_ms", self.acts_ms, f"at most for_ms, {self.for_ms}")
        return self

    def check_within(self, around: Surroundings) -> None:
        check_partitions(self.partitions, around)
        if self.site in ("read", "send"):
            self._check_led(around)
        if self._comes_of_rolls and not around.rolls:
            expected = "broker.log_roll_ms to be set: otherwise brokers roll a log every week"
            raise broken(around.key("site"), self.site, expected)
        if self.files:
            return
        if self.site == "fsync" and not around.flushes:
            expected = "broker.log_flush_interval_messages to be set: brokers call no fsync without"
            raise broken(around.key("site"), self.site, expected)
        if self.site == "rename" and not (around.rolls and around.deletes):
            expected = (
                "broker.log_roll_ms and broker.log_retention_check_interval_ms to be set: otherwise"
                " brokers delete no segment while they run"
            )
            raise broken(around.key("site"), self.site, expected)

    @property
    def _comes_of_rolls(self) -> bool:
        """Whether a broker makes such calls only when it rolls a log."""
        if self.files is None:
            return self.site == "create"
        return self.site in ("create", "truncate") and "index" in self.files

    def _check_led(self, around: Surroundings) -> None:
        for place, partition in enumerate(self.partitions):
            if around.leaders[partition] != self.broker:
                led = [one for one, leader in enumerate(around.leaders) if leader == self.broker]
                expected = f"a partition led by broker {self.broker}: {led}"
                raise broken(around.key(f"partitions[{place}]"), partition, expected)


class StallFault(Fault[Stall]):
    def plan(self) -> None:
        self._rules = ArmedRules(self.cluster.controls[self.context.broker], self.context.broker)

    def inject(self) -> None:
        """Arm one rule per partition; raises InsyncError if the broker is not under the shim.

        A broker that has ended meets them when it is started again.
        """
        self._rules.check()
        self._met = self.process if self.process.poll() is None else None
        self.window.begin()
        self._rules.arm(
            self.context.target, Site[self.spec.site.upper()], RuleMode[self.spec.mode.upper()],
            planned_ms=self.context.planned_ms, delay_ms=self.spec.delay_ms,
            files=self.spec.files or "",
        )  # fmt: skip

    def end(self) -> None:
        self._rules.lift()
        self.window.end()
        if self.process.poll() is not None:
            self._rules.end_with_broker()
        elif self._met is None or self._met.poll() is None:
            self._rules.drain()
        # else: it was killed and started again; the calls of the killed process never return

    def evidence(self) -> FaultLine:
        held = self._rules.total
        return self.line(held.longest_ms, held=held)


def none_stalled(_: PlannedFault, seen: RecordedFigures) -> str | None:
    """Say that no call was stalled, if none was."""
    return None if seen.calls_held else "calls_held was 0, expected at least 1"


KIND = FaultKind(
    spec=Stall,
    words=KindWords(
        does="system calls on chosen files of chosen topic-partitions hang or take longer",
        mechanism="a library preloaded into the broker (LD_PRELOAD), at the system calls",
        evidence="the calls that were stalled, and the longest",
        notes="See [Stalls](#stalls).",
    ),
    probes=every(shim.unavailable),
    inject=StallFault,
    requires=lambda spec, _: Requirements(stall_rules=len(spec.partitions)),
    missing=none_stalled,
    tags=Tags(
        outlasts_process=True,
        stops_following_at=("write", "fsync", "create", "truncate", "rename"),
        late_shrinks={"read stall": LOCK_HELD},
    ),
)
