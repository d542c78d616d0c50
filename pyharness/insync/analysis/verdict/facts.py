"""The facts that a run is judged by: the metrics of each repeat, the faults' evidence, the agents.

A value that the run did not record is None, never a guess: a repeat of which nothing was read
back has no number of lost records.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar

from insync import metrics
from insync.arms import BY_TIME

Metrics = Mapping[str, float | None]
"""The value of each metric of `verdict.json`, by its name in `insync.metrics`."""


@dataclass(frozen=True)
class FaultFact:
    """One injected fault and its evidence, in ms; `held_ms` is the sum over all calls.

    `acted_ms` is how long the evidence shows that it acted. `figures` is the other evidence,
    which depends on the kind of the fault.
    """

    fault: str
    site: str
    mode: str
    broker: int
    target: Sequence[str]
    calls_held: int = 0
    held_ms: float = 0.0
    longest_held_ms: float = 0.0
    acted_ms: float = 0.0
    figures: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class AgentFact:
    """One broker's agent in one repeat: its settings, and the errors and drops that were added.

    `enabled` is whether KIP-501 was on.
    """

    broker: int
    new_errors: int
    new_events_dropped: int
    enabled: bool = False
    lag_policy: str = BY_TIME


@dataclass(frozen=True)
class ControllerFact:
    """Whether the controller's agent was woven, and the errors it added in one repeat."""

    new_errors: int
    woven: bool = False


_Fact = TypeVar("_Fact", FaultFact, AgentFact, ControllerFact)


def facts_of(kind: type[_Fact], rows: Iterable[Mapping[str, Any]]) -> tuple[_Fact, ...]:
    """Return the fact of each row: the columns of its fields, without those that are null."""
    names = [each.name for each in fields(kind)]
    return tuple(kind(**{n: row[n] for n in names if row[n] is not None}) for row in rows)


@dataclass(frozen=True)
class RepeatFacts:
    """One repeat of one arm; `complete` if it was not cut short.

    `controller` is None if its agent recorded nothing. `host_gap_ms` is the longest time for
    which the harness itself was not scheduled. `stuck` is what was said about each metric of
    liveness that is not 0.
    """

    complete: bool
    metrics: Metrics
    faults: tuple[FaultFact, ...] = ()
    agents: tuple[AgentFact, ...] = ()
    controller: ControllerFact | None = None
    host_gap_ms: float | None = None
    stuck: Mapping[str, str] = field(default_factory=dict)

    @property
    def agent_errors(self) -> int | None:
        """Errors of all nodes' agents in this repeat; None if no agent reported."""
        errors = [agent.new_errors for agent in self.agents]
        if self.controller is not None:
            errors.append(self.controller.new_errors)
        return sum(errors) if errors else None


@dataclass(frozen=True)
class RunFacts:
    """A whole run: the repeats of each arm in order, and how many lines of a file are bad.

    `unreadable` counts the lines that could not be read, `skewed` those whose time is far
    outside the run's time.
    """

    finished: bool
    arms: Mapping[str, tuple[RepeatFacts, ...]]
    unreadable: Mapping[str, int]
    skewed: Mapping[str, int] = field(default_factory=dict)


def arm_figures(repeats: Sequence[RepeatFacts]) -> dict[str, Any]:
    """Return the figures of an arm as files have them: lists hold one value per repeat."""
    by_metric = {
        name: [_figure(repeat.metrics[name]) for repeat in repeats] for name in metrics.of_verdict()
    }
    agent_errors = [repeat.agent_errors for repeat in repeats]
    return {
        "repeats": len(repeats),
        **by_metric,
        "evidence": [_evidence(fault) for repeat in repeats for fault in repeat.faults],
        "agent_errors": agent_errors if any(repeat.agents for repeat in repeats) else [],
    }


def _evidence(fault: FaultFact) -> dict[str, object]:
    of_all = ("calls_held", "held_ms", "longest_held_ms", "acted_ms")
    return {
        **{"fault": fault.fault, "site": fault.site, "target": list(fault.target)},
        **{name: _figure(getattr(fault, name)) for name in of_all},
        "figures": {name: _figure(value) for name, value in fault.figures.items()},
    }


def _figure(value: float | None) -> float | None:
    """Round to a tenth, which is as fine as the clocks are; write whole numbers without a point."""
    if value is None or value == int(value):
        return None if value is None else int(value)
    return round(value, 1)
