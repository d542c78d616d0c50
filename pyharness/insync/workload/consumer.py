"""Consume a topic from its beginning, while its producers write it or after they have.

The consumer assigns its partitions manually, without a group, and reads until it has reached the
end offsets that it is given; what it read is the read-back. It reads only committed records
(read_committed); without transactions these are all records.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from confluent_kafka import Consumer, KafkaError, Message, TopicPartition

from insync.errors import InsyncError
from insync.events.schema import ConsumeLine, ReadBackLine, now_ms
from insync.events.writer import EventWriter
from insync.workload.plan import WorkloadPlan
from insync.workload.value import UNREADABLE, ReadValue, read

POLL_SECONDS: Final = 0.1  # how soon it notices the end offsets
STATISTICS_MS: Final = 500


class Reader:
    """How far a consumer has read; `fresh` is whether it begins when the producers have stopped."""

    def __init__(self, plan: WorkloadPlan, number: int, *, fresh: bool) -> None:
        self._plan, self._number, self._fresh = plan, number, fresh
        self._next = dict.fromkeys(plan.partitions, 0)  # partition -> next offset to read
        self._ends: Mapping[int, int] = {}

    @property
    def positions(self) -> Mapping[int, int]:
        """Return the next offset to read of each partition."""
        return dict(self._next)

    def read_back(self) -> Iterator[ReadBackLine]:
        """Yield how far each partition was read; nothing before the end offsets are known."""
        for partition, end in self._ends.items():
            yield ReadBackLine(
                arm=self._plan.arm, repeat=self._plan.repeat, topic=self._plan.topic, t_ms=now_ms(),
                partition=partition, consumer=self._number, fresh=self._fresh,
                position=self._next[partition], end_offset=end,
            )  # fmt: skip

    def not_complete(self, seconds: float, error: str | None, by: str = "") -> InsyncError:
        """Return the error: without a complete read-back no record can be called lost."""
        return InsyncError(
            f"read-back of {self._plan.topic}{by} not complete, nothing was read for {seconds:g} s:"
            f" at offsets {self._next} of {dict(self._ends)}, last error: {error}"
        )


class TopicConsumer(Reader, threading.Thread):
    """Reads all partitions of the plan and writes one ConsumeLine per record."""

    def __init__(
        self,
        plan: WorkloadPlan,
        writer: EventWriter,
        on_failure: Callable[[BaseException], None],
        *,
        fresh: bool = False,
    ) -> None:
        Reader.__init__(self, plan, 0, fresh=fresh)
        name = f"{'re-read' if fresh else 'consume'}-{plan.topic}"
        threading.Thread.__init__(self, name=name, daemon=True)
        self._writer = writer
        self._on_failure = on_failure
        self._count = 0
        self._cut = threading.Event()
        self._last_error = "none"
        self.read_from: set[int] = set()
        self._client = Consumer({**settings(plan), **self._watched()})

    def _watched(self) -> dict[str, Any]:
        """Return what lets the client say from which brokers it reads."""
        if self._plan.read_from is None:
            return {}
        return {"statistics.interval.ms": STATISTICS_MS, "stats_cb": self._look}

    def _look(self, statistics: str) -> None:
        for topic in json.loads(statistics)["topics"].values():
            self.read_from |= {each["broker"] for each in topic["partitions"].values()}

    def run(self) -> None:
        """Read until the end offsets are known and reached, or until `cut` is called."""
        try:
            self._client.assign([TopicPartition(self._plan.topic, p, 0) for p in self._next])
            while not self._cut.is_set() and not self._at_end():
                message = self._client.poll(POLL_SECONDS)
                if message is not None:
                    self._take(message)
        except BaseException as error:  # any error must end the run
            self._on_failure(error)
        finally:
            self._client.close()

    def read_to(self, ends: Mapping[int, int], seconds: float) -> None:
        """Wait until every record below the offsets `ends` was read.

        Raises InsyncError with the last positions and error if nothing was read for `seconds`.
        """
        self._ends = ends
        read: Mapping[int, int] = {}
        while self.is_alive() and self._next != read:
            read = self.positions
            self.join(seconds)
        if self.is_alive() or not self._at_end():
            raise self.not_complete(seconds, self._last_error)

    def cut(self) -> None:
        """Stop reading soon."""
        self._cut.set()

    def _at_end(self) -> bool:
        ends = self._ends
        return bool(ends) and all(self._next[p] >= end for p, end in ends.items())

    def _take(self, message: Message) -> None:
        partition, offset = message.partition(), message.offset()
        if error := message.error():
            at_end = error.code() == KafkaError._PARTITION_EOF
            if at_end and partition is not None and offset is not None:
                self._next[partition] = offset  # behind aborts and markers
            else:
                self._last_error = error.name()  # librdkafka retries by itself
            return
        if partition is None or offset is None:
            raise InsyncError(f"a record without partition or offset in {self._plan.topic}")
        self._next[partition] = offset + 1
        said = self.said_by(message, partition)
        line = ConsumeLine(
            arm=self._plan.arm, repeat=self._plan.repeat, topic=self._plan.topic,
            partition=partition, offset=offset, seq=said.seq, read_ms=now_ms(),
            nth=self._count, fresh=self._fresh, corrupt=said.wrong, client="librdkafka",
        )  # fmt: skip
        self._count += 1
        self._writer.write(line)

    def said_by(self, message: Message, partition: int) -> ReadValue:
        """Return which record of the partition a message is, and what is wrong with it."""
        value = message.value()
        if value is None:
            return ReadValue(UNREADABLE, "no value")
        return read(value, self._plan.topic, partition)


def settings(plan: WorkloadPlan) -> dict[str, str | int | float | bool | None]:
    """Return the settings of a client that reads committed records."""
    return {
        "bootstrap.servers": plan.bootstrap,
        "group.id": "insync",  # the client requires one; only members of groups join their own
        "enable.auto.commit": False,
        "auto.offset.reset": "earliest" if plan.begins_again else "error",
        "isolation.level": "read_committed",
        "enable.partition.eof": True,
        "fetch.wait.max.ms": plan.empty_fetch_ms,
        **plan.rack,
        "queued.max.messages.kbytes": 4_096,
        "log_level": 0,
    }
