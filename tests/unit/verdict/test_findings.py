"""The findings of a verdict: each expectation separately, and never a pass on missing data."""

from dataclasses import replace

import pytest

from insync.analysis.verdict.decide import ENDED, NO_PROBLEM, PROVABLE, decide
from insync.analysis.verdict.facts import RunFacts
from insync.events.run_info import Comparison
from insync.events.verdict import EVIDENCE, LIVE, NO_VIOLATION, Finding
from unit.verdict.test_decide import FAULT, PLUGIN, RUN, STOCK, measured, run_of, with_scenario

BOUND = "isr_shrinks at most 0"


def found(facts: RunFacts, arm: str | None, expected: str) -> Finding:
    (one,) = (
        each for each in decide(RUN, facts).findings if (each.arm, each.expected) == (arm, expected)
    )
    return one


def test_a_valid_run_passes_each_expectation_of_each_arm() -> None:
    assert [(each.arm, each.expected) for each in decide(RUN, run_of()).findings] == [
        (None, ENDED),
        (None, PROVABLE),
        ("stock", EVIDENCE),
        ("stock", NO_VIOLATION),
        ("stock", LIVE),
        ("stock", "isr_shrinks at least 1"),
        ("plugin", EVIDENCE),
        ("plugin", NO_VIOLATION),
        ("plugin", LIVE),
        ("plugin", BOUND),
    ]
    assert {each.outcome for each in decide(RUN, run_of()).findings} == {"pass"}
    assert found(run_of(), "plugin", BOUND).words == "0, 0"


def test_only_the_broken_bound_fails_and_names_the_repeat() -> None:
    facts = run_of(plugin=measured(PLUGIN, isr_shrinks=2.0))
    one = found(facts, "plugin", BOUND)
    assert (one.outcome, one.words) == (
        "fail",
        "plugin, repeat 2: isr_shrinks was 2, expected at most 0",
    )
    outcomes = [each.outcome for each in decide(RUN, facts).findings]
    assert (outcomes.count("fail"), outcomes.count("pass")) == (1, len(outcomes) - 1)


def test_a_control_arm_without_the_problem_is_unknown_not_failed() -> None:
    one = found(run_of(stock=measured(STOCK, isr_shrinks=0.0)), "stock", "isr_shrinks at least 1")
    assert (one.outcome, NO_PROBLEM in one.words) == ("unknown", True)


@pytest.mark.parametrize("shrinks", [0.0, 2.0])
def test_without_evidence_an_arms_own_expectations_are_unknown(shrinks: float) -> None:
    weak = replace(measured(PLUGIN, isr_shrinks=shrinks), faults=(replace(FAULT, calls_held=0),))
    facts = run_of(plugin=weak)
    outcomes = {(each.arm, each.expected): each.outcome for each in decide(RUN, facts).findings}
    assert outcomes["plugin", BOUND] == outcomes["plugin", EVIDENCE] == "unknown"
    assert outcomes["stock", EVIDENCE] == "pass"


def test_lost_records_fail_even_if_other_data_is_missing() -> None:
    weak = replace(measured(PLUGIN, lost=1.0), faults=())
    assert found(run_of(plugin=weak), "plugin", NO_VIOLATION).outcome == "fail"


def test_an_unreadable_file_invalidates_its_arm() -> None:
    facts = replace(run_of(), unreadable={"plugin/isr.jsonl": 3})
    assert found(facts, "plugin", EVIDENCE).outcome == "unknown"
    assert found(facts, "stock", EVIDENCE).outcome == "pass"


def test_a_comparison_is_a_finding_of_the_compared_arm() -> None:
    each = Comparison(metric="max_ack_gap_ms", arm="plugin", against="stock", at_most=1.1)
    last = decide(with_scenario(compare=(each,)), run_of()).findings[-1]
    assert (last.arm, last.outcome, last.words) == ("plugin", "pass", "40; stock: 40")
    assert last.expected == "max_ack_gap_ms at most 1.1 times that of stock"


def test_a_skipped_run_has_no_findings() -> None:
    run = RUN.model_copy(update={"skipped": "no cgroup"})
    (one,) = decide(run, run_of()).findings
    assert (one.arm, one.outcome, one.words) == (None, "unknown", "skipped: no cgroup")
