"""Produce the records of one partition, or a share of them, in an open loop.

Records are due at fixed times that no answer can shift. Latency counts from the due time, so a
stall shows in every record that was due during it. Each producer has its own client, so that two
partitions of one broker influence each other only in the broker.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Final

from confluent_kafka import KafkaError, KafkaException, Message, Producer

from insync.events.schema import ProduceLine, now_ms
from insync.events.writer import EventWriter
from insync.workload.plan import NEXT_LIFE, Load, WorkloadPlan, schedule, values


class Unanswered:
    """Keeps the lines of records until they are settled; all but `oldest_ms` is for one thread."""

    def __init__(self, writer: EventWriter) -> None:
        self._writer = writer
        self._waiting: dict[int, tuple[float, ProduceLine]] = {}  # seq -> due (monotonic), line

    def __len__(self) -> int:
        return len(self._waiting)

    def oldest_ms(self) -> float:
        """Return for how long the oldest record has waited for its answer; 0 if none waits."""
        dues = [due for due, _ in list(self._waiting.values())]
        return (time.monotonic() - min(dues)) * 1000 if dues else 0.0

    def add(self, line: ProduceLine, due: float) -> None:
        """Keep a record; its latency counts from `due` (monotonic seconds)."""
        self._waiting[line.seq] = (due, line)

    def answer(self, seq: int, error: KafkaError | None, message: Message) -> None:
        """Settle a record as the client library reports it."""
        if error is None:
            self.settle(seq, offset=message.offset())
        else:
            self.settle(seq, error=error.name())

    def settle(self, seq: int, *, error: str | None = None, offset: int | None = None) -> None:
        """Write the line of an answered record."""
        due, line = self._waiting.pop(seq)
        latency_ms = (time.monotonic() - due) * 1000
        self._writer.write(
            replace(line, done_ms=now_ms(), latency_ms=latency_ms, error=error, offset=offset)
        )

    def fail(self, error: str) -> None:
        """Settle all records after their client failed; whether a broker has them is unknown."""
        for seq in list(self._waiting):
            self.settle(seq, error=error)

    def give_up(self) -> None:
        """Write the lines of records that were never answered."""
        for _, line in self._waiting.values():
            self._writer.write(line)
        self._waiting.clear()


DELIVERY_MS: Final = 120_000  # librdkafka fails a record after this
RECONNECT_MS: Final = 100  # librdkafka's first backoff
POLL_SECONDS: Final = 0.1  # how soon it notices that it must end
LINGER_MS: Final = 10  # longer than it takes to queue the records of a burst
IN_FLIGHT: Final = 5  # the most unanswered requests of an idempotent client
QUEUE_RECORDS: Final = 50_000
QUEUE_KBYTES: Final = 16_384  # a full queue fails records at once and never delays the next ones


class PartitionProducer(threading.Thread):
    """Produces to one partition until `stop` is set, then drains until `abandon` is set.

    It is number `lane`, from 0, of the partition's `producers`: it sends every `producers`-th
    record at that record's time. Writes one ProduceLine per record: when it is answered, when it
    cannot be queued, or at the end if it was never answered.
    """

    def __init__(
        self,
        plan: WorkloadPlan,
        partition: int,
        lane: int,
        writer: EventWriter,
        stop: threading.Event,
        abandon: threading.Event,
        on_failure: Callable[[BaseException], None],
    ) -> None:
        super().__init__(name=f"produce-{plan.topic}-{partition}-{lane}", daemon=True)
        self.acked = threading.Event()
        self._plan = plan
        self._partition = partition
        self._lane = lane
        self._stop_asked = stop
        self._abandon = abandon
        self._on_failure = on_failure
        self._pending = Unanswered(writer)
        self._number = lane
        self._keys = plan.keys_of(partition, lane)
        self._client = self._new_client()

    @property
    def late_ms(self) -> float:
        """For how long its oldest record has waited for an answer; any thread may ask."""
        return self._pending.oldest_ms()

    def run(self) -> None:
        """Produce, drain, and write a line for every record."""
        try:
            self._produce_on_schedule()
            self._drain()
        except BaseException as error:  # any error must end the run
            self._on_failure(error)
        finally:
            self._pending.give_up()

    def _produce_on_schedule(self) -> None:
        start = time.monotonic()
        every, passed = values(self._plan, self._partition), 0
        for seq, after in schedule(self._plan, self._partition, self._lane):
            value, passed = next(islice(every, seq - passed, None)), seq + 1
            due = start + after
            self._serve_until(due)
            if self._plan.idempotent:
                self._await_room()
            if self._stop_asked.is_set():
                return
            self._produce(seq, value, due)

    def _serve_until(self, due: float) -> None:
        """Handle answers until the next record is due."""
        while (left := due - time.monotonic()) > 0 and not self._stop_asked.is_set():
            self._poll(min(left, POLL_SECONDS))

    def _await_room(self) -> None:
        """Wait with a due record until the client can send it at once; it is not dropped."""
        while len(self._pending) >= IN_FLIGHT and not self._stop_asked.is_set():
            self._poll(POLL_SECONDS)

    def _drain(self) -> None:
        """Wait for outstanding answers, at most for the plan's drain time."""
        give_up = time.monotonic() + self._plan.drain_seconds
        while self._pending and time.monotonic() < give_up and not self._abandon.is_set():
            self._poll(POLL_SECONDS)

    def _poll(self, seconds: float) -> None:
        """Handle answers; after a fatal error continue with a new client, as applications do.

        An idempotent client fails fatally when it cannot know which records a broker has.
        """
        try:
            self._client.poll(seconds)
        except KafkaException as failure:
            error: KafkaError = failure.args[0]
            if not error.fatal():
                raise
            self._pending.fail(error.name())
            self._number += NEXT_LIFE
            self._client = self._new_client()

    def _new_client(self) -> Producer:
        return Producer(settings(self._plan, bursts=self._partition in self._plan.bursts))

    def _produce(self, seq: int, value: bytes, due: float) -> None:
        late = time.monotonic() - due
        self._pending.add(self._unanswered(seq, now_ms() - late * 1000), due)
        try:
            self._client.produce(
                self._plan.topic,
                value,
                key=self._plan.key_of(seq, self._keys),
                partition=self._partition,
                on_delivery=lambda error, message: self._answered(seq, error, message),
            )
        except (BufferError, KafkaException) as error:
            self._pending.settle(seq, error=_words(error))

    def _answered(self, seq: int, error: KafkaError | None, message: Message) -> None:
        self._pending.answer(seq, error, message)
        if error is None:
            self.acked.set()

    def _unanswered(self, seq: int, sent_ms: float) -> ProduceLine:
        plan = self._plan
        return ProduceLine(
            arm=plan.arm, repeat=plan.repeat, topic=plan.topic, partition=self._partition,
            seq=seq, sent_ms=sent_ms, producer=self._number, idempotent=plan.idempotent,
            client="librdkafka",
        )  # fmt: skip


