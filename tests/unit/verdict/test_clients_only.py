"""Brokers that insync did not start: what only their files show has no value, and is named."""

from typing import Any

import pytest

from insync import metrics
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.facts import RepeatFacts, RunFacts
from insync.analysis.verdict.repeat_facts import _known
from insync.events.run_info import RunInfo
from insync.events.verdict import NO_VIOLATION
from unit.run_folder import Story, run_json


def run(expect: dict[str, Any] | None = None, *, clients_only: bool = True) -> RunInfo:
    known = run_json(Story(arms=("stock",), repeats=1))
    known |= {"cluster": "existing", "clients_only": clients_only}
    expected = {"stock": {"acked": {"min": 1}, **(expect or {})}}
    known["scenario"] |= {"expect": expected, "control_arms": [], "faults": []}
    return RunInfo.model_validate(known)


def facts(info: RunInfo, **found: float) -> RunFacts:
    """Return the facts of a repeat in which nothing but `found` is above 0."""
    every = dict.fromkeys(metrics.of_verdict(), 0.0) | {"acked": 9.0} | found
    known = dict.fromkeys(every) | dict(_known(info, every))
    return RunFacts(
        finished=True, arms={"stock": (RepeatFacts(complete=True, metrics=known),)}, unreadable={}
    )


def test_that_nothing_was_found_is_not_known_without_the_nodes_files() -> None:
    found = _known(run(), {"isr_shrinks": 0, "unplanned_exits": 0, "lost": 0, "diverged": 2})
    assert found == {"lost": 0, "diverged": 2}
    assert _known(run(clients_only=False), {"isr_shrinks": 0}) == {"isr_shrinks": 0}


def test_clients_alone_can_pass_and_the_reason_says_what_was_not_looked_for() -> None:
    verdict = decide(run(), facts(run()))
    assert verdict.verdict == "pass", verdict.reason
    assert "not known, without the nodes' files: " in verdict.reason
    for name in ("split_epochs", "diverged", "missing_from_log"):
        assert name in verdict.reason
    (finding,) = [each for each in verdict.findings if each.expected == NO_VIOLATION]
    assert "diverged" in finding.words


@pytest.mark.parametrize("metric", ["lost", "corrupt", "gaps", "moved", "unexpected"])
def test_a_violation_that_clients_saw_fails(metric: str) -> None:
    verdict = decide(run(), facts(run(), **{metric: 1.0}))
    assert (verdict.verdict, f"{metric} was 1" in verdict.reason) == ("fail", True)


@pytest.mark.parametrize("metric", ["isr_shrinks", "leader_changes", "under_min_isr_ms"])
def test_an_expectation_on_what_is_not_known_makes_it_unknown(metric: str) -> None:
    info = run({metric: {"max": 0}})
    verdict = decide(info, facts(info))
    assert (verdict.verdict, f"no data for {metric}" in verdict.reason) == ("unknown", True)


def test_without_any_ack_it_is_unknown() -> None:
    info = run()
    assert decide(info, facts(info, acked=0.0)).verdict == "unknown"
