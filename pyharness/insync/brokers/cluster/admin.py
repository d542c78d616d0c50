"""Create and change topics on a running cluster; wait until they have leaders and full ISRs."""

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Final

from confluent_kafka import KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import (  # type: ignore[attr-defined]  # OffsetSpec: not in its __all__
    AdminClient,
    AlterConfigOpType,
    ClusterMetadata,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    OffsetSpec,
    ResourceType,
)
from confluent_kafka.cimpl import NewTopic

from insync.brokers.kafka.wire import Metadata, State, ask_metadata
from insync.errors import InputError, InsyncError

ANSWERS_WITHIN_S: Final = 10.0
_POLL_S = 0.02
_ANSWER_WITHIN_S = 2.0
_CREATED_WITHIN_S = 10.0
_WITHOUT_ANSWER = (
    KafkaError._TIMED_OUT, KafkaError._TRANSPORT, KafkaError.REQUEST_TIMED_OUT,
    KafkaError._DESTROY_BROKER,  # librdkafka drops what a list of the brokers lacks for a moment
)  # fmt: skip

ALL_COMMITTED = -1
SMALL_SEGMENTS = {"segment.bytes": str(1 << 20)}
"""Segments of 1 MiB, the smallest size that every version accepts."""


def client(bootstrap: str) -> AdminClient:
    """Return an admin client for `bootstrap` that logs nothing; deleting it closes connections."""
    return AdminClient(
        {
            "bootstrap.servers": bootstrap,
            "log_level": 0,
            # The brokers are on this host and may still be starting: do not back off for seconds.
            "reconnect.backoff.ms": 20,
            "reconnect.backoff.max.ms": 100,
        }
    )


def require_topic(bootstrap: str, topic: str) -> None:
    """Raise InputError if a cluster does not have a topic."""
    if topic not in _listed(bootstrap).topics:
        raise InputError(f"topic {topic}: not found at {bootstrap}, expected an existing topic")


def broker_ids(bootstrap: str) -> list[int]:
    """Return the ids of a cluster's brokers, in order; raises InputError without an answer."""
    return sorted(_listed(bootstrap).brokers)


def _listed(bootstrap: str) -> ClusterMetadata:
    try:
        # List all topics: a broker may create a topic that is requested by name.
        return client(bootstrap).list_topics(timeout=ANSWERS_WITHIN_S)
    except KafkaException as error:
        raise InputError(
            f"{bootstrap}: no answer ({error.args[0].str()}), expected HOST:PORT of brokers with"
            " a plaintext listener"
        ) from None


def create_topic(
    bootstrap: str,
    topic: str,
    assignment: Sequence[Sequence[int]],
    config: Mapping[str, str],
    *,
    within_s: float = 60.0,
) -> None:
    """Create `topic`; `assignment` lists the replicas of each partition, the leader first.

    Returns when each broker in `bootstrap` shows every partition with its leader and full ISR,
    and the leaders serve requests. A request without an answer is sent again. Raises InsyncError
    when the topic is refused, or, with the last state seen, after `within_s` seconds.
    """
    until = time.monotonic() + within_s
    replicas = [list(each) for each in assignment]
    wanted = NewTopic(topic, len(replicas), replica_assignment=replicas, config=dict(config))
    admin = client(bootstrap)
    _create(admin, wanted, until)
    expected = {index: (each[0], sorted(each)) for index, each in enumerate(replicas)}
    last = await_state(bootstrap, topic, lambda seen: seen.partitions == expected, until)
    if last is not None:
        raise InsyncError(f"topic {topic}: {last}, expected {expected}")
    _await_leaders(admin, topic, len(replicas), until)


