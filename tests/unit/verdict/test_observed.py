"""A run that proves nothing about any arm under test is unknown; an arm may be only observed."""

from dataclasses import replace

import pytest

from insync.analysis.verdict.decide import NOTHING, OBSERVED, PROVABLE, decide, judge
from insync.analysis.verdict.facts import RunFacts
from insync.events.matrix_info import MatrixRow
from insync.events.run_info import RunInfo
from insync.events.verdict import Verdict
from insync.scenario.load import load, narrow
from unit.verdict.test_decide import AGENTS, PLUGIN, RUN, STOCK, with_scenario

OFF = replace(PLUGIN, agents=tuple(replace(agent, enabled=False) for agent in AGENTS))
REPEATS = {"stock": STOCK, "plugin": PLUGIN, "request": PLUGIN, "off": OFF, "raised-lag": STOCK}


def of(*arms: str, **scenario: object) -> tuple[RunInfo, RunFacts]:
    """Return a run of some arms in which all that is checked of every arm holds, and its facts."""
    run = with_scenario(**scenario).model_copy(update={"arms": arms})
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
    lost = replace(OFF, metrics={**OFF.metrics, "lost": 1.0})
    found = decide(run, replace(facts, arms={**facts.arms, "off": (OFF, lost)}))
    assert (found.verdict, found.reason) == ("fail", "off, repeat 2: lost was 1, expected 0")


def test_a_broken_bound_fails_even_without_the_control_arm() -> None:
    run, facts = of("plugin")
    shrunk = replace(PLUGIN, metrics={**PLUGIN.metrics, "isr_shrinks": 2.0})
    assert decide(run, replace(facts, arms={"plugin": (PLUGIN, shrunk)})).verdict == "fail"


def test_time_is_a_control_arm_where_the_scenario_names_stock() -> None:
    run = RUN.model_copy(update={"arms": ("time", "plugin")})
    assert (run.control_arms, run.tested_arms, run.left_out) == (("time",), ("plugin",), ())


@pytest.mark.parametrize(
    ("scenario", "arm", "lacks"),
    [
        ("kip-501", "off", {"nothing is expected of off", "the control arm stock was not run"}),
        ("dead-follower", "raised-lag",
         {"nothing is expected of raised-lag", "the control arm stock was not run"}),
        ("control", "request", {"the control arm stock was not run"}),
        ("kip-501", "plugin", {"the control arm stock was not run"}),
    ],
)  # fmt: skip
def test_built_in_scenarios_on_a_single_arm_prove_nothing(
    scenario: str, arm: str, lacks: set[str]
) -> None:
    narrowed = narrow(load(scenario), arms=[arm], repeats=1)
    run = RunInfo.model_validate(
        {
            "schema": 1, "scenario_name": scenario, "scenario": narrowed.as_dict(),
            "kafka": "4.3.1", "scale": 1.0, "seed": 1, "arms": [arm], "repeats": 1,
            "started_ms": 0.0, "finished_ms": 1.0,
        }
    )  # fmt: skip
    facts = RunFacts(finished=True, arms={arm: (REPEATS[arm],)}, unreadable={})
    (one,) = (each for each in decide(run, facts).findings if each.expected == PROVABLE)
    assert set(one.words.split("; ")) == lacks


def row(*arms: str) -> MatrixRow:
    return MatrixRow(kafka="4.3.1", scenario="made-up", summary="s", arms=arms, folder="f")


def test_cells_are_judged_alone_and_say_which_arms_their_row_lacks() -> None:
    run, facts = of("off", "plugin")
    off, plugin = judge(row("off", "plugin"), run, facts, decide(run, facts))
    assert (off.outcome, plugin.outcome) == ("observed", "pass")
    assert off.not_run == plugin.not_run == "the control arm stock was not run"
    assert (off.reason, plugin.reason) == (OBSERVED, "")


def test_with_every_control_arm_a_cell_lacks_nothing() -> None:
    run, facts = of("stock", "plugin")
    cells = judge(row("stock", "plugin"), run, facts, decide(run, facts))
    assert [each.not_run for each in cells] == [None, None]
