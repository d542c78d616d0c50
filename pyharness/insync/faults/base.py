"""The base of all faults: context, time window, evidence, waiting.

A fault that cannot show that it acted proves nothing, so each kind returns `evidence`: the verdict
is unknown when it is missing or too weak.
"""

import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, Self, TypeVar

from insync.errors import InsyncError
from insync.events.schema import FaultLine, now_ms
from insync.faults.spec import BESIDE, Lasting, Planned
from insync.nodes import ACTIVE_CONTROLLER, node_words
from insync.running import Running

if TYPE_CHECKING:
    from insync.faults.cluster import FaultCluster  # broker code, which scenarios do not load

Spec = TypeVar("Spec", bound=Planned)
AnyLasting = TypeVar("AnyLasting", bound=Lasting)
POLL_SECONDS = 0.001  # what is waited for is in memory or in /proc, which notify nobody


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultContext:
    """Where a fault belongs: arm, repeat, node, topic-partitions; planned time in ms.

    `topic` is the fault's, by default the workload's, `leaders` the broker that leads each of its
    partitions when the repeat begins, `io_threads` how many request handlers a broker has. `site`
    and `mode` are empty where the kind has none. `configs` are those of the topic `[beside]`,
    `clients` is the process of the Java clients, `transactions` are their transactional ids.
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
    leaders: Sequence[int] = ()
    io_threads: int = 0
    configs: Mapping[str, str] = field(default_factory=dict)
    clients: Running | None = None
    transactions: Sequence[str] = ()

    @classmethod
    def of(cls, spec: Planned, *, topic: str, beside: str = "", **given: Any) -> Self:
        """Return the context of a planned fault, with what else is `given` of it.

        `topic` is the workload's of the repeat, `beside` the one of `[beside]`.
        """
        partitions = getattr(spec, "partitions", ())
        if spec.other_topic is not None:
            topic = beside if spec.other_topic == BESIDE else spec.other_topic
        return cls(
            kind=spec.kind, broker=spec.broker, planned_ms=spec.end_ms - spec.at_ms, topic=topic,
            target=[f"{topic}-{partition}" for partition in partitions],
            site=getattr(spec, "site", ""), mode=getattr(spec, "mode", ""), **given,
        )  # fmt: skip

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
            acted_ms=acted_ms,
            figures={name: float(value) for name, value in (figures or {}).items()},
        )  # fmt: skip


class Fault(ABC, Generic[Spec]):
    """One fault on one node, as `spec` plans it: prepared, injected and lifted once each.

    Attributes:
        failed: what the node did not do that the fault asked of it, in words; empty: nothing.
        acted: whether it acted from its beginning to its end.
        figures: what shows that, by names of its kind.

    """

    failed = ""
    acted: object = False

    def __init__(self, spec: Spec, context: FaultContext, cluster: "FaultCluster") -> None:
        """Plan it; nothing is done yet."""
        self.spec = spec
        self.context = context
        self.cluster = cluster
        self.window = Window()
        self.figures: dict[str, float] = {}
        self.node = context.broker
        self.plan()

    def plan(self) -> None:
        """Set the attributes that a kind has of its own."""

    @property
    def process(self) -> Running:
        """The node's process of this moment: a restart replaces it."""
        return self.cluster.process(self.node)

    def prepare(self) -> None:  # most kinds have nothing to prepare
        """Set up what the fault needs, before the workload starts; nothing acts yet."""

    def begin(self) -> None:
        """Find the node that it is for, and begin; raises InsyncError if it cannot act."""
        if self.node == ACTIVE_CONTROLLER:
            self.node = self.cluster.active_controller()
        self.inject()

    @abstractmethod
    def inject(self) -> None:
        """Begin the fault; raises InsyncError if it cannot act."""

    def lift(self) -> None:
        """End the fault and wait until it affects nothing any more.

        Does nothing if the fault was never injected or is already lifted, so that a `finally` may
        always call it.
        """
        if self.window.is_open:
            self.end()

    def end(self) -> None:
        """End a fault that was injected."""
        self.window.end()

    def evidence(self) -> FaultLine:
        """Return what the fault did, with its times; call it after `lift`."""
        return self.line(self.acted_if(self.acted), self.figures)

    def line(
        self, acted_ms: float, figures: Mapping[str, float] | None = None, held: Held = NOTHING
    ) -> FaultLine:
        """Return the evidence of a fault that was lifted; raises InsyncError if it was not."""
        own = {} if self.node == self.context.broker else {"node": self.node}
        return self.window.line(self.context, acted_ms, {**(figures or {}), **own}, held)

    def acted_if(self, acted: object) -> float:
        """Return the whole time of the fault if it acted, else 0."""
        return self.window.length_ms if acted else 0.0


def refusal(call: Callable[[], object]) -> str | None:
    """Return why a call raises InsyncError, None if it does not."""
    try:
        call()
    except InsyncError as error:
        return str(error)
    return None


def await_true(condition: Callable[[], bool], seconds: float) -> bool:
    """Wait until `condition` holds, at most `seconds`; return whether it did."""
    give_up = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > give_up:
            return False
        time.sleep(POLL_SECONDS)
    return True


def await_ended(processes: Sequence[Running], seconds: float) -> None:
    """Wait until processes that were killed have ended; raises InsyncError if one has not."""
    for process in processes:
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise InsyncError(f"process {process.pid}: still there after SIGKILL") from None
