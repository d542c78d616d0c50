"""Liveness is judged in every scenario: ISRs recover, no node ends by itself, all is read back."""

from dataclasses import replace

import pytest

from insync import metrics
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.facts import RepeatFacts, RunFacts
from insync.analysis.verdict.repeat_facts import facts_of_run
from insync.events.run_info import RunInfo
from insync.events.verdict import LIVE
from unit.repeat_rows import whole_repeat
from unit.run_folder import Story, run_json
from unit.verdict.test_decide import PLUGIN, RUN, STOCK, measured, run_of

ONE = RunInfo.model_validate(run_json(Story(repeats=1, arms=("plugin",))))


def found(facts: RunFacts, arm: str) -> str:
    (one,) = (x for x in decide(RUN, facts).findings if (x.arm, x.expected) == (arm, LIVE))
    return one.outcome


def with_one(repeat: RepeatFacts, metric: str) -> RepeatFacts:
    return measured(repeat, **{metric: 1.0})


@pytest.mark.parametrize("metric", metrics.liveness())
def test_an_arm_with_the_agent_fails_where_stock_has_no_such_problem(metric: str) -> None:
    facts = run_of(plugin=with_one(PLUGIN, metric))
    verdict = decide(RUN, facts)
    assert verdict.verdict == "fail"
    assert verdict.reason == f"plugin, repeat 2: {metric} was 1, expected 0"
    assert (found(facts, "stock"), found(facts, "plugin")) == ("pass", "fail")


@pytest.mark.parametrize("metric", metrics.liveness())
def test_it_is_unknown_if_stock_has_the_same_problem(metric: str) -> None:
    facts = run_of(stock=with_one(STOCK, metric), plugin=with_one(PLUGIN, metric))
    verdict = decide(RUN, facts)
    assert verdict.verdict == "unknown"
    assert (found(facts, "stock"), found(facts, "plugin")) == ("unknown", "unknown")
    (one,) = (x for x in verdict.findings if (x.arm, x.expected) == ("plugin", LIVE))
    assert one.words.endswith("expected 0: stock Kafka has it as well")


def test_a_problem_of_stock_alone_is_unknown() -> None:
    verdict = decide(RUN, run_of(stock=with_one(STOCK, "unplanned_exits")))
    assert verdict.verdict == "unknown"
    assert verdict.reason.endswith(
        "unplanned_exits was 1, expected 0: the arm is without the agent"
    )


def test_another_problem_of_stock_excuses_nothing() -> None:
    facts = run_of(
        stock=with_one(STOCK, "read_back_unfinished"), plugin=with_one(PLUGIN, "unplanned_exits")
    )
    assert decide(RUN, facts).verdict == "fail"


def test_without_stock_in_the_run_it_fails() -> None:
    facts = run_of(plugin=with_one(PLUGIN, "isr_not_recovered"))
    alone = replace(facts, arms={"plugin": facts.arms["plugin"]})
    assert decide(RUN.model_copy(update={"arms": ("plugin",)}), alone).verdict == "fail"


def test_it_fails_even_if_the_rest_of_the_arm_proves_nothing() -> None:
    """After a broker ended by itself faults lack evidence, and later repeats are not run."""
    ended = replace(with_one(PLUGIN, "unplanned_exits"), complete=False, faults=())
    assert decide(RUN, run_of(plugin=ended)).verdict == "fail"


def test_lost_records_are_graver() -> None:
    facts = run_of(plugin=measured(PLUGIN, lost=1.0, unplanned_exits=1.0))
    assert decide(RUN, facts).reason.startswith("plugin, repeat 2: lost was 1, expected 0")


def counted(*types: str, complete: bool = True, begun: bool = True) -> dict[str, float | None]:
    """Return the metrics of liveness of a repeat with such lines."""
    key = {"arm": "plugin", "repeat": 0}
    rows = {
        name: [{**key, **row} for row in table]
        for name, table in whole_repeat({1, 2, 3}, 4).items()
    }
    window = {**key, "complete": complete, "host_gap_ms": None}
    rows |= {name: [] for name in ("input_lines", "agent_counters", "controller_agent")}
    rows["repeats"] = [window] if begun else []
    rows["liveness"] = [{**key, "type": each, "t_ms": 1.0, "note": "x"} for each in types]
    (repeat,) = facts_of_run(ONE, rows).arms["plugin"]
    return {name: repeat.metrics[name] for name in metrics.liveness()}


def test_the_lines_of_a_repeat_are_counted_by_type() -> None:
    lines = (
        "unplanned_exit", "unplanned_exit", "hanging", "read_back_unfinished", "not_back",
        "not_stopped",
    )  # fmt: skip
    assert list(counted(*lines).values()) == [0, 2, 1, 1, 1, 1]
    assert list(counted().values()) == [0] * 6


def test_the_reason_says_what_was_seen_in_one_line() -> None:
    seen = replace(
        with_one(PLUGIN, "unplanned_exits"), stuck={"unplanned_exits": "broker 2: ended with -9"}
    )
    assert decide(RUN, run_of(plugin=seen)).reason == (
        "plugin, repeat 2: unplanned_exits was 1, expected 0 (broker 2: ended with -9)"
    )


@pytest.mark.parametrize("begun", [True, False])
def test_of_a_repeat_that_was_cut_short_only_what_was_recorded_is_known(begun: bool) -> None:
    found = counted("unplanned_exit", complete=False, begun=begun)
    assert list(found.values()) == [None, 1, None, None, None, None]
