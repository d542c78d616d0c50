"""Control the whole workload of a repeat: start it, wait for acks, stop it, read it back."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Final, Self

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec  # type: ignore[attr-defined]

from insync.clients import Library, uses
from insync.errors import InsyncError
from insync.events.schema import READ_BACK, GroupLine, now_ms, repeat_file
from insync.events.writer import EventWriter
from insync.workload.consumer import TopicConsumer
from insync.workload.groups import GroupMember
from insync.workload.java import Driver, JavaClients, JavaReader
from insync.workload.plan import GroupPlan, WorkloadPlan
from insync.workload.producer import PartitionProducer
from insync.workload.transactional import TransactionalProducer, TransactionReader

ANSWER_SECONDS: Final = 5.0
COMMITS_SECONDS: Final = 0.2
DEFAULT_SESSION_MS: Final = 45_000
"""Kafka's default of both protocols."""


def drain(plan: WorkloadPlan, ends: Mapping[int, int], seconds: float) -> Iterator[GroupLine]:
    """Yield what the coordinator of each group has stored at the end.

    That is the end of every partition, unless the group did not get there in a session and
    `seconds`: a member that could not say that it leaves keeps its partitions for a session.
    Whether the group got there is for the checker to judge, not an error of the run.
    """
    admin = AdminClient({"bootstrap.servers": plan.bootstrap, "log_level": 0})
    begun = time.monotonic()
    for group in plan.groups:
        session_ms = DEFAULT_SESSION_MS if group.session_ms is None else group.session_ms
        give_up = begun + seconds + session_ms / 1000
        stored = _stored(admin, plan, group)
        while any(stored.get(p, -1) < end for p, end in ends.items()):
            if time.monotonic() > give_up:
                break
            time.sleep(COMMITS_SECONDS)
            stored = _stored(admin, plan, group)
        for partition, offset in stored.items():
            yield GroupLine(
                arm=plan.arm, repeat=plan.repeat, topic=plan.topic, t_ms=now_ms(),
                group=group.number, protocol=group.protocol, member=None, type="stored",
                partition=partition, offset=offset,
            )  # fmt: skip


def _stored(admin: AdminClient, plan: WorkloadPlan, group: GroupPlan) -> dict[int, int]:
    """Return the committed offset of each partition that has one; none without an answer."""
    places = [TopicPartition(plan.topic, partition) for partition in plan.partitions]
    asked = ConsumerGroupTopicPartitions(group.id, places)
    try:
        answers = admin.list_consumer_group_offsets([asked], request_timeout=ANSWER_SECONDS)
        found = answers[group.id].result().topic_partitions
    except KafkaException:
        return {}  # the coordinator may be moving
    return {each.partition: each.offset for each in found if each.offset >= 0}


LIBRDKAFKA: Final[Library] = "librdkafka"
TRUNCATED_SECONDS: Final = 5.0
"""After so long an end offset below what was read is not a delay: the log was truncated."""
AGAIN_SECONDS: Final = 0.2
LOOK_SECONDS: Final = 0.05
CLOSE_SECONDS: Final = 15.0
"""How long all clients may take to close. librdkafka's consumer may hang for ever in its close."""

AnyReader = TopicConsumer | JavaReader


