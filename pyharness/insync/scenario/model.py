"""The typed form of a scenario.

Frozen, no unknown keys, no coercion: what does not fit fails here, before
anything is started. All times are whole milliseconds; `scale.py` multiplies them.
Rules that span several fields are in `rules.py`.
"""

from typing import Annotated, Final, Literal, Self

from pydantic import Field, model_validator

from insync.scenario import rules
from insync.scenario.base import BROKERS, BrokerId, Name, Part, Partitions, Span, Time
from insync.scenario.faults import DISKS, Elect, Fault, Stall, clash
from insync.scenario.names import Arm, ByArm, Metric
from insync.scenario.roles import Election, leaders_at

MOST_FAULTS: Final = 64


class Broker(Part):
    """Broker settings under test, called as Kafka calls them.

    Args:
        broker_session_timeout_ms: after how long a silent broker is taken for dead, if not
            after Kafka's own default; a killed broker cannot come back before.
        num_io_threads: how many request handler threads a broker has.
        log_flush_interval_messages: after how many records of a partition a broker calls fsync;
            Kafka's own default is never, and the system writes them out in its time.
        leader_fetch_process_time_max_ms: after how long a leader steps down, in the arms that
            may; the agent wants it above replica_fetch_wait_max_ms.
        replica_fetch_backoff_ms: after how long a follower asks again a leader that is none yet;
            None: Kafka's own second.
        leader_relinquish_cooldown_ms: how long a partition whose leadership moved is left alone;
            it must outlast a repeat, whose topic is a fresh one.
        leader_relinquish_score_recovery_ms: how fast a slow leader's score falls.
        controller_agent: whether the controller carries the agent where brokers do.
        log_retention_check_interval_ms: how often brokers look for what is to be deleted, soon
            after their start as well, if not as Kafka itself does.
        leader_imbalance_check_interval_seconds: how often the controller brings leaders back to
            the first of their replicas; None: never. Kafka counts it in whole seconds, so it is
            no time that a scale is for.

    """

    replica_lag_time_max_ms: Span
    replica_fetch_wait_max_ms: Span
    replica_fetch_backoff_ms: Span | None = None
    broker_session_timeout_ms: Span | None = None
    num_io_threads: Annotated[int, Field(ge=1, le=32)] = 4
    log_flush_interval_messages: Annotated[int, Field(ge=1)] | None = None
    leader_fetch_process_time_max_ms: Span | None = None
    leader_relinquish_cooldown_ms: Span | None = None
    leader_relinquish_score_recovery_ms: Span | None = None
    controller_agent: bool = True
    log_retention_check_interval_ms: Span | None = None
    leader_imbalance_check_interval_seconds: Annotated[int, Field(ge=1, le=300)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_lag(self.replica_lag_time_max_ms, self.replica_fetch_wait_max_ms)
        rules.check_process_time(
            self.leader_fetch_process_time_max_ms, self.replica_fetch_wait_max_ms
        )
        return self


class Bursts(Part):
    """Partitions that get their records in bursts instead of evenly.

    Args:
        partitions: each of them gets bursts of its own.
        records: how many at once, in one batch.
        every_ms: the mean time from one to the next, which varies by a half of it either way.

    """

    partitions: Partitions
    records: Annotated[int, Field(ge=1, le=1_000)]
    every_ms: Span


class Transactions(Part):
    """Transactional producers beside the plain ones.

    Args:
        coordinators: a producer each, whose transactions that broker coordinates at first.
        per_second: how many transactions each begins, one after the other; fewer if they take
            longer.
        records: of each transaction, on as many partitions as there are. An idempotent client
            has five requests unanswered at most.
        abort_percent: how many of a hundred it gives up on purpose.

    """

    coordinators: Annotated[tuple[BrokerId, ...], Field(strict=False, min_length=1, max_length=4)]
    per_second: Annotated[int, Field(ge=1, le=50)]
    records: Annotated[int, Field(ge=2, le=5)]
    abort_percent: Annotated[int, Field(ge=0, le=90)] = 0


class Workload(Part):
    """Open-loop producers of each partition, and who leads it.

    Args:
        leaders: the leading broker of partition 0, 1, ...
        rate_per_partition: records per second, of partitions without bursts.
        bursts: those with.
        producers_per_partition: clients that share the rate; more than one, so that a
            partition goes on being written while a request of one of them hangs.
        record_bytes: size of a record's value.
        client_timeout_ms: after how long a producer takes a silent broker for gone, and how
            long that may take to commit a record; None: as librdkafka has it, 60 s and 30 s.
        idempotent: whether brokers drop what a producer sends twice, and keep it in order.
        transactions: what is written in transactions besides.

    """

    leaders: Annotated[tuple[BrokerId, ...], Field(strict=False, min_length=1, max_length=64)]
    rate_per_partition: Annotated[int, Field(ge=1, le=2_000)]
    bursts: Annotated[tuple[Bursts, ...], Field(strict=False)] = ()
    producers_per_partition: Annotated[int, Field(ge=1, le=8)] = 4
    record_bytes: Annotated[int, Field(ge=16, le=900_000)]
    client_timeout_ms: Span | None = None
    idempotent: bool = False
    transactions: Transactions | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_client_timeout(self.client_timeout_ms)
        rules.check_burst_clients(bool(self.bursts), idempotent=self.idempotent)
        for index, bursts in enumerate(self.bursts):
            others = [p for other in self.bursts[:index] for p in other.partitions]
            rules.check_bursts(index, bursts.partitions, others, len(self.leaders))
        return self


class Timeline(Part):
    """Times of a repeat, from its first acks: quiet before the faults, watching after them.

    Args:
        jitter_ms: all faults of a repeat begin up to so much later, as its seed says.

    """

    steady_ms: Time
    recover_ms: Time
    jitter_ms: Time = 0


class Bounds(Part):
    """What a metric is expected to be in every repeat; at least one bound.

    `margin` comes on top of `max` and is not scaled: what a machine takes whatever the times.
    """

    min: float | None = None
    max: float | None = None
    margin: Annotated[float, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_bounds(self.min, self.max)
        return self


class Race(Part):
    """A follower's fetch against its leader's log start offset, which moves up meanwhile.

    The halves are put in order by threads held at named points of the brokers' code, so every
    arm carries the agent. Broker 1 leads, 2 fetches, 3 lets the high watermark move; of the
    workload the leaders and the size of records count, and the last partition is a bystander.

    Args:
        order: "late-values": what the answer says is put into it after its records are read
            (KAFKA-7104); "half-read": it says an old high watermark and a new log start offset.
        start_moves_by: what deletes the leader's oldest records.

    """

    order: Literal["late-values", "half-read"]
    start_moves_by: Literal["delete-records", "retention"]


class Comparison(Part):
    """What a metric of one arm may be, measured by another arm's in the same run.

    Judged is the median of the repeats: so many times the other's at most, or at least, or
    less than that.
    """

    metric: Metric
    arm: Arm
    against: Arm
    at_most: Annotated[float, Field(gt=0)] | None = None
    at_least: Annotated[float, Field(gt=0)] | None = None
    below: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        given = [self.at_most, self.at_least, self.below]
        rules.check_comparison(self.arm, self.against, sum(each is not None for each in given))
        return self


class Frame(Part):
    """A scenario but for its faults.

    Attributes:
        expect_on_zookeeper: what takes the place of an arm's expectations on brokers before
            KRaft, where their controller makes the difference.
        expect_on: by Kafka version, the same for that version.
        race: what is played in the place of faults and of the workload.
        compare: what is expected of arms beside each other; it counts where both are run.

    """

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    name: Name
    summary: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\n]*$")]
    arms: Annotated[tuple[Arm, ...], Field(strict=False, min_length=1)]
    control_arms: Annotated[tuple[Arm, ...], Field(strict=False)] = ()
    repeats: Annotated[int, Field(ge=1, le=100)]
    min_insync_replicas: Annotated[int, Field(ge=1, le=BROKERS)]
    broker: Broker
    workload: Workload
    timeline: Timeline
    expect: Annotated[ByArm[dict[Metric, Bounds]], Field(default_factory=dict)]
    expect_on_zookeeper: Annotated[ByArm[dict[Metric, Bounds]], Field(default_factory=dict)]
    expect_on: Annotated[dict[str, ByArm[dict[Metric, Bounds]]], Field(default_factory=dict)]
    race: Race | None = None
    compare: Annotated[tuple[Comparison, ...], Field(strict=False)] = ()

    @model_validator(mode="after")
    def _check_arms(self) -> Self:
        rules.check_unique("arms", self.arms)
        rules.check_control_arms(self.control_arms, self.arms)
        if self.race is not None:
            rules.check_raced(self.workload.leaders)
        rules.check_stepping_arms(self.arms, self.broker.leader_fetch_process_time_max_ms)
        return self


class Scenario(Frame):
    """One scenario: what is run on every arm and what is expected of each."""

    faults: Annotated[
        tuple[Annotated[Fault, Field(discriminator="kind")], ...],
        Field(strict=False, max_length=MOST_FAULTS),
    ] = ()

    @model_validator(mode="after")
    def _check_faults(self) -> Self:
        for index, fault in enumerate(self.faults):
            self._check_fault(index, fault)
        return self

    def _check_fault(self, index: int, fault: Fault) -> None:
        rules.check_start(index, fault.at_ms, self.timeline.steady_ms)
        leaders = leaders_at(self.workload.leaders, self._elections, fault.at_ms)
        if isinstance(fault, Stall | Elect):
            rules.check_partitions(index, fault.partitions, leaders)
        if isinstance(fault, Stall) and fault.site in ("read", "send"):
            rules.check_led(index, fault.broker, fault.partitions, leaders)
        if isinstance(fault, Stall) and fault.site == "fsync":
            rules.check_flushed(index, self.broker.log_flush_interval_messages)
        if isinstance(fault, Elect):
            rules.check_not_led(index, fault.broker, fault.partitions, leaders)
        for other in self.faults[:index]:
            if clash(other, fault):
                rules.check_apart(index, fault.at_ms, fault.end_ms, other.at_ms, other.end_ms)
            if {fault.kind, other.kind} <= DISKS.keys() and fault.broker == other.broker:
                needed, there = DISKS[fault.kind], DISKS[other.kind]
                rules.check_one_disk(index, fault.kind, fault.broker, needed, there)
            if isinstance(fault, Elect) and isinstance(other, Elect):
                rules.check_elected_once(index, fault.partitions, other.partitions)

    @property
    def _elections(self) -> list[Election]:
        elects = (fault for fault in self.faults if isinstance(fault, Elect))
        return [Election(each.at_ms, each.broker, each.partitions) for each in elects]

    @property
    def faults_end_ms(self) -> int:
        """When the last fault is lifted, or the steady time ends if there is none."""
        return max([self.timeline.steady_ms, *(fault.end_ms for fault in self.faults)])

    def as_dict(self) -> dict[str, object]:
        """Return the scenario as it would stand in JSON, keys as in TOML."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
