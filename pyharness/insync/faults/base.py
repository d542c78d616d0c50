"""The protocol of a fault, and what all faults share: context, time window, waiting.

A fault that cannot show that it acted proves nothing, so `evidence` is part of
the protocol: the verdict is unknown when it is missing or too weak.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from insync.errors import InsyncError
from insync.events.schema import FaultLine, now_ms
from insync.nodes import node_words

POLL_SECONDS = 0.001  # what is waited for is in memory or in /proc, which notify nobody


class Fault(Protocol):
    """One fault on one broker: prepared, injected and lifted once each."""

    def prepare(self) -> None:
        """Set up what the fault needs, before the workload starts; nothing acts yet."""

    def inject(self) -> None:
        """Begin the fault; raises InsyncError if it cannot act."""

    def lift(self) -> None:
        """End the fault and wait until it affects nothing any more.

        Does nothing if the fault was never injected or is already lifted, so that
        a `finally` may always call it.
        """

    def evidence(self) -> FaultLine:
        """Return what the fault did, with its times; call it after `lift`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultContext:
    """Where a fault belongs: arm, repeat, node, topic-partitions; planned time in ms.

    `topic` is that of the repeat. `site` and `mode` are empty where the kind has none.
    """

    arm: str
    repeat: int
    kind: str
    broker: int
    planned_ms: int
    target: Sequence[str] = ()
    site: str = ""
    mode: str = ""
    topic: str = ""

    @property
    def where(self) -> str:
        """Return the node that it is done to, in words."""
        return node_words(self.broker)


@dataclass(frozen=True, slots=True)
class Held:
    """Stalled system calls: how many, for how long in sum, and the longest, in ms."""

    calls: int
    sum_ms: float
    longest_ms: float


NOTHING: Final = Held(0, 0.0, 0.0)


class Window:
    """When a fault began and ended, on the wall clock, and how long that was."""

    def __init__(self) -> None:
        self._began: tuple[float, float] | None = None
        self._ended_ms: float | None = None
        self.length_ms = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the fault has begun and has not ended."""
        return self._began is not None and self._ended_ms is None

    def begin(self) -> None:
        """Record that the fault begins now."""
        self._began = (now_ms(), time.monotonic())

    @contextmanager
    def beginning(self, undo: Callable[[], object]) -> Iterator[None]:
        """Record, at the end of the block, that the fault begins.

        A block that fails, or that Ctrl-C interrupts, is undone: `lift` does nothing before that.
        """
        with ExitStack() as interrupted:
            interrupted.callback(undo)
            yield
            self.begin()
            interrupted.pop_all()

    def end(self) -> None:
        """Record that the fault ends now."""
        if self._began is not None:
            self._ended_ms = now_ms()
            self.length_ms = (time.monotonic() - self._began[1]) * 1000

    def line(
        self,
        context: FaultContext,
        acted_ms: float,
        figures: Mapping[str, float] | None = None,
        held: Held = NOTHING,
    ) -> FaultLine:
        """Return the line of a fault that has ended; raises InsyncError if it has not."""
        if self._began is None or self._ended_ms is None:
            raise InsyncError(f"evidence of a {context.kind} that was not injected and lifted")
        return FaultLine(
            arm=context.arm, repeat=context.repeat, fault=context.kind, site=context.site,
            mode=context.mode, broker=context.broker, target=list(context.target),
            injected_ms=self._began[0], lifted_ms=self._ended_ms, planned_ms=context.planned_ms,
            calls_held=held.calls, held_ms=held.sum_ms, longest_held_ms=held.longest_ms,
            acted_ms=acted_ms, figures=dict(figures or {}),
        )  # fmt: skip


def await_true(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until `condition` holds, at most `seconds`; return whether it did."""
    give_up = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > give_up:
            return False
        time.sleep(POLL_SECONDS)
    return True
