"""What a run is judged by: the metrics of each repeat, the faults' evidence, the agents.

A value that the run did not leave is None, never a guess: a repeat nothing was read
back from has no number of lost records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from insync.arms import BY_TIME

METRICS = (
    "isr_shrinks",
    "first_shrink_ms",
    "min_isr_size",
    "under_min_isr_ms",
    "offline_ms",
    "max_ack_gap_ms",
    "mean_ack_ms",
    "acked",
    "lost",
    "duplicated",
    "false_alarms",
    "detected_ms",
    "reordered",
    "gaps",
    "inconsistent",
    "split_epochs",
    "diverged",
    "watermarks_back",
    "leader_changes",
    "soonest_return_ms",
    "step_downs",
    "step_downs_withheld",
    "most_step_downs",
    "dead_follower_dropped_ms",
    "aborted_read",
    "torn",
    "max_commit_gap_ms",
    "fetchers_lost",
    "partitions_failed",
    "partitions_behind",
    "start_above_end",
    "start_above_watermark",
    "starts_put_right",
)
"""The metrics of a repeat, as scenarios and `verdict.json` name them."""

OPTIONAL_METRICS = frozenset(
    {
        "first_shrink_ms",
        "dead_follower_dropped_ms",
        "detected_ms",
        "soonest_return_ms",
        "watermarks_back",
    }
)
"""Those that a repeat may rightly not have: where nothing shrank, no shrink was the first; a
follower at fault that stayed in was never detected; and Kafka 1.1 does not say what high watermark
a broker begins with."""

HARM = (
    "lost",
    "reordered",
    "gaps",
    "inconsistent",
    "split_epochs",
    "diverged",
    "watermarks_back",
    "aborted_read",
    "torn",
)
"""Those that must be 0 whatever is expected of an arm: data lost, or not what was promised."""

STEPPING_METRICS = frozenset({"step_downs", "step_downs_withheld", "most_step_downs"})
"""Those that only an arm has whose leaders may step down."""

TRANSACTION_METRICS = frozenset({"aborted_read", "torn", "max_commit_gap_ms"})
"""Those that only a repeat with transactions has."""

RACE_METRICS = frozenset(
    {
        "fetchers_lost",
        "partitions_failed",
        "partitions_behind",
        "start_above_end",
        "start_above_watermark",
        "starts_put_right",
    }
)
"""Those that a race has, and nothing else."""

Metrics = Mapping[str, float | None]


@dataclass(frozen=True)
class FaultFact:
    """One injected fault and its evidence, in ms: `held_ms` is a sum over calls.

    `acted_ms` is how long it provably acted; `figures` is what else shows it, by kind.
    """

    fault: str
    site: str
    mode: str
    broker: int
    target: tuple[str, ...]
    calls_held: int
    held_ms: float
    longest_held_ms: float
    acted_ms: float
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class AgentFact:
    """What one broker's agent added in one repeat, whether its feature was on, and its lag policy.

    Older runs did not leave the policy: there was none but Kafka's own.
    """

    broker: int
    enabled: bool
    errors: int
    events_dropped: int
    lag_policy: str = BY_TIME


@dataclass(frozen=True)
class ControllerFact:
    """Whether the controller's agent was woven, and the errors it added in one repeat."""

    woven: bool
    errors: int


@dataclass(frozen=True)
class BurstFact:
    """Bursts of one size that healthy followers got in one repeat, and what came of it.

    `false_alarms` is how many followers were dropped of the partitions that got them.
    """

    records: int
    bursts: int
    false_alarms: int


@dataclass(frozen=True)
class RepeatFacts:
    """One repeat of one arm; `complete` if it came to its own end.

    `controller` is None where its agent left nothing. `host_gap_ms` is the longest time for
    which the harness itself got no turn.
    """

    complete: bool
    metrics: Metrics
    faults: tuple[FaultFact, ...] = ()
    agents: tuple[AgentFact, ...] = ()
    controller: ControllerFact | None = None
    host_gap_ms: float | None = None
    bursts: tuple[BurstFact, ...] = ()

    @property
    def agent_errors(self) -> int | None:
        """Errors of all nodes' agents in this repeat; None where no agent reported."""
        errors = [agent.errors for agent in self.agents]
        if self.controller is not None:
            errors.append(self.controller.errors)
        return sum(errors) if errors else None


@dataclass(frozen=True)
class RunFacts:
    """A whole run: per arm its repeats in order, and the files with unreadable lines.

    `skewed` are files with lines whose time is far outside of the run's.
    """

    finished: bool
    arms: Mapping[str, tuple[RepeatFacts, ...]]
    unreadable: Mapping[str, int]
    skewed: Mapping[str, int] = field(default_factory=dict)
