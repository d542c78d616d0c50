"""The typed form of a scenario.

Frozen, no unknown keys, no coercion: an invalid scenario fails here, before anything is
started. All times are whole milliseconds; `load.py` scales them. Rules that span several
fields are in `rules.py`.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final, Literal, Self, Union

from pydantic import Field, model_validator

from insync.clients import DEFAULT_CLIENT, Acks, Client, Compression, Protocol
from insync.faults.registry import KINDS, clash, tags_of
from insync.faults.spec import BESIDE, INTERNAL, Planned, Surroundings
from insync.fields import BrokerId, Name, Part, Partitions, Span, Time, check_all, check_unique
from insync.nodes import BROKERS
from insync.scenario import rules
from insync.scenario.names import Arm, ByArm, Metric
from insync.scenario.roles import Election, leaders_at


class ConsumerGroup(Part):
    """A consumer group that subscribes to the topic, beside the consumers without a group.

    Args:
        protocol: "classic", or "consumer": the one of KIP-848, from Kafka 4.0 on.
        members: its consumers; with both client libraries they take turns.
        commit_every_ms: how often a member commits the offsets of what it has processed.
        rejoin_every_ms: how often a member leaves, one after the other, and joins again at once,
            until the producers stop; None: never.
        session_timeout_ms: after what time a silent member is out of the group; it sends a
            heartbeat ten times as often. None: Kafka's defaults, 45 s and 3 or 5 s.

    """

    protocol: Protocol = "classic"
    members: Annotated[int, Field(ge=1, le=8)] = 2
    commit_every_ms: Span = 200
    rejoin_every_ms: Span | None = None
    session_timeout_ms: Annotated[int, Field(ge=100, le=3_600_000)] | None = None


MOST_FAULTS: Final = 64


class Broker(Part):
    """Broker settings under test, with Kafka's names.

    Args:
        replica_fetch_max_bytes: how much of a partition a follower asks for at most; one batch
            is sent whatever its size; None: Kafka's default, 1 MiB.
        broker_session_timeout_ms: after what time the controller fences a silent broker; None:
            Kafka's default. A killed broker cannot register again before.
        log_dirs: how many log directories each broker has. Kafka puts a partition into the one
            with the fewest.
        num_io_threads: how many request handler threads a broker has.
        num_network_threads: how many network threads a listener has. Where a send hangs, all
            connections of its thread hang: a producer among them appends nothing, and a
            leader without new records drops no follower.
        log_flush_interval_messages: after how many records of a partition a broker calls fsync;
            None: Kafka's default, which is never; the kernel then writes them out later.
        log_roll_ms: after what time brokers begin a new segment of a partition's log, with the next
            record; None: Kafka's default, a week.
        leader_fetch_process_time_max_ms: after what time a leader steps down, in arms that let
            it; counted from when a fetch has waited for replica_fetch_wait_max_ms.
        replica_fetch_backoff_ms: after what time a follower fetches again from a broker that does
            not lead yet; None: Kafka's default, 1 s.
        insync_relinquish_cooldown_ms: for how long a partition whose leadership moved is not moved
            again, and for a tenth of which a broker counts as slow after it was; longer than a
            repeat, because every repeat has a new topic.
        controller_agent: whether the controller carries the agent where brokers do.
        controllers: how many controllers there are; faults "at the controller" are at the first.
        combined: whether brokers 1 to `controllers` are the controllers, and no other node is one.
        log_retention_check_interval_ms: how often brokers look for logs to delete, also soon
            after their start; None: Kafka's default.
        leader_imbalance_check_interval_seconds: how often the controller moves leadership back to
            the first replicas; None: never. In whole seconds, as in Kafka, so it is not scaled.
        inter_broker_protocol_version: which version's protocol brokers speak with each other, only
            on ZooKeeper; None: their own. Before 2.7 a leader writes its ISR into ZooKeeper.
        settings: more settings of every node, by Kafka's names; those of an arm replace them.

    """

    replica_lag_time_max_ms: Span
    replica_fetch_wait_max_ms: Span
    replica_fetch_backoff_ms: Span | None = None
    replica_fetch_max_bytes: Annotated[int, Field(ge=1)] | None = None
    broker_session_timeout_ms: Span | None = None
    log_dirs: Annotated[int, Field(ge=1, le=4)] = 1
    num_io_threads: Annotated[int, Field(ge=1, le=32)] = 4
    num_network_threads: Annotated[int, Field(ge=1, le=32)] = 2
    log_flush_interval_messages: Annotated[int, Field(ge=1)] | None = None
    log_roll_ms: Span | None = None
    leader_fetch_process_time_max_ms: Span | None = None
    insync_relinquish_cooldown_ms: Span | None = None
    controller_agent: bool = True
    controllers: Literal[1, 3] = 1
    combined: bool = False
    log_retention_check_interval_ms: Span | None = None
    leader_imbalance_check_interval_seconds: Annotated[int, Field(ge=1, le=300)] | None = None
    inter_broker_protocol_version: (
        Annotated[str, Field(pattern=r"^\d+\.\d+(\.\d+)?(-IV\d+)?$")] | None
    ) = None
    settings: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_lag(self.replica_lag_time_max_ms, self.replica_fetch_wait_max_ms)
        rules.check_combined(self.combined, agent=self.controller_agent)
        return self


class Bursts(Part):
    """Partitions that get their records in bursts instead of evenly.

    Args:
        partitions: each of them gets its own bursts.
        records: how many a burst has, in one batch.
        every_ms: the mean time between two bursts, which varies by half of it either way.

    """

    partitions: Partitions
    records: Annotated[int, Field(ge=1, le=1_000)]
    every_ms: Span


class Transactions(Part):
    """Transactional producers beside the plain ones.

    Args:
        coordinators: the brokers that coordinate the transactions at first, one producer each.
        per_second: how many transactions each producer begins, one after the other; fewer if
            they take longer.
        records: how many records a transaction has, spread over all partitions. An idempotent
            client has at most five requests in flight.
        abort_percent: how many percent it aborts on purpose.
        reads: how many records a transaction reads at most before it writes; 0: it only writes.
        until_ms: after what time a producer begins no other one; None: it goes on.
        timeout_ms: after what time the coordinator aborts one that its producer does not end.

    """

    coordinators: Annotated[tuple[BrokerId, ...], Field(strict=False, min_length=1, max_length=4)]
    per_second: Annotated[int, Field(ge=1, le=50)]
    records: Annotated[int, Field(ge=2, le=5)]
    abort_percent: Annotated[int, Field(ge=0, le=90)] = 0
    reads: Annotated[int, Field(ge=0, le=1_000)] = 0
    until_ms: Span | None = None
    timeout_ms: Annotated[int, Field(ge=1, le=900_000)] = 60_000


class PlannedWorkload(Part):
    """Open-loop producers of each partition, and its leader.

    Args:
        leaders: the leading broker of partition 0, 1, ...
        rate_per_partition: records per second of a partition without bursts.
        bursts: the partitions with bursts.
        producers_per_partition: clients that share the rate; more than one, so that a
            partition is still written while a request of one of them hangs.
        record_bytes: size of a record's value, at least the 20 bytes that say which record it is.
        client_timeout_ms: after what time a producer gives up on a silent broker, and how long
            a broker may take to commit a record; None: the library's defaults, in librdkafka 60 s
            and 30 s.
        client_retries: whether a producer sends a record again that its broker refused. Without,
            each refusal is the record's error, which the metric `refused` counts.
        idempotent: whether brokers drop duplicates of a producer, and keep its order.
        transactions: what is written in transactions, besides.
        client: the client library; "both": half of the producers and one consumer of each.
        acks: whether a broker answers when it has a record ("1"), or when the ISR has ("all").
        compression: how producers compress their batches.
        linger_ms: how long a record waits for others of its batch; None: only records of bursts
            wait, so that a burst is one batch.
        batch_bytes: the most bytes of a batch; None: the library's own limit.
        keys: how many different keys the records have; 0: none has a key. Key k belongs to
            partition k modulo their number.
        groups: consumer groups, beside the consumers without a group.
        key_skew: key k, from 0, is as frequent as 1 / (k + 1) ** key_skew, and the rates of the
            partitions follow; 0: all keys are as frequent.
        key_countdown: every record has a key of its own, so that a compacted topic keeps all. Those
            of a partition's plain records are 4 bytes that count down from this number; at 1 and 0
            they are the keys of the markers of a commit and an abort.
        configs: configs of the topic, by Kafka's names.
        read_from: the broker whose replicas consumers read where they can: it is in their rack;
            None: brokers have no racks, and consumers read from leaders.
        fetch_wait_ms: how long a broker may keep a consumer's fetch that finds no records; None:
            100 ms, whatever the scale.

    """

    leaders: Annotated[tuple[BrokerId, ...], Field(strict=False, min_length=1, max_length=64)]
    rate_per_partition: Annotated[int, Field(ge=1, le=2_000)]
    bursts: Annotated[tuple[Bursts, ...], Field(strict=False)] = ()
    producers_per_partition: Annotated[int, Field(ge=1, le=8)] = 4
    record_bytes: Annotated[int, Field(ge=16, le=900_000)]
    client_timeout_ms: Span | None = None
    client_retries: bool = True
    idempotent: bool = False
    transactions: Transactions | None = None
    client: Client = DEFAULT_CLIENT
    acks: Acks = "all"
    compression: Compression = "none"
    linger_ms: Annotated[int, Field(ge=0, le=60_000)] | None = None
    batch_bytes: Annotated[int, Field(ge=1, le=900_000)] | None = None
    keys: Annotated[int, Field(ge=0, le=100_000)] = 0
    key_skew: Annotated[float, Field(ge=0, le=10, strict=False)] = 0.0
    groups: Annotated[tuple[ConsumerGroup, ...], Field(strict=False, max_length=4)] = ()
    key_countdown: Annotated[int, Field(ge=0, le=1_000_000)] = 0
    configs: dict[str, str] = Field(default_factory=dict)
    read_from: BrokerId | None = None
    fetch_wait_ms: Annotated[int, Field(ge=1, le=30_000)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        slowest = self.rate_per_partition / self.producers_per_partition
        leaders = len(self.leaders)
        own = self.transactions
        until_ms, timeout_ms = (own.until_ms, own.timeout_ms) if own else (None, None)
        check_all(
            lambda: rules.check_client_timeout(self.client_timeout_ms),
            lambda: rules.check_client_retries(self.client_retries, idempotent=self.idempotent),
            lambda: rules.check_burst_clients(bool(self.bursts), idempotent=self.idempotent),
            lambda: rules.check_acks(self.acks, idempotent=self.idempotent),
            lambda: rules.check_keys(self.keys, self.key_skew, leaders, bursts=bool(self.bursts)),
            lambda: rules.check_key_skew(self.keys, self.key_skew, leaders, slowest),
            *(partial(self._check_bursts, index) for index in range(len(self.bursts))),
            lambda: rules.check_configs(self.configs, self.key_countdown),
            lambda: rules.check_countdown(self.key_countdown, self.keys, self.client),
            lambda: rules.check_until(until_ms, self.client),
            lambda: rules.check_read_from(self.read_from, self.leaders, self.client),
            lambda: rules.check_transaction_timeout(timeout_ms, self.client_timeout_ms),
            lambda: rules.check_sessions([group.session_timeout_ms for group in self.groups]),
        )
        return self

    def _check_bursts(self, index: int) -> None:
        others = [p for other in self.bursts[:index] for p in other.partitions]
        rules.check_bursts(index, self.bursts[index].partitions, others, len(self.leaders))


class RepeatTimes(Part):
    """Times of a repeat, from when acks are on time: before the faults, and after them.

    Args:
        jitter_ms: all faults of a repeat begin later by up to this time, chosen by its seed.

    """

    steady_ms: Time
    recover_ms: Time
    jitter_ms: Time = 0


class Bounds(Part):
    """What a metric is expected to be in every repeat; at least one bound.

    `margin` is added to `max` and not scaled: time that a machine takes whatever the scale.
    """

    min: float | None = None
    max: float | None = None
    margin: Annotated[float, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_bounds(self.min, self.max)
        return self


class Race(Part):
    """A follower's fetch while its leader's log start offset moves up.

    Threads are stopped at pause points in the brokers' code to order the steps, so every arm
    carries the agent. Broker 1 leads, 2 fetches, 3 lets the high watermark move; of the workload
    only the leaders and the size of records count, and the race does not touch the last partition.

    Args:
        order: "late-values": the answer's offsets are put into it after its records are read
            (KAFKA-7104); "half-read": it has an old high watermark and a new log start offset.
        start_moves_by: what deletes the leader's oldest records.

    """

    order: Literal["late-values", "half-read"]
    start_moves_by: Literal["delete-records", "retention"]


class Beside(Part):
    """A topic beside the workload's, to which one producer writes all the time.

    Args:
        name: how its name ends, after that of the workload's topic.
        leaders: the leading broker of partition 0, 1, ...
        rate_per_partition: records per second of a partition.
        configs: configs of the topic, by Kafka's names.

    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,200}$")] = BESIDE
    leaders: Annotated[tuple[BrokerId, ...], Field(strict=False, min_length=1, max_length=64)]
    rate_per_partition: Annotated[int, Field(ge=1, le=1_000)] = 10
    configs: dict[str, str] = Field(default_factory=dict)


