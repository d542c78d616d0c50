"""Lists what the built-in scenarios expect, with a value on each side of every bound."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor
from typing import Final

from insync import arms
from insync.analysis.verdict.facts import AgentFact, RepeatFacts, RunFacts
from insync.events.run_info import ArmLimit, Bound, RunInfo
from insync.scenario.load import builtin_names, load, on_version, on_zookeeper
from insync.scenario.model import Scenario

Metrics = Mapping[str, float | None]
Measured = Mapping[tuple[str, float], float | None]
"""The value that the tables have for a metric, by the metric and the value of its history."""

STEP_MS: Final = 50.0
_SOME: Final = 10.0
"""The value of the arm that another one is compared with, in steps, where nothing else bounds it.
"""


@dataclass(frozen=True)
class Expectation:
    """One side of a bound on an arm's metric, or a comparison, in one form of a scenario.

    Attributes:
        on: the Kafka version of which the scenario expects this, or "zookeeper"; empty: any.
        holds: a value of the arm's metric with which it holds.
        breaks: a value with which it does not.

    """

    scenario: str
    on: str
    arm: str
    metric: str
    words: str
    holds: float
    breaks: float

    def __str__(self) -> str:
        form = f" on {self.on}" if self.on else ""
        return f"{self.scenario}{form}: {self.arm} {self.metric} {self.words}"


@dataclass(frozen=True)
class Form:
    """A scenario as a verdict reads it, on one version or on ZooKeeper, without its faults.

    Evidence of faults is judged for itself, so that a bound needs none here.
    """

    on: str
    run: RunInfo

    @property
    def name(self) -> str:
        return self.run.scenario_name

    def expectations(self) -> Iterator[Expectation]:
        for arm in self.run.arms:
            for metric, bound in self.run.scenario.expected_of(arm).items():
                for words, holds, breaks in _sides(metric, bound):
                    yield Expectation(self.name, self.on, arm, metric, words, holds, breaks)
        for each in self.run.scenario.compare:
            holds, breaks = self._compared(each)
            yield Expectation(self.name, self.on, each.arm, each.metric, str(each), holds, breaks)

    def values(self) -> Iterator[tuple[str, float]]:
        """Yield every value of a metric of which a history is needed."""
        for each in self.expectations():
            yield each.metric, each.holds
            yield each.metric, each.breaks
        for arm in self.run.arms:
            yield from self._as_expected(arm).items()

    def facts(
        self, healthy: Metrics, measured: Measured, changed: Mapping[str, Metrics]
    ) -> RunFacts:
        """Return facts with which every expectation holds, except the changed metrics of arms."""
        found = {}
        for arm in self.run.arms:
            held = {each: measured[each] for each in self._as_expected(arm).items()}
            own = {metric: value for (metric, _), value in held.items()}
            agents = tuple(self._agents(arm))
            values = {**healthy, **own, **changed.get(arm, {})}
            found[arm] = (RepeatFacts(complete=True, metrics=values, agents=agents),)
        return RunFacts(finished=True, arms=found, unreadable={})

    def _agents(self, arm: str) -> Iterator[AgentFact]:
        if arms.has_agent(arm) or self.run.is_race:
            for broker in sorted(set(self.run.scenario.workload.leaders)):
                enabled, policy = arms.feature_on(arm), arms.lag_policy(arm)
                yield AgentFact(broker, 0, 0, enabled=enabled, lag_policy=policy)

    def _as_expected(self, arm: str) -> dict[str, float]:
        """Return values of an arm's metrics with which everything about them holds."""
        found = {}
        for each in self.run.scenario.compare:
            if each.against == arm:
                found[each.metric] = self._against(each)
            elif each.arm == arm:
                found[each.metric], _ = self._compared(each)
        bounds = self.run.scenario.expected_of(arm)
        return {**{metric: _within(bound) for metric, bound in bounds.items()}, **found}

    def _against(self, each: ArmLimit) -> float:
        bound = self.run.scenario.expected_of(each.against).get(each.metric)
        return _SOME * _step(each.metric) if bound is None else _within(bound)

    def _compared(self, each: ArmLimit) -> tuple[float, float]:
        """Return values of a compared metric with which the comparison holds and does not.

        It holds also if the other arm's metric is a step beyond its own bound.
        """
        other, step = self._against(each), _step(each.metric)
        if each.at_least is not None:
            holds = ceil(each.at_least * (other + 2 * step))
            breaks = floor(each.at_least * other) - step
        else:
            factor = each.below if each.at_most is None else each.at_most
            assert factor is not None
            holds = floor(factor * (other - 2 * step))
            breaks = ceil(factor * other) + (0 if each.at_most is None else step)
        own = self.run.scenario.expected_of(each.arm).get(each.metric)
        least, most = (None, None) if own is None else (own.min, own.max)
        held = holds if most is None else min(holds, most)
        return held if least is None else max(held, least), breaks


def _step(metric: str) -> float:
    return STEP_MS if metric.endswith("_ms") else 1.0


def _within(bound: Bound) -> float:
    value = bound.max if bound.min is None else bound.min
    assert value is not None
    return value


def _sides(metric: str, bound: Bound) -> Iterator[tuple[str, float, float]]:
    step = _step(metric)
    if bound.min is not None:
        yield f"at least {bound.min:g}", bound.min, bound.min - step
    if bound.max is not None:
        yield f"at most {bound.max:g}", bound.max, bound.max + step


def forms() -> list[Form]:
    return [
        Form(on, _run(scenario)) for name in builtin_names() for on, scenario in _forms(load(name))
    ]


def _forms(scenario: Scenario) -> Iterator[tuple[str, Scenario]]:
    yield "", scenario
    for version in scenario.expect_on:
        yield version, on_version(scenario, version)
    if scenario.expect_on_zookeeper:
        yield "zookeeper", on_zookeeper(scenario)


def _run(scenario: Scenario) -> RunInfo:
    written = {**scenario.as_dict(), "faults": []}
    return RunInfo.model_validate({
        "schema": 1, "scenario_name": scenario.name, "scenario": written, "kafka": "4.3.1",
        "scale": 1.0, "seed": 1, "arms": list(scenario.arms), "repeats": 1, "started_ms": 0.0,
        "finished_ms": 1.0,
    })  # fmt: skip
