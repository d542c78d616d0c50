"""What a run is judged by: the metrics of each repeat, the faults' evidence, the agents.

A value that the run did not leave is None, never a guess: a repeat nothing was read
back from has no number of lost records.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

METRICS = (
    "isr_shrinks",
    "first_shrink_ms",
    "min_isr_size",
    "under_min_isr_ms",
    "offline_ms",
    "max_ack_gap_ms",
    "acked",
    "lost",
    "duplicated",
)
"""The metrics of a repeat, as scenarios and `verdict.json` name them."""

OPTIONAL_METRICS = frozenset({"first_shrink_ms"})
"""Those that a repeat may rightly not have: where nothing shrank, no shrink was the first."""

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
    """What one broker's agent added in one repeat, and whether its feature was on."""

    broker: int
    enabled: bool
    errors: int
    events_dropped: int


@dataclass(frozen=True)
class RepeatFacts:
    """One repeat of one arm; `complete` if it came to its own end.

    `host_gap_ms` is the longest time for which the harness itself got no turn.
    """

    complete: bool
    metrics: Metrics
    faults: tuple[FaultFact, ...] = ()
    agents: tuple[AgentFact, ...] = ()
    host_gap_ms: float | None = None

    @property
    def agent_errors(self) -> int | None:
        """Errors of all brokers' agents in this repeat; None where no agent reported."""
        return sum(agent.errors for agent in self.agents) if self.agents else None


@dataclass(frozen=True)
class RunFacts:
    """A whole run: per arm its repeats in order, and the files with unreadable lines.

    `skewed` are files with lines whose time is far outside of the run's.
    """

    finished: bool
    arms: Mapping[str, tuple[RepeatFacts, ...]]
    unreadable: Mapping[str, int]
    skewed: Mapping[str, int] = field(default_factory=dict)