class Comparison(Part):
    """What a metric of one arm may be, relative to another arm's in the same run.

    The medians of the repeats are compared: at most, at least, or below so many times the other,
    and a `margin`, which is not scaled.
    """

    metric: Metric
    arm: Arm
    against: Arm
    at_most: Annotated[float, Field(gt=0)] | None = None
    at_least: Annotated[float, Field(gt=0)] | None = None
    below: Annotated[float, Field(gt=0)] | None = None
    margin: Annotated[float, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [self.at_most, self.at_least, self.below]
        rules.check_comparison(self.arm, self.against, sum(each is not None for each in given))
        return self


class Frame(Part):
    """A scenario without its faults.

    Attributes:
        expect_on_zookeeper: replaces an arm's expectations on brokers before KRaft, where their
            controller makes the difference.
        expect_on: by Kafka version, the same for that version.
        race: what is run instead of faults and a workload.
        beside: a topic of which only the ISR is checked, so that faults may delete it.
        compare: what is expected of arms relative to each other, where both are run.

    """

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    name: Name
    summary: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\n]*$")]
    arms: Annotated[tuple[Arm, ...], Field(strict=False, min_length=1)]
    control_arms: Annotated[tuple[Arm, ...], Field(strict=False)] = ()
    repeats: Annotated[int, Field(ge=1, le=100)]
    min_insync_replicas: Annotated[int, Field(ge=1, le=BROKERS)]
    broker: Broker
    workload: PlannedWorkload
    timeline: RepeatTimes
    expect: Annotated[ByArm[dict[Metric, Bounds]], Field(default_factory=dict)]
    expect_on_zookeeper: Annotated[ByArm[dict[Metric, Bounds]], Field(default_factory=dict)]
    expect_on: Annotated[dict[str, ByArm[dict[Metric, Bounds]]], Field(default_factory=dict)]
    race: Race | None = None
    beside: Beside | None = None
    compare: Annotated[tuple[Comparison, ...], Field(strict=False)] = ()

    @property
    def topics(self) -> dict[str | None, Sequence[int]]:
        """Who leads the partitions of each topic that a fault may be about; None: the workload's.

        Kafka has its own topics where there are transactions, or groups.
        """
        found: dict[str | None, Sequence[int]] = {None: self.workload.leaders}
        if self.workload.transactions:
            found["__transaction_state"] = INTERNAL["__transaction_state"]
        if self.workload.groups:
            found["__consumer_offsets"] = INTERNAL["__consumer_offsets"]
        if self.beside:
            found[BESIDE] = self.beside.leaders
        return found

    @model_validator(mode="after")
    def _check_arms(self) -> Self:
        race = (
            []
            if self.race is None
            else [lambda: rules.check_raced(self.workload.leaders, self.workload.client)]
        )
        step_ms = self.broker.leader_fetch_process_time_max_ms
        check_all(
            lambda: check_unique("arms", self.arms),
            lambda: rules.check_control_arms(self.control_arms, self.arms),
            lambda: rules.check_stepping_arms(self.arms, step_ms),
            *race,
        )
        return self


