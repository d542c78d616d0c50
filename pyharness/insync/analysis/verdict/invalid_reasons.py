"""Lists the reasons why a run is invalid: it proves nothing, whatever its metrics are.

Each reason is one sentence that names the arm, the repeat and what was missing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from insync import arms, metrics
from insync.analysis.verdict.facts import ControllerFact, FaultFact, RepeatFacts, RunFacts
from insync.events.run_info import PlannedFault, RunInfo
from insync.faults.kind import RecordedFigures
from insync.faults.registry import KINDS
from insync.nodes import repeat_words

Reasons = Mapping[str | None, Sequence[str]]
"""The reasons of each arm, and of the whole run (None), in words, the gravest first."""


def invalid_reasons(run: RunInfo, facts: RunFacts) -> Reasons:
    """Return why each arm, or the whole run, is invalid."""
    if run.skipped is not None:
        return {None: [f"skipped: {run.skipped}"]}
    found: dict[str | None, list[str]] = defaultdict(list)
    if not facts.finished:
        found[None].append("the run was cut short: run.json has no finished_ms")
    odd = {"unreadable lines": facts.unreadable, "lines far outside the run's time": facts.skewed}
    for what, by_file in odd.items():
        for file, count in by_file.items():
            arm = file.partition("/")[0]  # each arm has its own folder
            found[arm].append(f"events/{file}: {count} {what}, expected 0")
    for arm, repeats in facts.arms.items():
        needed = _needed(run, arm)
        for number, repeat in enumerate(repeats):
            where = f"{arm}, {repeat_words(number)}"
            found[arm] += (f"{where}: {what}" for what in _of_repeat(run, arm, repeat, needed))
    return found


def _of_repeat(run: RunInfo, arm: str, repeat: RepeatFacts, needed: Sequence[str]) -> Iterator[str]:
    if not repeat.complete:
        yield "was cut short, expected it to be complete"
    missing = [name for name in needed if repeat.metrics[name] is None]
    if missing:
        yield f"no data for {', '.join(missing)}"
    elif not run.is_race and not repeat.metrics["acked"]:
        yield "acked was 0, expected at least 1"
    yield from _busy_host(run, repeat)
    yield from _weak_faults(run.scenario.faults, repeat.faults)
    if arms.has_agent(arm) or run.is_race:
        yield from _bad_agents(run, repeat, arm)
    if arms.has_agent(arm) and run.controller_agent:
        yield from _bad_controller(repeat.controller)


def _needed(run: RunInfo, arm: str) -> list[str]:
    """Return the metrics that every repeat of an arm must have.

    Of brokers that insync did not start, those that need the nodes' files only if the scenario
    expects something of them.
    """
    known = (metrics.METRICS[name] for name in metrics.of_verdict())
    fulfilled = {each for each in metrics.REQUIREMENTS if run.has(each, arm)}
    expected = {
        *run.scenario.expected_of(arm),
        *(each.metric for each in run.compares(arm)),
    }
    return [
        each.name
        for each in known
        if each.requires in fulfilled
        and not each.optional
        and not (run.clients_only and each.of_nodes and each.name not in expected)
    ]


def _busy_host(run: RunInfo, repeat: RepeatFacts) -> Iterator[str]:
    """Report a host that did not schedule the harness: it may not have scheduled brokers either."""
    most_ms = run.scenario.broker.replica_lag_time_max_ms / 2
    if repeat.host_gap_ms is not None and repeat.host_gap_ms > most_ms:
        yield (
            f"the host was too busy: the harness was not scheduled for {repeat.host_gap_ms:.0f} ms,"
            f" expected at most {most_ms:.0f}"
        )


def _weak_faults(
    planned: tuple[PlannedFault, ...], injected: tuple[FaultFact, ...]
) -> Iterator[str]:
    """Report planned faults that were not recorded, and those whose evidence is too weak.

    Faults begin in order of their planned times, and in the scenario's order at one time. The
    evidence is in the order in which they began, so each gets its own.
    """
    left = list(injected)
    for plan in sorted(planned, key=lambda each: each.at_ms):
        fact = next((fact for fact in left if _is_for(plan, fact)), None)
        if fact is None:
            yield f"no evidence of the {plan.words}: it was not recorded"
            continue
        left.remove(fact)
        yield from missing_evidence(plan, fact, plan.words)


def _is_for(plan: PlannedFault, fact: FaultFact) -> bool:
    return (fact.fault, fact.site, fact.broker) == (plan.kind, plan.site, plan.broker)


def _bad_agents(run: RunInfo, repeat: RepeatFacts, arm: str) -> Iterator[str]:
    silent = set(run.scenario.workload.leaders) - {agent.broker for agent in repeat.agents}
    if silent:
        names = ", ".join(str(broker) for broker in sorted(silent))
        yield f"no agent counters from broker {names}"
    for agent in repeat.agents:
        where = f"of broker {agent.broker}'s agent"
        if agent.new_errors:
            yield f"errors {where} were {agent.new_errors}, expected 0"
        if agent.new_events_dropped:
            yield f"events_dropped {where} was {agent.new_events_dropped}, expected 0"
        if agent.enabled != arms.feature_on(arm):
            state, expected = ("on", "off") if agent.enabled else ("off", "on")
            yield f"the feature {where} was {state}, expected {expected}"
        if agent.lag_policy != arms.lag_policy(arm):
            yield f"lag_policy {where} was {agent.lag_policy}, expected {arms.lag_policy(arm)}"


def _bad_controller(agent: ControllerFact | None) -> Iterator[str]:
    if agent is None or not agent.woven:
        yield "no evidence that the controller's agent was woven"
    elif agent.new_errors:
        yield f"errors of the controller's agent were {agent.new_errors}, expected 0"


SHARE = 0.5
"""Of its planned time, how long a fault must have acted at least. A stricter rule would make runs
unknown in which a fault acted well enough to be seen."""


def missing_evidence(plan: PlannedFault, fact: RecordedFigures, name: str) -> Iterator[str]:
    """Say what is missing in the evidence of a fault that was planned as `plan`.

    Its kind may require figures besides (`missing` in `faults/kinds/`).
    """
    kind = KINDS.get(plan.kind)
    missing = None if kind is None else kind.missing(plan, fact)
    if missing is not None:
        yield f"no evidence of the {name}: {missing}"
        return
    least_ms = plan.acts_ms or (plan.delay_ms if plan.mode == "delay" else plan.for_ms) * SHARE
    if fact.acted_ms < least_ms:
        yield (
            f"weak evidence of the {name}: acted_ms was {fact.acted_ms:.0f},"
            f" expected at least {least_ms:.0f}"
        )