def settings(plan: WorkloadPlan, *, bursts: bool = False) -> dict[str, str | int | float | bool]:
    """Return the settings of a client that sends each record at once, without waiting for answers.

    A client of `bursts` waits until a whole burst is queued, so that it is one batch.

    The client is idempotent only if the plan says so. That limits the requests in flight to 5, and
    librdkafka uses a whole core while a record waits for this limit, which on a small machine
    takes CPU time from the brokers under test; so records wait in this module instead. Without
    idempotence duplicates are counted from the read-back.
    """
    return {
        "bootstrap.servers": plan.bootstrap,
        "acks": plan.load.acks,
        "enable.idempotence": plan.idempotent,
        "delivery.timeout.ms": DELIVERY_MS,
        "queue.buffering.max.messages": QUEUE_RECORDS,
        "queue.buffering.max.kbytes": QUEUE_KBYTES,
        "log_level": 0,
        **batches(plan.load, bursts=bursts),
        **timeouts(plan.client_timeout_ms),
        **({} if plan.retries else {"retries": 0}),
    }


def batches(load: Load, *, bursts: bool = False) -> dict[str, str | int]:
    """Return the settings of batches, which have the same names in all of Kafka's clients."""
    linger_ms = (LINGER_MS if bursts else 0) if load.linger_ms is None else load.linger_ms
    size = {} if load.batch_bytes is None else {"batch.size": load.batch_bytes}
    return {"linger.ms": linger_ms, "compression.type": load.compression, **size}


def timeouts(timeout_ms: int | None) -> dict[str, int]:
    """Return the timeouts of a client: for an answer, and for brokers that wait for replicas.

    After a lost connection the client reconnects within that time as well: librdkafka's default
    backoff grows to 10 s, which is longer than what is measured.
    """
    if timeout_ms is None:
        return {}
    return {
        "socket.timeout.ms": timeout_ms,
        "request.timeout.ms": timeout_ms,
        "reconnect.backoff.ms": min(timeout_ms, RECONNECT_MS),
        "reconnect.backoff.max.ms": timeout_ms,
    }


def _words(error: BufferError | KafkaException) -> str:
    """Return Kafka's name of the error; a BufferError means that librdkafka's queue is full."""
    if isinstance(error, KafkaException):
        return str(error.args[0].name())
    return "_QUEUE_FULL"
