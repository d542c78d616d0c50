"""Consume a topic as members of consumer groups, which commit the offsets of what they process.

A member processes a record by writing its line. It commits after that, so a record is processed at
least once, also when its partition moves to another member.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Final

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from insync.events.schema import GroupEvent, GroupLine, now_ms
from insync.events.writer import EventWriter
from insync.workload.consumer import settings
from insync.workload.plan import GroupPlan, WorkloadPlan
from insync.workload.producer import timeouts

POLL_SECONDS: Final = 0.05  # how soon it notices that it must end, commit or leave


class GroupMember(threading.Thread):
    """Member `slot` of a group; writes a GroupLine for all that happens to it, until `cut`."""

    def __init__(
        self,
        plan: WorkloadPlan,
        group: GroupPlan,
        slot: int,
        writer: EventWriter,
        on_failure: Callable[[BaseException], None],
    ) -> None:
        super().__init__(name=f"{group.id}-{slot}", daemon=True)
        self._plan, self._group, self._slot = plan, group, slot
        self._writer = writer
        self._on_failure = on_failure
        self._cut, self._stays = threading.Event(), threading.Event()
        self._next: dict[int, int] = {}  # owned partition -> next offset to process
        self._to_commit: set[int] = set()
        self._client = self._new_client()

    def run(self) -> None:
        """Process records, commit and leave as planned."""
        try:
            self._client.subscribe([self._plan.topic], **self._callbacks())
            leaves = leave_times(self._group, self._slot)
            leave, commit = next(leaves), self._group.commit_every
            start = time.monotonic()
            while not self._cut.is_set():
                self._take(self._client.poll(POLL_SECONDS))
                since = time.monotonic() - start
                if since >= commit:
                    self._commit_soon()
                    commit = since + self._group.commit_every
                if since >= leave and not self._stays.is_set():
                    self._rejoin()
                    leave = next(leaves)
        except BaseException as error:  # any error must end the run
            self._on_failure(error)
        finally:
            self._client.close()

    def stay(self) -> None:
        """Leave the group no more, so that it can process the rest."""
        self._stays.set()

    def cut(self) -> None:
        """Leave the group soon."""
        self._cut.set()

    def _rejoin(self) -> None:
        self._client.close()  # commits, and leaves the group
        self._client = self._new_client()
        self._client.subscribe([self._plan.topic], **self._callbacks())

    def _callbacks(self) -> dict[str, Callable[[Consumer, list[TopicPartition]], None]]:
        return {"on_assign": self._assigned, "on_revoke": self._revoked, "on_lost": self._lost}

    def _assigned(self, _: Consumer, partitions: Sequence[TopicPartition]) -> None:
        for each in partitions:
            self._write("assigned", each.partition)

    def _revoked(self, client: Consumer, partitions: Sequence[TopicPartition]) -> None:
        """Commit what was processed of the partitions; others get them afterwards."""
        offsets = self._offsets({each.partition for each in partitions} & self._to_commit)
        if offsets:
            try:
                self._committed(None, client.commit(offsets=offsets, asynchronous=False) or [])
            except KafkaException as error:
                self._committed(error.args[0], offsets)
        self._forget("revoked", partitions)

    def _lost(self, _: Consumer, partitions: Sequence[TopicPartition]) -> None:
        self._forget("lost", partitions)

    def _forget(self, event: GroupEvent, partitions: Sequence[TopicPartition]) -> None:
        for each in partitions:
            self._next.pop(each.partition, None)
            self._to_commit.discard(each.partition)
            self._write(event, each.partition)

    def _take(self, message: Message | None) -> None:
        if message is None:
            return
        partition, offset, error = message.partition(), message.offset(), message.error()
        if partition is None or offset is None:
            return  # an error that the client handles by itself
        if error is None:
            self._write("read", partition, offset)
            self._processed(partition, offset + 1)
        elif error.code() == KafkaError._PARTITION_EOF:
            self._processed(partition, offset)  # behind aborts and markers

    def _processed(self, partition: int, following: int) -> None:
        self._next[partition] = following
        self._to_commit.add(partition)

    def _commit_soon(self) -> None:
        """Commit without waiting, and record how far behind the member is."""
        for partition, following in self._next.items():
            place = TopicPartition(self._plan.topic, partition)
            marks = self._client.get_watermark_offsets(place, cached=True)
            if marks is not None and marks[1] >= 0:
                self._write("lag", partition, following, max(0, marks[1] - following))
        if offsets := self._offsets(self._to_commit):
            self._client.commit(offsets=offsets, asynchronous=True)
            self._to_commit.clear()

    def _offsets(self, partitions: set[int]) -> list[TopicPartition]:
        return [TopicPartition(self._plan.topic, p, self._next[p]) for p in sorted(partitions)]

    def _committed(self, error: KafkaError | None, offsets: Sequence[TopicPartition]) -> None:
        """Record what the group's coordinator has stored; a failed commit is repeated later."""
        for each in offsets:
            if error is None and each.error is None:
                self._write("committed", each.partition, each.offset)
            elif each.partition in self._next:
                self._to_commit.add(each.partition)

    def _write(
        self, event: GroupEvent, partition: int, offset: int | None = None, lag: int | None = None
    ) -> None:
        plan, group = self._plan, self._group
        self._writer.write(
            GroupLine(
                arm=plan.arm, repeat=plan.repeat, topic=plan.topic, t_ms=now_ms(),
                group=group.number, protocol=group.protocol, member=self._slot, type=event,
                partition=partition, offset=offset, lag=lag, client="librdkafka",
            )
        )  # fmt: skip

    def _new_client(self) -> Consumer:
        return Consumer(
            {
                **settings(self._plan),
                "auto.offset.reset": "earliest",
                "on_commit": self._committed,
                **self._group.settings,
                **timeouts(self._plan.client_timeout_ms),
            }
        )


def leave_times(group: GroupPlan, slot: int) -> Iterator[float]:
    """Yield when a member leaves, in seconds from the start; infinity if it never does.

    The members take turns.
    """
    if group.rejoin_every is None:
        while True:
            yield float("inf")
    for turn in count(slot + 1, group.members):
        yield turn * group.rejoin_every
