"""Control the whole workload of a repeat: start it, wait for acks, stop it, read it back."""

import threading
import time
from contextlib import ExitStack
from typing import Self

from confluent_kafka import KafkaException, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # has no __all__
    AdminClient,
    OffsetSpec,
)

from insync.errors import InsyncError
from insync.events.schema import (
    consume_file,
    produce_file,
    transaction_reads_file,
    transactions_file,
)
from insync.events.writer import EventFolder, EventWriter
from insync.workload.consumer import TopicConsumer
from insync.workload.plan import WorkloadPlan
from insync.workload.producer import PartitionProducer
from insync.workload.transaction_reader import TransactionReader
from insync.workload.transactional import TransactionalProducer


class Workload:
    """The producers and the consumer of one repeat; a context manager that stops them at its end.

    The clients connect as soon as they are created, before the topic exists, so that acks follow
    `start` immediately.
    """

    def __init__(self, plan: WorkloadPlan, folder: EventFolder) -> None:
        """Create the clients; `folder` is the arm's event folder."""
        self._plan = plan
        self._stop = threading.Event()
        self._abandon = threading.Event()
        self._failed = threading.Event()
        self._error: BaseException | None = None
        self._running: list[threading.Thread] = []
        self._files = ExitStack()
        produced = self._files.enter_context(folder.open(produce_file(plan.repeat)))
        consumed = self._files.enter_context(folder.open(consume_file(plan.repeat)))
        self._consumer = TopicConsumer(plan, consumed, self._fail)
        self._producers: list[PartitionProducer | TransactionalProducer] = [
            *self._plain_producers(produced),
            *self._transactional_producers(produced, folder),
        ]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._abandon.set()
        self._consumer.cut()
        for thread in self._running:
            thread.join()
        self._files.close()

    def _plain_producers(self, produced: EventWriter) -> list[PartitionProducer]:
        plan = self._plan
        return [
            PartitionProducer(
                plan, partition, lane, produced, self._stop, self._abandon, self._fail
            )
            for partition in plan.partitions
            for lane in range(plan.producers)
        ]

    def _transactional_producers(
        self, produced: EventWriter, folder: EventFolder
    ) -> list[TransactionalProducer]:
        plan, own = self._plan, self._plan.transactions
        if own is None:
            return []
        file = folder.open(transactions_file(plan.repeat))
        ended = self._files.enter_context(file)
        read = None
        if own.reads:
            read = self._files.enter_context(folder.open(transaction_reads_file(plan.repeat)))
        return [
            TransactionalProducer(
                plan,
                own,
                number,
                (produced, ended),
                self._stop,
                self._abandon,
                self._fail,
                TransactionReader(plan, number, read) if read else None,
            )
            for number in range(len(own.ids))
        ]

    def start(self) -> None:
        """Start to produce and to consume; the topic must exist."""
        for thread in (self._consumer, *self._producers):
            thread.start()
            self._running.append(thread)

    def await_acks(self, seconds: float) -> None:
        """Wait until every producer has its first ack or commit; raises InsyncError if not."""
        give_up = time.monotonic() + seconds
        for producer in self._producers:
            while not producer.acked.wait(0.05):
                self.check()
                if time.monotonic() > give_up:
                    raise InsyncError(f"{producer.name}: no ack within {seconds:.0f} s")

    def wait(self, seconds: float) -> None:
        """Let the workload run for `seconds`; raises InsyncError at once if a part of it fails."""
        self._failed.wait(max(0.0, seconds))
        self.check()

    def stop_producing(self) -> None:
        """Stop the producers and wait for the last answers, at most the plan's drain time."""
        self._stop.set()
        for producer in self._producers:
            producer.join()
        self.check()

    def read_back(self, seconds: float) -> None:
        """Read every partition up to its end offset; raises InsyncError if that takes longer."""
        self._consumer.read_to(self._end_offsets(seconds), seconds)
        self.check()

    def check(self) -> None:
        """Raise InsyncError if a thread of the workload has failed."""
        if self._error is not None:
            raise InsyncError(f"workload of {self._plan.topic}: {self._error!r}") from self._error

    def _fail(self, error: BaseException) -> None:
        self._error = error
        self._failed.set()

    def _end_offsets(self, seconds: float) -> dict[int, int]:
        admin = AdminClient({"bootstrap.servers": self._plan.bootstrap, "log_level": 0})
        latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # confluent's own gap
        query = {TopicPartition(self._plan.topic, p): latest for p in self._plan.partitions}
        try:
            # If the client is not connected yet, list_offsets may look for leaders only every
            # second or two. list_topics returns as soon as it is connected and finds the leaders.
            admin.list_topics(self._plan.topic, timeout=seconds)
            answers = admin.list_offsets(query, request_timeout=seconds)
            return {tp.partition: answer.result().offset for tp, answer in answers.items()}
        except KafkaException as error:
            raise InsyncError(f"end offsets of {self._plan.topic}: {error.args[0]}") from error
