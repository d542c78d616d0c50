"""`memory-pressure`: a broker has too little memory for the page cache that its readers need.

The process is moved into a control group with a limit on memory, and consumers of the harness read
a topic from its beginning that is half as large again as the limit. So what they read is never in
the page cache: the kernel has taken it back for what they read before. When that is so, the disk
becomes slow, and each of their reads waits for it in a network thread that also serves followers.

The fault contains a `disk-throttle`. Evidence: the bytes that were read from the disk, and the
pages of files that the kernel took back and read again.
"""

import selectors
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from insync.background import Background
from insync.errors import InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import await_true, refusal
from insync.faults.kind import OWN_DISK, FaultKind, KindWords, Tags, both, counted
from insync.faults.kinds.disk.disk_throttle import ThrottleFault, evict
from insync.faults.spec import Lasting
from insync.faults.support import memory_groups
from insync.faults.support.cgroups import Stay
from insync.faults.support.disk import blkio
from insync.faults.support.disk.blkio import Rates
from insync.faults.support.memory_groups import Pressure, confine, pressure

CONNECTS_WITHIN_S: Final = 5.0
REPEATS: Final = 100
_POLL_S: Final = 0.05
_PIECE: Final = 1 << 20


class ColdReaders(Background):
    """Reads a topic from its beginning over and over, in a thread while its `with` block runs.

    Each connection carries many requests at once, so the broker's network threads have something
    to send as long as the connections last. What comes is thrown away.
    """

    def __init__(self, clients: Sequence[socket.socket]) -> None:
        """Plan to read what these connections bring."""
        super().__init__("cold-readers")
        self._selector = selectors.DefaultSelector()
        for client in clients:
            client.setblocking(False)
            self._selector.register(client, selectors.EVENT_READ)
        self._buffer = bytearray(_PIECE)
        self.received = 0

    @classmethod
    def start(cls, stack: ExitStack, port: int, requests: Sequence[bytes]) -> "ColdReaders":
        """Send each of the requests on a connection of its own, and read; raises OSError.

        All ends with `stack`.
        """
        from insync.brokers.kafka import wire  # here, so that scenarios load no broker code

        clients = [stack.enter_context(wire.connect(port, CONNECTS_WITHIN_S)) for _ in requests]
        for client, request in zip(clients, requests, strict=True):
            client.sendall(request * REPEATS)
        return stack.enter_context(cls(clients))

    def _step(self) -> None:
        for key, _ in self._selector.select(_POLL_S):
            client = key.fileobj
            assert isinstance(client, socket.socket)  # noqa: S101  # as registered
            try:
                size = client.recv_into(self._buffer)
            except OSError:
                size = 0
            if size == 0:  # the broker has closed it, or has ended
                self._selector.unregister(client)
            self.received += size


READERS: Final = 16  # several for each network thread, which sends to one after the other
PARTITIONS: Final = 4  # so that each fits into one answer, of which Kafka limits the size
LEAST_BYTES: Final = 64 << 20
FULL_WITHIN_S: Final = 10.0


class MemoryPressure(Lasting):
    """The page cache is smaller than what consumers read, and the disk behind it is slow.

    Reads ahead of two network threads and what the JVM touches for the first time must fit into
    the least limit: where cgroup v1 finds nothing to take back, it kills the process.
    """

    intensity = ("read_bytes_per_s",)

    kind: Literal["memory-pressure"]
    limit_bytes: Annotated[int, Field(ge=LEAST_BYTES)] = LEAST_BYTES
    read_bytes_per_s: Annotated[int, Field(ge=1)]


class MemoryPressureFault(ThrottleFault[MemoryPressure]):
    evicts = False  # not again: the kernel would forget which pages it has taken back

    def plan(self) -> None:
        self._topic = f"{self.context.topic}-m{self.spec.broker}-{self.spec.at_ms}"
        self._partition_bytes = self.spec.limit_bytes * 3 // 2 // PARTITIONS
        self._confined: Stay | None = None
        self._clients = ExitStack()
        self._readers: ColdReaders | None = None
        self._pressed_before = Pressure()
        self._pressure = Pressure()

    @property
    def rates(self) -> Rates:
        return Rates(self.spec.read_bytes_per_s)

    def prepare(self) -> None:
        """Make the topic that is read."""
        self.cluster.make_old_records(
            self._topic, self.spec.broker, PARTITIONS, self._partition_bytes
        )
        evict(self.folder)  # written by then, so that the kernel can take back what is read of it

    def inject(self) -> None:
        """Limit the memory, read until it does not suffice, then slow the disk.

        Raises InsyncError if that fails.
        """
        from insync.brokers.kafka import wire  # here, so that scenarios load no broker code

        requests = [
            wire.fetch(self._topic, reader % PARTITIONS, self._partition_bytes)
            for reader in range(READERS)
        ]
        name, port = f"memory-{self.spec.broker}", self.cluster.node(self.spec.broker).port
        try:
            self._confined = stay = confine(self.process.pid, name, self.spec.limit_bytes)
            self._readers = ColdReaders.start(self._clients, port, requests)
            if not await_true(lambda: pressure(stay.group).refaults > 0, FULL_WITHIN_S):
                raise InsyncError(f"{self.context.where}: its memory suffices for all it reads")
            super().inject()
            self._pressed_before = pressure(stay.group)
        except OSError as error:
            raise InsyncError(f"{self.context.where}: no memory pressure: {error}") from error

    def lift(self) -> None:
        stay, self._confined = self._confined, None
        with ExitStack() as undo:
            if stay is not None:
                undo.callback(stay.end)
                with suppress(OSError):
                    self._pressure = pressure(stay.group).since(self._pressed_before)
            undo.callback(super().lift)
            undo.callback(self._clients.close)

    def evidence(self) -> FaultLine:
        self.figures["refaults"] = self._pressure.refaults
        self.figures["limit_hits"] = self._pressure.limit_hits
        self.figures["sent_bytes"] = 0 if self._readers is None else self._readers.received
        return super().evidence()


def _unavailable(folder: Path) -> str | None:
    return refusal(memory_groups.place) or blkio.unavailable(folder)


KIND = FaultKind(
    spec=MemoryPressure,
    words=KindWords(
        does="the page cache is smaller than what consumers read, and the disk behind it is slow",
        mechanism="control groups (memory; blkio or io), and fetches that the harness sends",
        evidence="pages taken back and read again, and the bytes read from the disk: at its rate"
        " they take so long at least",
        notes="`limit_bytes`, 64 MiB or more, is `memory.limit_in_bytes` in cgroup v1, which may"
        " kill the process, and `memory.high` in v2, which does not. What the process had before"
        " does not count. `read_bytes_per_s` is the disk's rate. Sixteen consumers read a topic of"
        " 1.5 times `limit_bytes` on the broker again and again; the disk is slowed when the first"
        " page was read again. Evidence: `refaults` (`memory.stat`), `limit_hits`"
        " (`memory.failcnt`, `memory.events`), `read_bytes`, and `sent_bytes`, what the consumers"
        " received.",
    ),
    probes=both(_unavailable),
    inject=MemoryPressureFault,
    missing=counted("read_bytes", "refaults"),
    tags=Tags(regroups=True, log_folder=OWN_DISK, one_log_dir=True),
)
