from dataclasses import replace

import pytest

from insync import metrics
from insync.analysis.verdict.decide import NO_PROBLEM, decide
from insync.analysis.verdict.facts import (
    AgentFact,
    ControllerFact,
    FaultFact,
    RepeatFacts,
    RunFacts,
)
from insync.events.run_info import Bound, RunInfo, RunTransactions
from insync.events.verdict import NO_VIOLATION, Verdict
from unit.run_folder import Story, run_json
from unit.verdict.made_up import with_scenario, with_workload

RUN = RunInfo.model_validate(run_json(Story(repeats=2)))

FAULT = FaultFact("stall", "read", "hold", 1, ("t-0", "t-1"), 4, 19_000.0, 4_990.0, 4_990.0)
AGENTS = tuple(AgentFact(broker, 0, 0, enabled=True) for broker in (1, 2, 3))
METRICS: dict[str, float | None] = {
    **dict.fromkeys(metrics.of_verdict()),
    **dict.fromkeys((
        "isr_shrinks", "under_min_isr_ms", "offline_ms", "under_replicated", "under_replicated_ms",
        "long_ack_gaps", "acked_during_pause", "acked_after_pause", "lost", "lost_at_moves",
        "lost_at_unclean", "duplicated", "duplicated_idempotent", "repeated_sequences",
        "false_alarms", "let_in_at_fault", "isr_not_recovered", "unplanned_exits",
        "nodes_not_stopped",
        "nodes_not_back", "hanging_transactions", "read_back_unfinished", "leader_changes",
        "reordered", "gaps",
        "inconsistent", "split_epochs", "diverged", "watermarks_back", "corrupt", "unexpected",
        "moved", "truncated", "missing_from_log",
    ), 0.0),
    "min_isr_size": 3.0, "max_ack_gap_ms": 40.0, "mean_ack_ms": 4.0, "acked": 996.0,
}  # fmt: skip
WOVEN = ControllerFact(woven=True, new_errors=0)
STOCK = RepeatFacts(
    complete=True, metrics={**METRICS, "isr_shrinks": 2.0, "min_isr_size": 1.0}, faults=(FAULT,)
)
PLUGIN = RepeatFacts(complete=True, metrics=METRICS, faults=(FAULT,), agents=AGENTS)


def run_of(stock: RepeatFacts = STOCK, plugin: RepeatFacts = PLUGIN) -> RunFacts:
    """Return a run whose second repeats are as given, and whose first repeats pass."""
    return RunFacts(
        finished=True, arms={"stock": (STOCK, stock), "plugin": (PLUGIN, plugin)}, unreadable={}
    )


def twice(**arms: RepeatFacts) -> RunFacts:
    """Return a run of arms whose two repeats are the same."""
    both = {arm.replace("_", "-"): (repeat, repeat) for arm, repeat in arms.items()}
    return RunFacts(finished=True, arms=both, unreadable={})


def measured(repeat: RepeatFacts, **metrics: float | None) -> RepeatFacts:
    return replace(repeat, metrics={**repeat.metrics, **metrics})


def check(facts: RunFacts, run: RunInfo = RUN) -> Verdict:
    return decide(run, facts)


def of_plugin(**metrics: float | None) -> RunFacts:
    """Return a run whose second repeat of the plugin has other metrics."""
    return run_of(plugin=measured(PLUGIN, **metrics))


def test_a_control_arm_that_did_not_shrink_makes_the_run_unknown() -> None:
    found = check(run_of(stock=measured(STOCK, isr_shrinks=0.0)))
    assert found.verdict == "unknown"
    assert found.reason.startswith("stock, repeat 2: isr_shrinks was 0, expected at least 1")
    assert NO_PROBLEM in found.reason


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (None, "no evidence of the read stall at broker 1: it was not recorded"),
        (replace(FAULT, calls_held=0), "calls_held was 0, expected at least 1"),
        (replace(FAULT, acted_ms=2_400.0), "acted_ms was 2400, expected at least"),
        (replace(FAULT, broker=2), "it was not recorded"),
    ],
)
def test_a_fault_without_evidence_invalidates_the_run_even_if_the_plugin_shrank(
    fault: FaultFact | None, words: str
) -> None:
    plugin = replace(measured(PLUGIN, isr_shrinks=3.0), faults=() if fault is None else (fault,))
    found = check(run_of(plugin=plugin))
    assert found.verdict == "unknown"
    assert words in found.reason


