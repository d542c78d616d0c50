"""`clock-jump`: a broker's time of day jumps, and jumps back at the end.

The library of the stalls (`support/native/stall.c`) shows the broker another CLOCK_REALTIME; the
monotonic clock is as it was.
Evidence: append times of records, which the broker gives, against the host's clock.
"""

from typing import TYPE_CHECKING, Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.kind import (
    FaultKind,
    KindWords,
    RecordedFigures,
    Requirements,
    Tags,
    both,
    figure,
)
from insync.faults.spec import Lasting
from insync.faults.support import shim
from insync.fields import broken

if TYPE_CHECKING:
    from insync.brokers.cluster.clocks import Reading

DAY_MS: Final = 86_400_000


class ClockJump(Lasting):
    """The broker's time of day is `by_ms` ahead, or behind if that is negative."""

    intensity = ("by_ms",)

    kind: Literal["clock-jump"]
    by_ms: Annotated[int, Field(ge=-DAY_MS, le=DAY_MS)]

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.by_ms == 0:
            raise broken("by_ms", self.by_ms, "another number than 0")
        return self


class ClockJumpFault(Fault[ClockJump]):
    def plan(self) -> None:
        self._control = self.cluster.controls[self.spec.broker]
        self._topic = f"{self.context.topic}-c{self.spec.broker}-{self.spec.at_ms}"
        self._before: Reading | None = None
        self._during: list[Reading | None] = []

    def prepare(self) -> None:
        self.cluster.make_clock_topic(self._topic, self.spec.broker)

    def inject(self) -> None:
        self._control.check_attached(self.spec.broker)
        self._before = self._read()
        self.window.begin()
        self._control.show_ahead(self.spec.by_ms * 1_000_000)
        self._during.append(self._read())

    def end(self) -> None:
        self._during.append(self._read())
        self._control.show_ahead(0)
        self.window.end()

    def evidence(self) -> FaultLine:
        """Return by how much the clock was shifted: of the two readings the worse one."""
        figures = {"asked": float(self._control.shifted)}
        readings = [each for each in self._during if each is not None]
        if self._before is None or len(readings) < len(self._during):
            return self.line(0.0, figures)
        worst = max(readings, key=self._wrong_by)
        figures["shifted_ms"] = worst.ahead_ms - self._before.ahead_ms
        figures["error_ms"] = worst.error_ms + self._before.error_ms
        acted = abs(figures["shifted_ms"] - self.spec.by_ms) <= figures["error_ms"]
        return self.line(self.acted_if(acted), figures)

    def _read(self) -> "Reading | None":
        """Return how far the broker's clock is ahead; None without an answer."""
        return self.cluster.clock_reading(self._topic, self.spec.broker)

    def _wrong_by(self, reading: "Reading") -> float:
        before_ms = 0.0 if self._before is None else self._before.ahead_ms
        return abs(reading.ahead_ms - before_ms - self.spec.by_ms) - reading.error_ms


def _missing(plan: PlannedFault, seen: RecordedFigures) -> str | None:
    if "shifted_ms" not in seen.figures:
        return "no append time of the broker, expected one at the beginning and one at the end"
    shifted_ms, error_ms = seen.figures["shifted_ms"], seen.figures["error_ms"]
    if abs(shifted_ms - plan.by_ms) > error_ms:
        return figure("shifted_ms", shifted_ms, f"{plan.by_ms:g}, at most {error_ms:.0f} off")
    return None


KIND = FaultKind(
    spec=ClockJump,
    words=KindWords(
        does="the broker's time of day jumps, and jumps back at the end",
        mechanism="the library of stall, which adds to CLOCK_REALTIME",
        evidence="append times of records against the host's clock, at the beginning and at the"
        " end: `shifted_ms`, with `error_ms`",
        notes="`by_ms` is positive or negative, up to a day. The monotonic clock, waits and the"
        " times of files are not shifted. What the broker writes meanwhile has the shifted time:"
        " its log, the append times of records, and the agent's events. It refuses producers'"
        " records that are then more than an hour in the future"
        " (`message.timestamp.after.max.ms`). `asked` is how often it asked for the time.",
    ),
    probes=both(shim.unavailable),
    inject=ClockJumpFault,
    requires=lambda _, __: Requirements(clock=True),
    missing=_missing,
    tags=Tags(
        once=True, late_shrinks={"clock-jump": "the leader measures lag by the clock that jumped"}
    ),
)