if TYPE_CHECKING:
    Fault = Planned
else:  # distinguished by `kind`
    Fault = Annotated[
        Union[tuple(kind.spec for kind in KINDS.values())],  # noqa: UP007  # built from the registry
        Field(discriminator="kind"),
    ]


class Scenario(Frame):
    """One scenario: what is run on every arm and what is expected of each."""

    faults: Annotated[tuple[Fault, ...], Field(strict=False, max_length=MOST_FAULTS)] = ()

    @model_validator(mode="after")
    def _check_faults(self) -> Self:
        check_all(
            *(partial(self._check_fault, index, fault) for index, fault in enumerate(self.faults))
        )
        return self

    def _check_fault(self, index: int, fault: Fault) -> None:
        rules.check_start(index, fault.at_ms, self.timeline.steady_ms)
        rules.check_topic(index, fault.other_topic, self.topics)
        rules.check_controller(index, fault, self.broker.controllers, combined=self.broker.combined)
        if tags_of(fault).stops_clients:
            own = self.workload.transactions
            timeout_ms = None if own is None else own.timeout_ms
            for_ms = fault.end_ms - fault.at_ms
            rules.check_frozen_clients(index, for_ms, timeout_ms, self.workload.client)
        if tags_of(fault).one_log_dir:
            rules.check_log_dirs(index, fault.kind, self.broker.log_dirs)
        earlier = self.faults[:index]
        fault.check_within(
            Surroundings(
                index=index,
                leaders=self._leaders_at(fault.other_topic, fault.at_ms),
                flushes=self.broker.log_flush_interval_messages is not None,
                rolls=self._rolls(fault.other_topic),
                deletes=self.broker.log_retention_check_interval_ms is not None,
                earlier=earlier,
                log_dirs=self.broker.log_dirs,
            )
        )
        for other in earlier:
            if clash(other, fault):
                rules.check_apart(index, fault.at_ms, fault.end_ms, other.at_ms, other.end_ms)
            needed, there = tags_of(fault).log_folder, tags_of(other).log_folder
            if needed and there and fault.broker == other.broker:
                rules.check_one_disk(index, fault.kind, fault.broker, needed, there)

    def _leaders_at(self, topic: str | None, at_ms: int) -> list[int]:
        elections = [
            Election(fault.at_ms, fault.broker, fault.elected)
            for fault in self.faults if fault.elected and fault.other_topic == topic
        ]  # fmt: skip
        return leaders_at(self.topics[topic], elections, at_ms)

    def _rolls(self, topic: str | None) -> bool:
        """Whether brokers roll the logs of a topic while they run."""
        configs = {None: self.workload.configs, BESIDE: self.beside and self.beside.configs}
        own = "segment.ms" in (configs.get(topic) or {})
        return own or self.broker.log_roll_ms is not None

    @property
    def faults_end_ms(self) -> int:
        """When the last fault is lifted, or the steady time ends if there is none."""
        return max([self.timeline.steady_ms, *(fault.end_ms for fault in self.faults)])

    def as_dict(self) -> dict[str, object]:
        """Return the scenario as JSON values, with the keys of the TOML."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