def test_a_delay_must_act_for_half_its_length() -> None:
    fault = RUN.scenario.faults[0].model_copy(update={"mode": "delay", "delay_ms": 300})
    run = with_scenario(RUN, faults=(fault,))
    short = replace(FAULT, mode="delay", acted_ms=310.0)
    facts = twice(stock=replace(STOCK, faults=(short,)), plugin=replace(PLUGIN, faults=(short,)))
    assert check(facts, run).verdict == "pass"


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (replace(AGENTS[0], new_errors=2), "errors of broker 1's agent were 2"),
        (replace(AGENTS[0], new_events_dropped=1), "events_dropped of broker 1's agent was 1"),
        (replace(AGENTS[0], enabled=False), "the feature of broker 1's agent was off"),
        (replace(AGENTS[0], lag_policy="messages:4"), "lag_policy of broker 1's agent was mess"),
        (None, "no agent counters from broker 1"),
    ],
)
def test_an_agent_with_errors_or_another_mode_than_the_arms_invalidates_the_run(
    agent: AgentFact | None, words: str
) -> None:
    agents = AGENTS[1:] if agent is None else (agent, *AGENTS[1:])
    found = check(run_of(plugin=replace(PLUGIN, agents=agents)))
    assert found.verdict == "unknown"
    assert words in found.reason


def test_an_interrupted_run_or_repeat_is_unknown() -> None:
    assert check(replace(run_of(), finished=False)).reason.startswith("the run was cut short")
    found = check(run_of(plugin=replace(PLUGIN, complete=False)))
    assert (found.verdict, found.reason.split(":")[0]) == ("unknown", "plugin, repeat 2")


def test_records_that_only_their_leader_acked_may_be_lost_and_nothing_else_may() -> None:
    run = with_workload(RUN, acks="1")
    kept = of_plugin(lost=3.0, truncated=1.0, missing_from_log=3.0, inconsistent=2.0)
    found = check(kept, run)
    assert found.verdict == "pass"
    assert f"plugin {NO_VIOLATION} (3 records with acks=1 were lost)" in found.reason
    assert check(of_plugin(diverged=1.0), run).verdict == "fail"


def test_what_an_unclean_election_costs_fails_unless_the_scenario_bounds_it() -> None:
    bounds = {"plugin": {"lost_at_unclean": Bound(min=1, max=5)}}
    bound = with_scenario(RUN, expect=bounds, control_arms=())
    cost = {"lost": 3.0, "lost_at_unclean": 3.0, "truncated": 1.0, "inconsistent": 2.0}

    def found(run: RunInfo, **more: float) -> Verdict:
        kept = measured(PLUGIN, **{**cost, **more})
        return decide(run, twice(plugin=kept))

    run = bound.model_copy(update={"arms": ("plugin",)})
    assert found(run).verdict == "pass"
    assert f"plugin {NO_VIOLATION} (6 records at unclean elections were lost)" in found(run).reason
    more = found(run, lost=6.0, lost_at_unclean=6.0)
    assert "lost_at_unclean was 6, expected 1 to 5" in more.reason
    assert "lost was 4, expected 3, those lost at unclean" in found(run, lost=4.0).reason
    assert found(run, diverged=1.0).verdict == "fail"
    assert "lost was 3, expected 0" in found(with_scenario(run, expect={})).reason


@pytest.mark.parametrize("metric", ["isr_shrinks", "acked", "lost", "diverged"])
def test_a_metric_without_data_is_unknown(metric: str) -> None:
    found = check(of_plugin(**{metric: None}))
    assert (found.verdict, found.reason) == ("unknown", f"plugin, repeat 2: no data for {metric}")


