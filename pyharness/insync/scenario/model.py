"""The typed form of a scenario.

Frozen, no unknown keys, no coercion: what does not fit fails here, before
anything is started. All times are whole milliseconds; `scale.py` multiplies them.
Rules that span several fields are in `rules.py`.
"""

from typing import Annotated, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from insync.arms import Arm
from insync.scenario import rules

Site = Literal["read", "send"]
Mode = Literal["hold", "delay"]
Metric = Literal[
    "isr_shrinks", "first_shrink_ms", "min_isr_size", "under_min_isr_ms", "offline_ms",
    "max_ack_gap_ms", "acked", "lost", "duplicated",
]  # fmt: skip

BROKERS: Final = 3
HOUR_MS: Final = 3_600_000

Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")]
Time = Annotated[int, Field(ge=0, le=HOUR_MS)]
Span = Annotated[int, Field(gt=0, le=HOUR_MS)]
BrokerId = Annotated[int, Field(ge=1, le=BROKERS)]


class Part(BaseModel):
    """What all parts of a scenario have in common."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Broker(Part):
    """Broker settings under test, replica.lag.time.max.ms and replica.fetch.wait.max.ms."""

    replica_lag_time_max_ms: Span
    replica_fetch_wait_max_ms: Span

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_lag(self.replica_lag_time_max_ms, self.replica_fetch_wait_max_ms)
        return self


class Workload(Part):
    """Open-loop producers of each partition, and who leads it.

    Args:
        leaders: the leading broker of partition 0, 1, ...
        rate_per_partition: records per second.
        producers_per_partition: clients that share the rate; more than one, so that a
            partition goes on being written while a request of one of them hangs.
        record_bytes: size of a record's value.

    """

    leaders: Annotated[tuple[BrokerId, ...], Field(strict=False, min_length=1, max_length=64)]
    rate_per_partition: Annotated[int, Field(ge=1, le=2_000)]
    producers_per_partition: Annotated[int, Field(ge=1, le=8)] = 4
    record_bytes: Annotated[int, Field(ge=16, le=900_000)]


class Timeline(Part):
    """Times of a repeat, from its first acks: quiet before the faults, watching after them."""

    steady_ms: Time
    recover_ms: Time


class Stall(Part):
    """System calls of one broker on chosen partitions wait, or take `delay_ms` longer."""

    kind: Literal["stall"]
    site: Site
    mode: Mode
    delay_ms: Time = 0
    broker: BrokerId
    partitions: Annotated[
        tuple[Annotated[int, Field(ge=0)], ...], Field(strict=False, min_length=1)
    ]
    at_ms: Time
    for_ms: Span

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_delay(self.mode, self.delay_ms)
        rules.check_unique("partitions", self.partitions)
        return self

    @property
    def end_ms(self) -> int:
        """When it is lifted, from the start of the repeat."""
        return self.at_ms + self.for_ms


class Bounds(Part):
    """What a metric is expected to be in every repeat; at least one bound."""

    min: float | None = None
    max: float | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_bounds(self.min, self.max)
        return self


class Scenario(Part):
    """One scenario: what is run on every arm and what is expected of each."""

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
    faults: Annotated[tuple[Stall, ...], Field(strict=False, max_length=16)] = ()
    expect: dict[Arm, dict[Metric, Bounds]] = {}

    @model_validator(mode="after")
    def _check(self) -> Self:
        rules.check_unique("arms", self.arms)
        rules.check_control_arms(self.control_arms, self.arms)
        for index, fault in enumerate(self.faults):
            rules.check_targets(index, fault.broker, fault.partitions, self.workload.leaders)
            rules.check_start(index, fault.at_ms, self.timeline.steady_ms)
        return self

    @property
    def faults_end_ms(self) -> int:
        """When the last fault is lifted, or the steady time ends if there is none."""
        return max([self.timeline.steady_ms, *(fault.end_ms for fault in self.faults)])

    def as_dict(self) -> dict[str, object]:
        """Return the scenario as it would stand in JSON, keys as in TOML."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)
