"""`disk-stall`: operations of a broker on its whole log folder hang, or take longer.

The folder is mounted through the file system `support/disk/filesystem.py`, which stalls them.
Mode `hold` begins with a read, if one comes soon: if appends hung from the beginning, nothing
new would come into the log, its followers would lack nothing, and only producers would notice,
unless a read happened to be under way. `begins_with = "write"` is that other case, in both modes.

Evidence: the operations that were stalled, by kind, for how long in sum, and the longest. In
mode `hold` an operation hangs until the end: the longest says how long the fault acted.
"""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from insync.events.schema import FaultLine
from insync.faults.base import Fault, Held, await_true
from insync.faults.kind import LOCK_HELD, STALLABLE, FaultKind, KindWords, Requirements, Tags
from insync.faults.kinds.stall import none_stalled
from insync.faults.spec import Lasting, Mode, check_delay
from insync.faults.support.armed_rules import ArmedRules
from insync.faults.support.control import Mode as RuleMode
from insync.faults.support.control import Site
from insync.faults.support.disk import passthrough
from insync.fields import Time, broken, check_unique

EVERYTHING: Final = ""
"""The target of a rule for every file in the folder."""

FIRST_WITHIN_S: Final = 0.5
"""How soon the first operation must come: then the others hang as well."""


class DiskStall(Lasting):
    """Operations of the broker on its whole log folder hang, or take `delay_ms` longer."""

    intensity = ("delay_ms",)

    kind: Literal["disk-stall"]
    mode: Mode
    delay_ms: Time = 0
    operations: Annotated[
        tuple[Literal["read", "write", "fsync"], ...], Field(strict=False, min_length=1)
    ] = ("read", "write", "fsync")
    begins_with: Literal["read", "write"] = "read"

    @model_validator(mode="after")
    def _check(self) -> Self:
        check_delay(self.mode, self.delay_ms)
        if self.begins_with == "write" and "write" not in self.operations:
            raise broken("begins_with", self.begins_with, "operation 'write'")
        check_unique("operations", self.operations)
        return self


class DiskStallFault(Fault[DiskStall]):
    def plan(self) -> None:
        control = self.cluster.disks.gates[self.spec.broker]
        sites = [Site[operation.upper()] for operation in self.spec.operations]
        self._rules = {site: ArmedRules(control, self.spec.broker) for site in sites}

    def inject(self) -> None:
        """Stall from now on, the operation that the fault begins with first.

        Mode "delay" waits for the first one only if that is a write.
        """
        self.window.begin()
        site = Site[self.spec.begins_with.upper()]
        first = self._rules.get(site)
        if first is not None:
            self._arm(site)
            waits = self.spec.mode == "hold" or site is Site.WRITE
            if waits and len(self._rules) > 1:
                await_true(lambda: first.now > 0, FIRST_WITHIN_S)
        for operation in self._rules:
            if operation is not site:
                self._arm(operation)

    def end(self) -> None:
        for rules in self._rules.values():
            rules.lift()
        self.window.end()
        for rules in self._rules.values():
            rules.drain()

    def evidence(self) -> FaultLine:
        seen = {operation: rules.total for operation, rules in self._rules.items()}
        held = Held(
            calls=sum(each.calls for each in seen.values()),
            sum_ms=sum(each.sum_ms for each in seen.values()),
            longest_ms=max(each.longest_ms for each in seen.values()),
        )
        figures = {f"{each.name.lower()}s": seen[each].calls for each in seen}
        return self.line(held.longest_ms, figures, held)

    def _arm(self, operation: Site) -> None:
        self._rules[operation].arm(
            [EVERYTHING], operation, RuleMode[self.spec.mode.upper()],
            planned_ms=self.context.planned_ms, delay_ms=self.spec.delay_ms,
        )  # fmt: skip


KIND = FaultKind(
    spec=DiskStall,
    words=KindWords(
        does="reads, writes or fsyncs of the broker's whole log folder hang or take longer",
        mechanism="a file system of insync (FUSE) over the log folder",
        evidence="the operations that were stalled, by kind, for how long in sum, and the longest",
        notes="The log folder is mounted over itself; of several, the first one"
        " (`broker.log_dirs`). `mode` is `hold` or `delay` with `delay_ms`; `operations` are of"
        " `read`, `write` and `fsync` (all of them); `begins_with` (`read`) is the first to hang in"
        " mode `hold`; a `write` is the first in mode `delay`, too.",
    ),
    probes={
        "local": lambda _: passthrough.unavailable(),
        "docker": lambda _: passthrough.unavailable(for_others=True),
    },
    inject=DiskStallFault,
    requires=lambda spec, _: Requirements(disk_rules=len(spec.operations)),
    missing=none_stalled,
    tags=Tags(log_folder=STALLABLE, stops_following=True, late_shrinks={"disk-stall": LOCK_HELD}),
)