@pytest.mark.parametrize(
    ("first_shrink_ms", "outcome"), [(2_900.0, "pass"), (4_100.0, "fail"), (None, "fail")]
)
def test_a_follower_that_must_be_removed_in_time_must_be_removed(
    first_shrink_ms: float | None, outcome: str
) -> None:
    run = with_scenario(RUN, expect={"plugin": {"first_shrink_ms": Bound(max=4_000)}})
    out = measured(PLUGIN, first_shrink_ms=first_shrink_ms)
    found = check(twice(stock=STOCK, plugin=out), run)
    assert found.verdict == outcome
    if first_shrink_ms is None:
        assert "first_shrink_ms was none, expected at most 4000" in found.reason


def transactional(**metrics: float | None) -> Verdict:
    """Judge a run with two transactional producers whose plugin arm has these metrics."""
    expect = {"plugin": {"torn": Bound(max=0), "aborted_read": Bound(max=0)}}
    run = with_workload(RUN, transactions=RunTransactions(coordinators=(1, 2)))
    fine = {
        "torn": 0.0, "aborted_read": 0.0, "precommitted_read": 0.0, "g0": 3.0,
        "max_commit_gap_ms": 900.0,
    }  # fmt: skip
    facts = twice(stock=measured(STOCK, **fine), plugin=measured(PLUGIN, **{**fine, **metrics}))
    return check(facts, with_scenario(run, expect=expect))


def test_a_torn_transaction_fails_and_an_unchecked_one_is_unknown() -> None:
    assert transactional().verdict == "pass"
    assert transactional(torn=1.0).reason.startswith("plugin, repeat 1: torn was 1, expected 0")
    found = transactional(torn=None, aborted_read=None)
    assert found.verdict == "unknown"
    assert found.reason.startswith("plugin, repeat 1: no data for aborted_read, torn")


def test_a_run_without_acks_or_with_unreadable_lines_is_unknown() -> None:
    assert check(of_plugin(acked=0.0)).verdict == "unknown"
    torn = replace(run_of(), unreadable={"stock/consume-0.jsonl": 1})
    assert check(torn).reason == "events/stock/consume-0.jsonl: 1 unreadable lines, expected 0"


def test_several_findings_are_counted() -> None:
    facts = twice(stock=STOCK, plugin=measured(PLUGIN, isr_shrinks=3.0))
    assert check(facts).reason.endswith("expected at most 0 (and 1 more)")


@pytest.mark.parametrize(
    ("bound", "words"),
    [
        (Bound(min=1), "at least 1"),
        (Bound(max=0), "at most 0"),
        (Bound(min=2, max=2), "exactly 2"),
        (Bound(min=1, max=3), "1 to 3"),
    ],
)
def test_bounds_are_written_in_words(bound: Bound, words: str) -> None:
    assert str(bound) == words


@pytest.mark.parametrize(
    ("controller", "problem"),
    [
        (None, "no evidence that the controller's agent was woven"),
        (
            ControllerFact(woven=False, new_errors=0),
            "no evidence that the controller's agent was woven",
        ),
        (
            ControllerFact(woven=True, new_errors=2),
            "errors of the controller's agent were 2, expected 0",
        ),
        (WOVEN, None),
    ],
)
def test_a_missing_or_failed_controllers_agent_invalidates_the_run(
    controller: ControllerFact | None, problem: str | None
) -> None:
    first, second = replace(PLUGIN, controller=WOVEN), replace(PLUGIN, controller=controller)
    facts = replace(run_of(), arms={"stock": (STOCK, STOCK), "plugin": (first, second)})
    found = check(facts, RUN.model_copy(update={"controller_agent": True}))
    assert found.verdict == ("unknown" if problem else "pass")
    assert problem is None or found.reason == f"plugin, repeat 2: {problem}"


def test_an_arm_with_step_down_must_report_its_step_downs() -> None:
    stepping = measured(PLUGIN, step_downs=1.0, step_downs_withheld=0.0, most_step_downs=1.0)
    expect = {"step-down": {"isr_shrinks": Bound(max=0)}}
    run = with_scenario(RUN, control_arms=(), expect=expect)
    run = run.model_copy(update={"arms": ("step-down",)})
    assert check(twice(step_down=stepping), run).verdict == "pass"
    found = check(twice(step_down=PLUGIN), run)
    missing = "no data for step_downs, step_downs_withheld, most_step_downs"
    assert found.verdict == "unknown"
    assert found.reason.startswith(f"step-down, repeat 1: {missing}")
