"""`clock-jump`: a broker's time of day jumps, and jumps back at the end.

The library of the stalls (`support/native/stall.c`) shows the broker another CLOCK_REALTIME; the
monotonic clock is as it was.
Evidence: append times of records, which the broker gives, against the host's clock.
"""

from collections.abc import Callable
from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from insync.events.run_info import PlannedFault
from insync.events.schema import FaultLine
from insync.faults.base import Fault, FaultContext, Window
from insync.faults.cluster import ClockReading, FaultCluster
from insync.faults.kind import FaultKind, Recorded, Requirements, Tags, Words, both, figure
from insync.faults.spec import Lasting
from insync.faults.support import shim
from insync.faults.support.control import ControlFile
from insync.fields import broken

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


class ClockJumpFault:
    """A `Fault`: one broker that runs under the shim is shown another time of day."""

    def __init__(
        self,
        control: ControlFile,
        make_topic: Callable[[], None],
        read: Callable[[], ClockReading | None],
        by_ms: int,
        context: FaultContext,
    ) -> None:
        """Plan it; `read` returns how far the broker's clock is ahead, None without an answer.

        `make_topic` creates what `read` uses.
        """
        self._control = control
        self._make_topic = make_topic
        self._read = read
        self._by_ms = by_ms
        self._context = context
        self._window = Window()
        self._before: ClockReading | None = None
        self._during: list[ClockReading | None] = []

    def prepare(self) -> None:
        """Create the topic whose append times are the broker's clock."""
        self._make_topic()

    def inject(self) -> None:
        """Let the clock jump; raises InsyncError if the broker is not under the shim."""
        self._control.check_attached(self._context.broker)
        self._before = self._read()
        self._window.begin()
        self._control.show_ahead(self._by_ms * 1_000_000)
        self._during.append(self._read())

    def lift(self) -> None:
        """Let the clock jump back."""
        if not self._window.is_open:
            return
        self._during.append(self._read())
        self._control.show_ahead(0)
        self._window.end()

    def evidence(self) -> FaultLine:
        """Return by how much the clock was shifted: of the two readings the worse one."""
        figures = {"asked": float(self._control.shifted)}
        readings = [each for each in self._during if each is not None]
        if self._before is None or len(readings) < len(self._during):
            return self._window.line(self._context, 0.0, figures)
        worst = max(readings, key=self._wrong_by)
        figures["shifted_ms"] = worst.ahead_ms - self._before.ahead_ms
        figures["error_ms"] = worst.error_ms + self._before.error_ms
        acted = abs(figures["shifted_ms"] - self._by_ms) <= figures["error_ms"]
        return self._window.line(self._context, self._window.length_ms if acted else 0.0, figures)

    def _wrong_by(self, reading: ClockReading) -> float:
        before_ms = 0.0 if self._before is None else self._before.ahead_ms
        return abs(reading.ahead_ms - before_ms - self._by_ms) - reading.error_ms


def _inject(spec: ClockJump, context: FaultContext, cluster: FaultCluster) -> Fault:
    topic = f"{context.topic}-c{spec.broker}-{spec.at_ms}"

    def read() -> ClockReading | None:
        return cluster.clock_reading(topic, spec.broker)

    return ClockJumpFault(
        cluster.stall_control(spec.broker), lambda: cluster.make_clock_topic(topic, spec.broker),
        read, spec.by_ms, context,
    )  # fmt: skip


def _missing(plan: PlannedFault, seen: Recorded) -> str | None:
    if "shifted_ms" not in seen.figures:
        return "no append time of the broker, expected one at the beginning and one at the end"
    shifted_ms, error_ms = seen.figures["shifted_ms"], seen.figures["error_ms"]
    if abs(shifted_ms - plan.by_ms) > error_ms:
        return figure("shifted_ms", shifted_ms, f"{plan.by_ms:g}, at most {error_ms:.0f} off")
    return None


KIND = FaultKind(
    spec=ClockJump,
    words=Words(
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
    inject=_inject,
    requires=lambda _, __: Requirements(clock=True),
    missing=_missing,
    tags=Tags(
        once=True, late_shrinks={"clock-jump": "the leader measures lag by the clock that jumped"}
    ),
)
