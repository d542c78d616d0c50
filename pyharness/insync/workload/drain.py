"""Wait until consumer groups have committed the end of every partition."""

import time
from collections.abc import Iterator, Mapping
from typing import Final

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient

from insync.events.schema import GroupLine, now_ms
from insync.workload.plan import GroupPlan, WorkloadPlan

ANSWER_SECONDS: Final = 5.0
AGAIN_SECONDS: Final = 0.2
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
            time.sleep(AGAIN_SECONDS)
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