def _create(admin: AdminClient, wanted: NewTopic, until: float) -> None:
    """Create a topic; repeat a request without an answer until `until` (monotonic seconds)."""
    again = False
    while True:
        # A controller that loses its session on ZooKeeper may never answer.
        within_s = min(max(until - time.monotonic(), _POLL_S), _CREATED_WITHIN_S)
        answer = admin.create_topics([wanted], request_timeout=within_s)[wanted.topic]
        failed = answer.exception()
        code = failed.args[0].code() if failed else None
        if again and code == KafkaError.TOPIC_ALREADY_EXISTS:
            return  # an earlier request created it, and the answer did not come
        if code not in _WITHOUT_ANSWER or time.monotonic() >= until:
            _await(answer, wanted.topic, "created")
            return
        again = True


def begin_topic(
    bootstrap: str, topic: str, assignment: Sequence[Sequence[int]], within_s: float
) -> None:
    """Create a topic without waiting for its leaders; raises InsyncError if it is refused."""
    replicas = [list(each) for each in assignment]
    wanted = NewTopic(topic, len(replicas), replica_assignment=replicas)
    admin = client(bootstrap)  # an answer is lost when its client is deleted
    _await(admin.create_topics([wanted], request_timeout=within_s)[topic], topic, "created")


def delete_topic(bootstrap: str, topic: str, within_s: float) -> None:
    admin = client(bootstrap)  # an answer is lost when its client is deleted
    _await(admin.delete_topics([topic], request_timeout=within_s)[topic], topic, "deleted")


def _await(answer: Future[None], topic: str, what: str) -> None:
    try:
        answer.result()
    except KafkaException as error:
        raise InsyncError(f"topic {topic}: not {what}: {error.args[0].str()}") from error


def delete_records(
    admin: AdminClient, topic: str, partition: int, *, below: int = ALL_COMMITTED
) -> None:
    """Ask the leader to delete all records below an offset, by default its high watermark.

    Returns at once, without the answer, which comes when every replica has deleted them.
    """
    asked = TopicPartition(topic, partition, below)
    admin.delete_records([asked], operation_timeout=5.0)


def keep_one_segment(admin: AdminClient, topic: str, *, alter_whole: bool) -> None:
    """Make retention delete every segment of a topic except the active one.

    Set `alter_whole` for brokers that can only replace all of a topic's settings at once. Raises
    InsyncError if the brokers refuse the setting.
    """
    setting = {"retention.bytes": "1"}
    if alter_whole:
        whole = ConfigResource(ResourceType.TOPIC, topic, {**SMALL_SEGMENTS, **setting})
        _await_configs(admin.alter_configs([whole]), f"topic {topic}")
    else:
        _update(admin, ResourceType.TOPIC, topic, setting)


def partitions(server: str, topic: str) -> State:
    """Return the leader and the ISR of each partition, as the broker at `server` knows them.

    The result is empty while that broker does not know the topic. Raises OSError without an
    answer.
    """
    return ask_metadata(server, topic, _ANSWER_WITHIN_S).partitions


def await_state(
    bootstrap: str,
    topic: str,
    wanted: Callable[[Metadata], bool],
    until: float,
    check: Callable[[], None] = lambda: None,
) -> str | None:
    """Wait until `wanted` is true of the topic's state on each broker in `bootstrap`.

    Returns None when it is. At `until` (monotonic seconds) returns the last state seen and the
    broker that showed it. `check` is called while this waits, and may raise.
    """
    for server in bootstrap.split(","):
        while True:
            try:
                seen = ask_metadata(server, topic, _ANSWER_WITHIN_S)
                if wanted(seen):
                    break
                last = f"partition: (leader, ISR) are {seen.partitions}"
            except OSError as error:
                last = f"no answer ({error})"
            check()
            if time.monotonic() > until:
                return f"at {server} {last}"
            time.sleep(_POLL_S)
    return None


def await_full(bootstrap: str, topic: str, until: float) -> str | None:
    """Wait until a broker shows all replicas of each partition in its ISR.

    Returns None when it does, at `until` (monotonic seconds) the last state seen.
    """

    def is_full(seen: Metadata) -> bool:
        isrs = {number: isr for number, (_, isr) in seen.partitions.items()}
        return bool(isrs) and isrs == {each: sorted(ids) for each, ids in seen.replicas.items()}

    return await_state(bootstrap.split(",")[0], topic, is_full, until)


