"""Read committed records inside of the transactions of one producer.

The reader assigns all partitions, without a group. A transaction continues where the last
committed one ended: after any other end the reader goes back. The positions are in memory, not
offsets that are committed with the transaction, so no group coordinator takes part.
"""

from collections.abc import Callable
from typing import Final

from confluent_kafka import Consumer, Message, TopicPartition

from insync.errors import InsyncError
from insync.events.schema import TransactionReadLine, now_ms
from insync.events.writer import EventWriter
from insync.workload.consumer import settings
from insync.workload.plan import WorkloadPlan
from insync.workload.value import read

POLL_SECONDS: Final = 0.01  # how long a transaction waits for records


class TransactionReader:
    """Reads for the transactions of producer `number`, and writes a line per record.

    Used by one thread, which must close it.
    """

    def __init__(
        self,
        plan: WorkloadPlan,
        number: int,
        writer: EventWriter,
        client: Callable[[dict[str, str | int | float | bool | None]], Consumer] = Consumer,
    ) -> None:
        """Create the client; it is assigned when the first transaction reads."""
        self._plan = plan
        self._number = number
        self._writer = writer
        self._kept = dict.fromkeys(plan.partitions, 0)  # partition -> next offset after a commit
        self._next: dict[int, int] | None = None  # None: the client must be assigned (again)
        self._count = 0
        self._client = client(settings(plan.bootstrap))

    def read(self, transaction: int, records: int) -> None:
        """Read the records that have arrived, at most so many."""
        if self._next is None:
            self._next = dict(self._kept)
            topic = self._plan.topic
            self._client.assign([TopicPartition(topic, p, at) for p, at in self._kept.items()])
        for message in self._client.consume(records, POLL_SECONDS):
            if message.error() is None:  # librdkafka retries errors, and the end is none
                self._writer.write(self._line(transaction, message, self._next))

    def ended(self, *, committed: bool) -> None:
        """Continue after the records of a committed transaction, else at its first ones."""
        if committed and self._next is not None:
            self._kept = dict(self._next)
        elif self._next != self._kept:
            self._next = None

    def close(self) -> None:
        """End the client."""
        self._client.close()

    def _line(
        self, transaction: int, message: Message, positions: dict[int, int]
    ) -> TransactionReadLine:
        partition, offset, value = message.partition(), message.offset(), message.value()
        if partition is None or offset is None or value is None:
            raise InsyncError(f"a record without partition, offset or value in {self._plan.topic}")
        positions[partition] = offset + 1
        self._count += 1
        return TransactionReadLine(
            arm=self._plan.arm, repeat=self._plan.repeat, topic=self._plan.topic,
            producer=self._number, transaction=transaction, partition=partition, offset=offset,
            seq=read(value, self._plan.topic, partition).seq, read_ms=now_ms(), nth=self._count - 1,
        )  # fmt: skip
