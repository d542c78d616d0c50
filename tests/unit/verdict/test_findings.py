"""The findings of a verdict, one an expectation, and of arms about which a run proves nothing."""

from dataclasses import replace

import pytest

from insync.analysis.verdict.decide import ENDED, NOTHING, OBSERVED, PROVABLE, cell_of, decide
from insync.analysis.verdict.facts import RunFacts
from insync.events.matrix_info import MatrixRow
from insync.events.run_info import ArmLimit, RunInfo
from insync.events.verdict import EVIDENCE, LIVE, NO_VIOLATION, Cell, Finding, Verdict
from unit.verdict.made_up import with_scenario
from unit.verdict.test_decide import AGENTS, FAULT, PLUGIN, RUN, STOCK, measured, run_of

BOUND = "isr_shrinks at most 0"


def found(facts: RunFacts) -> dict[tuple[str | None, str], Finding]:
    """Return the findings by arm and what was expected."""
    return {(each.arm, each.expected): each for each in decide(RUN, facts).findings}


def test_a_valid_run_passes_each_expectation_of_each_arm() -> None:
    findings = found(run_of())
    always = (EVIDENCE, NO_VIOLATION, LIVE)
    assert list(findings) == [
        (None, ENDED), (None, PROVABLE),
        *(("stock", each) for each in (*always, "isr_shrinks at least 1")),
        *(("plugin", each) for each in (*always, BOUND)),
    ]  # fmt: skip
    assert {each.outcome for each in findings.values()} == {"pass"}
    reason = decide(RUN, run_of()).reason
    assert "stock isr_shrinks at least 1 (2, 2)" in reason
    assert "plugin isr_shrinks at most 0 (0, 0)" in reason
    assert findings["plugin", BOUND].words == "0, 0"


@pytest.mark.parametrize("shrinks", [0.0, 2.0])
def test_without_evidence_an_arms_own_expectations_are_unknown(shrinks: float) -> None:
    weak = replace(measured(PLUGIN, isr_shrinks=shrinks), faults=(replace(FAULT, calls_held=0),))
    findings = found(run_of(plugin=weak))
    outcomes = [findings["plugin", each].outcome for each in (BOUND, EVIDENCE)]
    assert (outcomes, findings["stock", EVIDENCE].outcome) == (["unknown"] * 2, "pass")


def test_an_unreadable_file_invalidates_its_arm() -> None:
    findings = found(replace(run_of(), unreadable={"plugin/isr.jsonl": 3}))
    assert findings["plugin", EVIDENCE].outcome == "unknown"
    assert findings["stock", EVIDENCE].outcome == "pass"


def test_a_comparison_is_a_finding_of_the_compared_arm() -> None:
    each = ArmLimit(metric="max_ack_gap_ms", arm="plugin", against="stock", at_most=1.1)
    last = decide(with_scenario(RUN, compare=(each,)), run_of()).findings[-1]
    assert (last.arm, last.outcome, last.words) == ("plugin", "pass", "40; stock: 40")
    assert last.expected == "max_ack_gap_ms at most 1.1 times that of stock"


def test_a_skipped_run_has_no_findings() -> None:
    run = RUN.model_copy(update={"skipped": "no cgroup"})
    (one,) = decide(run, run_of()).findings
    assert (one.arm, one.outcome, one.words) == (None, "unknown", "skipped: no cgroup")


OFF = replace(PLUGIN, agents=tuple(replace(agent, enabled=False) for agent in AGENTS))
REPEATS = {"stock": STOCK, "plugin": PLUGIN, "request": PLUGIN, "off": OFF, "raised-lag": STOCK}


def of(*arms: str, **scenario: object) -> tuple[RunInfo, RunFacts]:
    """Return a run of some arms in which all that is checked of every arm holds, and its facts."""
    run = with_scenario(RUN, **scenario).model_copy(update={"arms": arms})
    facts = {arm: (REPEATS[arm],) * 2 for arm in arms}
    return run, RunFacts(finished=True, arms=facts, unreadable={})


def judged(*arms: str, **scenario: object) -> Verdict:
    return decide(*of(*arms, **scenario))


@pytest.mark.parametrize(
    ("arms", "reason"),
    [
        (("off",), "nothing is expected of off; the control arm stock was not run"),
        (("raised-lag",), "nothing is expected of raised-lag; the control arm stock was not run"),
        (("request",), "the control arm stock was not run"),
        (("plugin",), "the control arm stock was not run"),
        (("stock", "off"), "nothing is expected of off"),
        (("stock",), "no arm under test was run, only stock"),
    ],
)
def test_no_expectation_or_no_control_arm_is_unknown(arms: tuple[str, ...], reason: str) -> None:
    found = judged(*arms)
    assert (found.verdict, found.reason) == ("unknown", reason)
    (one,) = (each for each in found.findings if each.expected == PROVABLE)
    assert (one.arm, one.outcome) == (None, "unknown")


def test_a_scenario_that_names_no_control_arm_needs_none() -> None:
    assert judged("plugin", control_arms=()).verdict == "pass"


def test_an_observed_arm_beside_a_judged_one_is_named_and_not_counted_as_ok() -> None:
    found = judged("stock", "off", "plugin")
    assert found.verdict == "pass"
    assert f"off nothing ({OBSERVED})" in found.reason
    of_off = [each for each in found.findings if each.arm == "off"]
    assert [each.outcome for each in of_off] == ["pass", "pass", "pass", "observed"]
    assert (of_off[-1].expected, of_off[-1].words) == (NOTHING, OBSERVED)


def test_a_loss_in_an_observed_arm_still_fails() -> None:
    run, facts = of("stock", "off", "plugin")
    lost = (OFF, measured(OFF, lost=1.0))
    found = decide(run, replace(facts, arms={**facts.arms, "off": lost}))
    assert (found.verdict, found.reason) == ("fail", "off, repeat 2: lost was 1, expected 0")


def test_a_broken_bound_fails_even_without_the_control_arm() -> None:
    run, facts = of("plugin")
    shrunk = (PLUGIN, measured(PLUGIN, isr_shrinks=2.0))
    assert decide(run, replace(facts, arms={"plugin": shrunk})).verdict == "fail"


def test_time_is_a_control_arm_where_the_scenario_names_stock() -> None:
    run = RUN.model_copy(update={"arms": ("time", "plugin")})
    assert (run.control_arms, run.tested_arms, run.left_out) == (("time",), ("plugin",), ())


def cells_of(run: RunInfo, facts: RunFacts) -> list[Cell]:
    row = MatrixRow(kafka="4.3.1", scenario="made-up", summary="s", arms=run.arms, folder="f")
    return [cell_of(row, run, facts, decide(run, facts), arm) for arm in run.arms]


def test_cells_are_judged_alone_and_say_which_arms_their_row_lacks() -> None:
    run, facts = of("off", "plugin")
    off, plugin = cells_of(run, facts)
    assert (off.outcome, plugin.outcome) == ("observed", "pass")
    assert off.not_run == plugin.not_run == "the control arm stock was not run"
    assert (off.reason, plugin.reason) == (OBSERVED, "")


def test_with_every_control_arm_a_cell_lacks_nothing() -> None:
    assert [each.not_run for each in cells_of(*of("stock", "plugin"))] == [None, None]
