"""Record what a cluster did not do in time, and when the harness itself was not scheduled."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Self

from insync.background import Background
from insync.errors import InsyncError
from insync.events.schema import LivenessLine, LivenessType, now_ms
from insync.run.context import ArmContext
from insync.run.readiness import IsrNotFullError

TICK_SECONDS: Final = 0.02


class SchedulingGaps(Background):
    """Measures between entering and leaving the `with` block how late its ticks are."""

    def __init__(self) -> None:
        super().__init__("insync-gaps", TICK_SECONDS)
        self._last = 0.0
        self._longest = 0.0

    @property
    def longest_gap_ms(self) -> float:
        """The longest delay of a wake-up so far, in ms."""
        return self._longest * 1000

    def __enter__(self) -> Self:
        self._last = time.monotonic()
        return super().__enter__()

    def _step(self) -> None:
        now = time.monotonic()
        self._longest = max(self._longest, now - self._last - TICK_SECONDS)
        self._last = now


class Liveness:
    """The liveness of the cluster in one repeat."""

    def __init__(self, context: ArmContext, repeat: int) -> None:
        """Begin with nothing found."""
        self._context = context
        self._repeat = repeat
        self._ended: set[int] = set()
        self.unusable: str | None = None
        """Why the cluster cannot be used any more; None if it can."""

    @contextmanager
    def watch(self, otherwise: LivenessType | None = None) -> Iterator[None]:
        """Record what kept the block from its end, and go on; raises any other InsyncError.

        `otherwise` is what an error means that comes of neither an ISR nor a node. Once the cluster
        is unusable, further errors follow from that and are left out.
        """
        try:
            yield
        except InsyncError as error:
            self._record(error, otherwise)

    def check_nodes(self) -> None:
        """Record the nodes that have ended; the plan has restarted those that it killed."""
        for node, words in self._context.arm_cluster.ended_nodes().items():
            if node not in self._ended:
                self._ended.add(node)
                self._write("unplanned_exit", words, node)

    def _record(self, error: InsyncError, otherwise: LivenessType | None) -> None:
        self.check_nodes()
        if isinstance(error, IsrNotFullError):
            self._write("isr_not_recovered", str(error))
        elif otherwise is not None:
            self._write(otherwise, str(error))
        elif self.unusable is None:
            raise error

    def _write(self, kind: LivenessType, words: str, node: int | None = None) -> None:
        self._context.files.liveness.write(
            LivenessLine(
                type=kind, t_ms=now_ms(), arm=self._context.arm, repeat=self._repeat, node=node,
                note=words,
            )
        )  # fmt: skip
        if kind != "read_back_unfinished":
            self.unusable = self.unusable or words