class Workload:
    """The producers and consumers of one repeat; a context manager that stops them at its end.

    The clients connect as soon as they are created, before the topic exists, so that acks follow
    `start` immediately.
    """

    def __init__(self, plan: WorkloadPlan, folder: Path, driver: Driver | None = None) -> None:
        """Create the clients; `folder` is the arm's event folder.

        `driver` runs the plan's Java clients.
        """
        self._plan = plan
        self._stop = threading.Event()
        self._abandon = threading.Event()
        self._failed = threading.Event()
        self._error: BaseException | None = None
        self._running: list[threading.Thread] = []
        self._files = ExitStack()
        repeat, own = plan.repeat, plan.transactions

        def opened(name: str) -> EventWriter:
            return self._files.enter_context(EventWriter(folder / name))

        produced = opened(repeat_file("produce", repeat))
        self._consumed = opened(repeat_file("consume", repeat))
        self._read_back = opened(READ_BACK)
        self._grouped = opened(repeat_file("group", repeat)) if plan.groups else None
        transacted = opened(repeat_file("transactions", repeat)) if own else None
        reads = own is not None and own.reads
        read = opened(repeat_file("transaction-reads", repeat)) if reads else None
        self._consumers = [TopicConsumer(plan, self._consumed, self._fail)] if self._own else []
        self._members = [
            GroupMember(plan, group, slot, written, self._fail)
            for written in filter(None, [self._grouped])
            for group in plan.groups
            for slot in plan.members(LIBRDKAFKA, group)
        ]
        control = (self._stop, self._abandon, self._fail)
        self._producers: list[PartitionProducer | TransactionalProducer] = [
            PartitionProducer(plan, partition, lane, produced, *control)
            for partition in plan.partitions
            for lane in plan.lanes(LIBRDKAFKA, partition)
        ]
        if own is not None and transacted is not None:
            self._producers += (
                TransactionalProducer(
                    plan, own, number, produced, transacted, *control,
                    TransactionReader(plan, number, read) if read else None,
                )
                for number in plan.transactional(LIBRDKAFKA)
            )  # fmt: skip
        self._java: JavaClients | None = None
        if driver is not None:
            files = {
                "produce": produced, "consume": self._consumed, "transactions": transacted,
                "group": self._grouped,
            }  # fmt: skip
            writers = {kind: file.write_encoded for kind, file in files.items() if file}
            self._java = JavaClients(driver, plan, writers, self._fail)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._abandon.set()
        readers: list[TopicConsumer | GroupMember] = [*self._consumers, *self._members]
        for reader in readers:
            reader.cut()
        if self._java is not None:
            self._java.close()
        give_up = time.monotonic() + CLOSE_SECONDS
        for thread in self._running:
            # One that hangs is left behind; `read_to` has said that it did not end.
            thread.join(max(0.0, give_up - time.monotonic()))
        self._files.close()

    @property
    def _own(self) -> bool:
        """Whether it has clients of librdkafka."""
        return uses(self._plan.client, LIBRDKAFKA)

    def start(self) -> None:
        """Start to produce and to consume; the topic must exist."""
        for thread in (*self._consumers, *self._members, *self._producers):
            thread.start()
            self._running.append(thread)
        if self._java is not None:
            self._java.start()

    def await_acks(self, seconds: float) -> None:
        """Wait until every producer has its first ack or commit; raises InsyncError if not."""
        give_up = time.monotonic() + seconds
        for producer in self._producers:
            while not producer.acked.wait(0.05):
                self.check()
                if time.monotonic() > give_up:
                    raise InsyncError(f"{producer.name}: no ack within {seconds:.0f} s")
        if self._java is not None:
            self._java.await_acks(max(0.0, give_up - time.monotonic()))

    def await_on_time(self, most_ms: float, seconds: float) -> bool:
        """Wait until no record waits for its ack for longer than `most_ms`, at most `seconds`.

        Returns whether that was reached. A cold cluster acks the first records slowly, and the
        next ones wait in the clients: no fault has caused that. Records of transactions do not
        count, because they may wait until their transaction ends.
        """
        give_up = time.monotonic() + seconds
        while self._late_ms() > most_ms:
            if time.monotonic() > give_up:
                return False
            self.wait(LOOK_SECONDS)
        return True

    def _late_ms(self) -> float:
        own = [each.late_ms for each in self._producers if isinstance(each, PartitionProducer)]
        java = [] if self._java is None else [self._java.late_ms()]
        return max([*own, *java], default=0.0)

    def wait(self, seconds: float) -> None:
        """Let the workload run for `seconds`; raises InsyncError at once if a part of it fails."""
        self._failed.wait(max(0.0, seconds))
        self.check()

    def stop_producing(self) -> None:
        """Stop the producers and wait for the last answers, at most the plan's drain time."""
        self._stop.set()
        for member in self._members:
            member.stay()
        if self._java is not None:
            self._java.stop()
        for producer in self._producers:
            producer.join()
        if self._java is not None:
            self._java.await_stopped()
        self.check()

    def read_back(self, seconds: float) -> None:
        """Read every partition up to its end, and then all of it again with a fresh consumer.

        Records how far both came. Raises InsyncError if one of them reads nothing for `seconds`.
        """
        ends, positions = self._end_offsets(seconds), dict.fromkeys(self._plan.partitions, 0)
        for reader in self._readers():
            self._read_to(reader, ends, seconds)
            positions = {p: max(read, positions[p]) for p, read in reader.positions.items()}
        fresh = self._fresh_reader()
        ends = self._ends_of_all(positions, seconds)
        self._read_to(fresh, ends, seconds)
        if self._grouped is not None:
            for line in drain(self._plan, ends, seconds):
                self._grouped.write(line)
            self.check()

    def check_read_from(self) -> None:
        """Raise InsyncError if no consumer has read from the broker that is in its rack."""
        wanted = self._plan.read_from
        seen = {broker for each in self._consumers for broker in each.read_from}
        if wanted is not None and wanted not in seen:
            raise InsyncError(
                f"consumers of {self._plan.topic}: read from {sorted(seen)}, expected broker"
                f" {wanted}, which is in their rack"
            )

    def _readers(self) -> list[AnyReader]:
        """Return the consumers that read while the producers wrote."""
        return [*self._consumers, *([self._java.reader()] if self._java is not None else [])]

    def _fresh_reader(self) -> AnyReader:
        """Return a consumer that begins to read now."""
        if self._java is not None and not self._own:
            return self._java.reader(fresh=True)
        consumer = TopicConsumer(self._plan, self._consumed, self._fail, fresh=True)
        consumer.start()
        self._consumers.append(consumer)
        self._running.append(consumer)
        return consumer

    def _read_to(self, reader: AnyReader, ends: Mapping[int, int], seconds: float) -> None:
        try:
            reader.read_to(ends, seconds)
        finally:
            for line in reader.read_back():
                self._read_back.write(line)
        self.check()

    def _ends_of_all(self, positions: Mapping[int, int], seconds: float) -> dict[int, int]:
        """Return the end offsets; asks again for a while if one is below what was read.

        Before Kafka 2.2 a new leader may answer with a high watermark that is too low.
        """
        give_up = time.monotonic() + TRUNCATED_SECONDS
        while True:
            ends = self._end_offsets(seconds)
            if all(ends[p] >= read for p, read in positions.items()) or time.monotonic() > give_up:
                return ends
            time.sleep(AGAIN_SECONDS)

    def check(self) -> None:
        """Raise InsyncError if a thread of the workload has failed."""
        if self._error is not None:
            raise InsyncError(f"workload of {self._plan.topic}: {self._error!r}") from self._error

    def _fail(self, error: BaseException) -> None:
        self._error = error
        self._failed.set()

    def _end_offsets(self, seconds: float) -> dict[int, int]:
        """Return the end offsets; asks again for up to `seconds` after an error.

        A new leader does not know its high watermark (OFFSET_NOT_AVAILABLE) until its followers
        have fetched. Raises InsyncError with the last error.
        """
        admin = AdminClient({"bootstrap.servers": self._plan.bootstrap, "log_level": 0})
        give_up = time.monotonic() + seconds
        while True:
            try:
                return self._asked_ends(admin, seconds)
            except KafkaException as error:
                if time.monotonic() > give_up:
                    where = f"end offsets of {self._plan.topic}"
                    raise InsyncError(f"{where}: {error.args[0]}") from error
            time.sleep(AGAIN_SECONDS)

    def _asked_ends(self, admin: AdminClient, seconds: float) -> dict[int, int]:
        """Ask once for the end offsets; raises KafkaException."""
        latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # confluent's own gap
        query = {TopicPartition(self._plan.topic, p): latest for p in self._plan.partitions}
        # If the client is not connected yet, list_offsets may look for leaders only every
        # second or two. list_topics returns as soon as it is connected and finds the leaders.
        admin.list_topics(self._plan.topic, timeout=seconds)
        answers = admin.list_offsets(query, request_timeout=seconds)
        return {tp.partition: answer.result().offset for tp, answer in answers.items()}