def _await_leaders(admin: AdminClient, topic: str, count: int, until: float) -> None:
    """Wait until each leader returns its log end offset: metadata may be ahead of the leader."""
    latest = OffsetSpec.latest()  # type: ignore[no-untyped-call]  # the package's own gap
    query = {TopicPartition(topic, index): latest for index in range(count)}
    last = "no answer"
    while time.monotonic() < until:
        answers = admin.list_offsets(query, request_timeout=_ANSWER_WITHIN_S)
        try:
            for answer in answers.values():
                answer.result()
        except KafkaException as error:
            last = str(error)
            time.sleep(_POLL_S)
        else:
            return
    raise InsyncError(f"topic {topic}: a leader does not serve: {last}")


def update_broker(bootstrap: str, broker: int, settings: Mapping[str, str | None]) -> None:
    """Set configs of a broker, or delete those that are None; raises InsyncError if refused.

    `bootstrap` is the broker that is asked.
    """
    _update(client(bootstrap), ResourceType.BROKER, str(broker), settings)


def update_topic(bootstrap: str, topic: str, settings: Mapping[str, str | None]) -> None:
    """Set configs of a topic, or delete those that are None; raises InsyncError if refused."""
    _update(client(bootstrap), ResourceType.TOPIC, topic, settings)


def _update(
    admin: AdminClient, kind: ResourceType, name: str, settings: Mapping[str, str | None]
) -> None:
    kinds = {True: AlterConfigOpType.DELETE, False: AlterConfigOpType.SET}
    entries = [
        ConfigEntry(key, value, incremental_operation=kinds[value is None])
        for key, value in settings.items()
    ]
    resource = ConfigResource(kind, name, incremental_configs=entries)
    _await_configs(admin.incremental_alter_configs([resource]), f"{kind.name.lower()} {name}")


def _await_configs(answers: Mapping[ConfigResource, Future[None]], what: str) -> None:
    try:
        for answer in answers.values():
            answer.result(timeout=ANSWERS_WITHIN_S)
    except (KafkaException, TimeoutError) as error:
        raise InsyncError(f"configs of {what} were not updated: {error}") from error


def in_force(bootstrap: str, broker: int, settings: Mapping[str, str]) -> int:
    """Return how many of the settings are the broker's, by its own answer; raises InsyncError.

    Kafka keeps a config that it does not know, and does not tell its value.
    """
    entries = configs_of(bootstrap, broker)
    return sum(
        name in entries
        and ConfigSource(entries[name].source) is ConfigSource.DYNAMIC_BROKER_CONFIG
        and entries[name].value in (value, None)
        for name, value in settings.items()
    )


def configs_of(bootstrap: str, broker: int) -> Mapping[str, ConfigEntry]:
    """Return the configs of a broker by its own answer; raises InsyncError."""
    admin = client(bootstrap)  # an answer is lost when its client is deleted
    resource = ConfigResource(ResourceType.BROKER, str(broker))
    try:
        (answer,) = admin.describe_configs([resource]).values()
        entries: Mapping[str, ConfigEntry] = answer.result(timeout=ANSWERS_WITHIN_S)
    except (KafkaException, TimeoutError) as error:
        raise InsyncError(f"configs of broker {broker} were not described: {error}") from error
    return entries


def setting_of(bootstrap: str, broker: int, name: str) -> str | None:
    """Return a config of a broker by its own answer; None if it does not tell it."""
    try:
        entries = configs_of(bootstrap, broker)
    except InsyncError as error:
        raise InputError(f"--bootstrap {bootstrap}: {error}") from error
    return entries[name].value if name in entries else None


def delete_groups(bootstrap: str, groups: Sequence[str]) -> None:
    """Delete consumer groups without members; one that cannot be deleted expires by itself."""
    admin = client(bootstrap)
    for answer in admin.delete_consumer_groups(list(groups)).values():
        with suppress(KafkaException, TimeoutError):
            answer.result(timeout=ANSWERS_WITHIN_S)
