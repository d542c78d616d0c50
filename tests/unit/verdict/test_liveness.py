"""What was not alive, and violations in repeats that were cut short; both are judged always."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from insync import metrics
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.facts import RepeatFacts, RunFacts
from insync.analysis.verdict.repeat_facts import Completeness, facts_of_run
from insync.events.run_info import RunInfo
from insync.events.verdict import LIVE, Finding, Verdict
from unit.repeat_rows import whole_repeat
from unit.run_folder import Story, run_json
from unit.verdict.test_decide import PLUGIN, RUN, STOCK, measured, run_of

ONE = RunInfo.model_validate(run_json(Story(repeats=1, arms=("plugin",))))


def judged(facts: RunFacts) -> tuple[Verdict, list[Finding]]:
    """Return the verdict, and what is found of the liveness of each arm."""
    verdict = decide(RUN, facts)
    return verdict, [each for each in verdict.findings if each.expected == LIVE]


def with_one(repeat: RepeatFacts, metric: str) -> RepeatFacts:
    return measured(repeat, **{metric: 1.0})


@pytest.mark.parametrize("metric", metrics.liveness())
def test_an_arm_with_the_agent_fails_where_stock_has_no_such_problem(metric: str) -> None:
    verdict, found = judged(run_of(plugin=with_one(PLUGIN, metric)))
    assert verdict.verdict == "fail"
    assert verdict.reason == f"plugin, repeat 2: {metric} was 1, expected 0"
    assert [each.outcome for each in found] == ["pass", "fail"]


@pytest.mark.parametrize("metric", metrics.liveness())
def test_it_is_unknown_if_stock_has_the_same_problem(metric: str) -> None:
    facts = run_of(stock=with_one(STOCK, metric), plugin=with_one(PLUGIN, metric))
    verdict, found = judged(facts)
    assert [verdict.verdict, *(each.outcome for each in found)] == ["unknown"] * 3
    assert found[1].words.endswith("expected 0: stock Kafka has it as well")


def test_a_problem_of_stock_alone_is_unknown() -> None:
    verdict, _ = judged(run_of(stock=with_one(STOCK, "unplanned_exits")))
    words = "unplanned_exits was 1, expected 0: the arm is without the agent"
    assert (verdict.verdict, verdict.reason.endswith(words)) == ("unknown", True)


def test_another_problem_of_stock_excuses_nothing() -> None:
    stock = with_one(STOCK, "read_back_unfinished")
    facts = run_of(stock, with_one(PLUGIN, "unplanned_exits"))
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
    rows = rows_of(ONE, complete=complete)
    rows["repeats"] *= begun
    key = {"arm": "plugin", "repeat": 0, "t_ms": 1.0, "note": "x"}
    rows["liveness"] = [{**key, "type": each} for each in types]
    (repeat,) = facts_of_run(ONE, rows).arms["plugin"]
    return {name: repeat.metrics[name] for name in metrics.liveness()}


def test_the_lines_of_a_repeat_are_counted_by_type() -> None:
    others = ("hanging", "read_back_unfinished", "not_back", "not_stopped")
    assert list(counted(*["unplanned_exit"] * 2, *others).values()) == [0, 2, 1, 1, 1, 1]
    assert list(counted().values()) == [0] * 6


def test_the_reason_says_what_was_seen_in_one_line() -> None:
    stuck = {"unplanned_exits": "broker 2: ended with -9"}
    seen = replace(with_one(PLUGIN, "unplanned_exits"), stuck=stuck)
    assert decide(RUN, run_of(plugin=seen)).reason == (
        "plugin, repeat 2: unplanned_exits was 1, expected 0 (broker 2: ended with -9)"
    )


@pytest.mark.parametrize("begun", [True, False])
def test_of_a_repeat_that_was_cut_short_only_what_was_recorded_is_known(begun: bool) -> None:
    found = counted("unplanned_exit", complete=False, begun=begun)
    assert list(found.values()) == [None, 1, None, None, None, None]


WHOLE = Completeness(whole=True)
CUT = Completeness(whole=False)


def with_unreadable(*files: str) -> Completeness:
    return Completeness.of(True, "stock", 0, files)


def test_no_violation_is_known_only_of_a_whole_repeat() -> None:
    assert WHOLE.count("inconsistent", [0, 0]) == 0
    assert CUT.count("inconsistent", [0, 0]) is None
    assert WHOLE.count("inconsistent", [0, None]) is None
    assert WHOLE.count("inconsistent", []) is None
    assert with_unreadable("stock/isr.jsonl").count("inconsistent", [0]) is None


@pytest.mark.parametrize("recorded", [WHOLE, CUT, with_unreadable("stock/isr.jsonl")])
def test_a_violation_counts_however_little_was_recorded(recorded: Completeness) -> None:
    assert recorded.count("inconsistent", [2, 1]) == 3
    assert recorded.count("inconsistent", [2, None]) == 2


def test_what_was_not_read_by_the_end_is_not_lost_in_a_repeat_that_was_cut_short() -> None:
    assert WHOLE.count("lost", [2]) == 2
    assert CUT.count("lost", [2]) is None


@pytest.mark.parametrize(
    ("metric", "file"),
    [
        ("lost", "stock/consume-0.jsonl"),
        ("gaps", "stock/consume-0.jsonl"),
        ("moved", "stock/consume-0.jsonl"),
        ("torn", "stock/consume-0.jsonl"),
        ("unexpected", "stock/produce-0.jsonl"),
        ("missing_from_log", "stock/batches-0.jsonl"),
        ("diverged", "stock/batches-0.jsonl"),
        ("watermarks_back", "stock/roles.jsonl"),
    ],
)
def test_what_an_unreadable_line_could_explain_does_not_count(metric: str, file: str) -> None:
    assert with_unreadable(file).count(metric, [2]) is None
    elsewhere = file.replace("stock/", "plugin/"), file.replace("-0.", "-1.")
    others = [each for each in elsewhere if each != file]
    assert with_unreadable(*others).count(metric, [2]) == 2


def test_every_file_that_may_hide_something_is_one_of_a_run() -> None:
    named = {kind for metric in metrics.METRICS.values() for kind in metric.hidden_by}
    assert named <= {
        "consume", "produce", "batches", "roles", "transactions", "replica-logs", "group",
    }  # fmt: skip


STOCK_ONLY = RunInfo.model_validate(run_json(Story(arms=("stock",), repeats=1)))


def rows_of(run: RunInfo, *, complete: bool = True, **changed: Any) -> dict[str, list[Any]]:
    """Return the rows of a run of one repeat in which everything is well except `changed`."""
    own = whole_repeat({1, 2, 3}, run.partitions)
    for table, row in changed.items():
        own[table] = [{**own[table][0], **row}]
    own["repeats"] = [{"complete": complete, "host_gap_ms": None}]
    key = {"arm": run.arms[0], "repeat": 0}
    rows: dict[str, list[Any]] = {
        name: [{**key, **row} for row in table] for name, table in own.items()
    }
    none = ("agent_counters", "controller_agent", "raced_replicas", "input_lines")
    return rows | {name: [] for name in none}


def test_a_violation_in_a_repeat_that_was_cut_short_fails_the_run() -> None:
    rows = rows_of(STOCK_ONLY, complete=False, checked={"inconsistent": 2})
    facts = facts_of_run(STOCK_ONLY, rows)
    verdict = decide(STOCK_ONLY, replace(facts, finished=False))
    assert verdict.verdict == "fail"
    assert verdict.reason.startswith("stock, repeat 1: inconsistent was 2, expected 0")


def test_a_violation_beside_an_unreadable_line_fails_the_run() -> None:
    rows = rows_of(STOCK_ONLY, checked={"corrupt": 1})
    file = {"file": "stock/consume-0.jsonl", "lines": 9, "unreadable": 1, "skewed": 0}
    rows["input_lines"] = [file]
    assert decide(STOCK_ONLY, facts_of_run(STOCK_ONLY, rows)).verdict == "fail"


def test_a_repeat_that_was_not_read_to_its_end_has_no_lost_records() -> None:
    found = metrics_after(lost=4, read_to_end=False)
    assert (found["lost"], found["moved"]) == (None, None)


def metrics_after(**readback: object) -> Mapping[str, float | None]:
    rows = rows_of(STOCK_ONLY, readback=readback)
    return facts_of_run(STOCK_ONLY, rows).arms["stock"][0].metrics


def test_a_topic_that_lost_everything_has_lost_records() -> None:
    gone = {"acked": 5, "read": 0, "lost": 5}
    found = [metrics_after(**gone, read_to_end=each)["lost"] for each in (None, True)]
    assert found == [None, 5], "in an old run maybe the consumer did not work"
