"""Run a transactional producer: one transaction after the other, some aborted on purpose.

A transaction may read committed records first. It has a few records, on the partitions in turn.
librdkafka sends them idempotently, which allows five unanswered requests per broker, and it uses a
whole core while a record waits for this limit. No transaction has more records than that, so none
waits.
"""

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Final, Literal

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from insync.errors import InsyncError
from insync.events.schema import (
    ProduceLine,
    TransactionEnd,
    TransactionLine,
    TransactionReadLine,
    now_ms,
)
from insync.events.writer import EventWriter
from insync.workload.consumer import settings
from insync.workload.plan import LANE_BITS, NEXT_LIFE, TransactionPlan, WorkloadPlan
from insync.workload.producer import Unanswered, batches, timeouts
from insync.workload.value import read, value

POLL_SECONDS: Final = 0.01  # how long a transaction waits for records


class TransactionReader:
    """Reads committed records inside the transactions of producer `number`; a line per record.

    It assigns all partitions, without a group. A transaction continues where the last committed one
    ended: after any other end the reader goes back. The positions are in memory, so that no group
    coordinator takes part. Used by one thread, which must close it.
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
        self._client = client(settings(plan))

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


STEP_SECONDS: Final = 0.2  # how soon it notices that it must give up

Wanted = Literal["commit", "abort"]


@dataclass(frozen=True, kw_only=True, slots=True)
class EndedTransaction:
    """How a transaction ended; the times as in `TransactionLine`."""

    end: TransactionEnd
    asked_ms: float | None = None
    took_ms: float | None = None
    error: str | None = None


class TransactionalProducer(threading.Thread):
    """Runs transactions until `stop` is set; waits for the last one until `abandon` is set.

    It is number `number` of the plan's transactional producers. Writes one ProduceLine per
    record and one TransactionLine per transaction. `acked` is set by its first commit.
    """

    def __init__(
        self,
        plan: WorkloadPlan,
        transactions: TransactionPlan,
        number: int,
        records: EventWriter,
        lines: EventWriter,
        stop: threading.Event,
        abandon: threading.Event,
        on_failure: Callable[[BaseException], None],
        reader: TransactionReader | None = None,
    ) -> None:
        """Create the client; `records` and `lines` get the lines of records and transactions."""
        super().__init__(name=f"transact-{plan.topic}-{number}", daemon=True)
        self.acked = threading.Event()
        self._plan = plan
        self._own = transactions
        self._number = number
        self._transactions = lines
        self._pending = Unanswered(records)
        self._life = 0
        self._stop_asked = stop
        self._abandon = abandon
        self._on_failure = on_failure
        self._reader = reader
        self._chance = random.Random(f"{plan.seed}/transactions/{number}")  # noqa: S311
        self._seqs = count((number + 1) << LANE_BITS)
        self._last_moment: float | None = None
        self._client = self._new_client()

    def run(self) -> None:
        """Run transactions at the plan's rate, and write a line for every record."""
        try:
            self._initialise()
            start = time.monotonic()
            for turn in count():
                due = start + turn / self._own.per_second
                if self._own.until is not None and due - start > self._own.until:
                    return
                if self._stop_asked.wait(max(0.0, due - time.monotonic())):
                    return
                self._transact(turn * len(self._own.ids) + self._number)
        except BaseException as error:  # any error must end the run
            self._on_failure(error)
        finally:
            self._pending.give_up()
            if self._reader is not None:
                self._reader.close()

    def _transact(self, number: int) -> None:
        aborted = self._chance.randrange(100) < self._own.abort_percent
        wanted: Wanted = "abort" if aborted else "commit"
        places = self._places()
        begun_ms = now_ms()
        ended = self._ended(number, places, wanted)
        plan = self._plan
        self._transactions.write(
            TransactionLine(
                arm=plan.arm, repeat=plan.repeat, topic=plan.topic, producer=self._number,
                transaction=number, records=len(places), begun_ms=begun_ms,
                asked_ms=ended.asked_ms, ended_ms=now_ms(), took_ms=ended.took_ms, wanted=wanted,
                end=ended.end, error=ended.error, client="librdkafka",
            )
        )  # fmt: skip
        committed = ended.end == "committed"
        if self._reader is not None:
            self._reader.ended(committed=committed)
        if committed:
            self.acked.set()

    def _places(self) -> Sequence[int]:
        partitions = self._plan.partitions
        first = self._chance.randrange(len(partitions))
        return [partitions[(first + step) % len(partitions)] for step in range(self._own.records)]

    def _ended(self, number: int, places: Sequence[int], wanted: Wanted) -> EndedTransaction:
        """Run one transaction; abort it if it cannot be committed."""
        try:
            self._client.begin_transaction()
            if self._reader is not None:
                self._reader.read(number, self._own.reads)
            for partition in places:
                self._produce(number, partition)
            if wanted == "abort":
                self._await_answers()  # the log must contain aborted records, which nobody may read
        except KafkaException as failure:
            return self._recovered(failure.args[0], EndedTransaction(end="unknown"))
        if wanted == "abort":
            return self._finished(self._client.abort_transaction, "aborted")
        return self._finished(self._client.commit_transaction, "committed")

    def _finished(self, call: Callable[[float], None], end: TransactionEnd) -> EndedTransaction:
        asked_ms, began = now_ms(), time.monotonic()
        error = self._persist(call)
        if error is not None:
            return self._recovered(error, EndedTransaction(end="unknown", asked_ms=asked_ms))
        took_ms = (time.monotonic() - began) * 1000
        return EndedTransaction(end=end, asked_ms=asked_ms, took_ms=took_ms)

    def _recovered(self, error: KafkaError, ended: EndedTransaction) -> EndedTransaction:
        """Abort a failed transaction if the client still can; replace it after a fatal error."""
        ended = replace(ended, error=error.name())
        if error.fatal():
            self._pending.fail(error.name())  # no callback will report them
            self._life += 1
            self._client = self._new_client()
            self._initialise()
            return ended
        if not error.txn_requires_abort() or self._persist(self._client.abort_transaction):
            return ended
        return replace(ended, end="aborted")

    def _initialise(self) -> None:
        error = self._persist(self._client.init_transactions)
        if error is not None and not self._gives_up():
            raise KafkaException(error)

    def _persist(self, call: Callable[[float], None]) -> KafkaError | None:
        """Repeat a call until it succeeds or is not retriable; return the last error."""
        while True:
            try:
                call(STEP_SECONDS)
            except KafkaException as failure:
                error: KafkaError = failure.args[0]
                if not error.retriable() or self._gives_up():
                    return error
            else:
                return None

    def _await_answers(self) -> None:
        while self._pending and not self._gives_up():
            self._client.poll(STEP_SECONDS)

    def _gives_up(self) -> bool:
        """Whether to stop waiting: `abandon` is set, or `stop` is and the drain time is over."""
        if self._abandon.is_set():
            return True
        if not self._stop_asked.is_set():
            return False
        if self._last_moment is None:
            self._last_moment = time.monotonic() + self._plan.drain_seconds
        return time.monotonic() > self._last_moment

    def _produce(self, number: int, partition: int) -> None:
        plan, seq = self._plan, next(self._seqs)
        line = ProduceLine(
            arm=plan.arm, repeat=plan.repeat, topic=plan.topic, partition=partition, seq=seq,
            sent_ms=now_ms(), producer=plan.producers + self._number + self._life * NEXT_LIFE,
            idempotent=True, transaction=number, client="librdkafka",
        )  # fmt: skip
        self._pending.add(line, time.monotonic())
        self._client.produce(
            plan.topic,
            value(plan.topic, partition, seq, self._chance, plan.record_bytes),
            key=plan.key_of(seq),
            partition=partition,
            on_delivery=lambda error, message: self._pending.answer(seq, error, message),
        )

    def _new_client(self) -> Producer:
        return Producer(
            {
                "bootstrap.servers": self._plan.bootstrap,
                "transactional.id": self._own.ids[self._number],
                "transaction.timeout.ms": self._own.timeout_ms,
                "log_level": 0,
                **batches(self._plan.load),
                **timeouts(self._plan.client_timeout_ms),
            }
        )
