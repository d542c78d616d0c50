"""Record what the cluster under test did not do in time, so that a repeat can end in order.

An ISR that does not recover, a node that ends by itself and a read-back that does not finish are
findings about the cluster, not errors of the harness.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from insync.errors import InsyncError
from insync.events.schema import LivenessLine, LivenessType, now_ms
from insync.run.context import ArmContext
from insync.run.readiness import IsrNotFullError


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
