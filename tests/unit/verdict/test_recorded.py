"""A violation counts also in a repeat that was cut short; that there is none needs all of it."""

import copy
from dataclasses import replace
from typing import Any

import pytest

from insync import metrics
from insync.analysis.verdict.decide import decide
from insync.analysis.verdict.repeat_facts import Recorded, facts_of_run
from insync.events.run_info import RunInfo
from unit.repeat_rows import whole_repeat
from unit.run_folder import Story, run_json

WHOLE = Recorded(whole=True)
CUT = Recorded(whole=False)


def with_unreadable(*files: str) -> Recorded:
    return Recorded.of(True, "stock", 0, files)


def test_no_violation_is_known_only_of_a_whole_repeat() -> None:
    assert WHOLE.count("inconsistent", [0, 0]) == 0
    assert CUT.count("inconsistent", [0, 0]) is None
    assert WHOLE.count("inconsistent", [0, None]) is None
    assert WHOLE.count("inconsistent", []) is None
    assert with_unreadable("stock/isr.jsonl").count("inconsistent", [0]) is None


@pytest.mark.parametrize("recorded", [WHOLE, CUT, with_unreadable("stock/isr.jsonl")])
def test_a_violation_counts_however_little_was_recorded(recorded: Recorded) -> None:
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


RUN = RunInfo.model_validate(run_json(Story(arms=("stock",), repeats=1)))


def rows_of(*, complete: bool = True, **changed: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a run of one repeat in which everything is well except `changed`."""
    own = copy.deepcopy(whole_repeat({1, 2, 3}, RUN.partitions))
    for table, row in changed.items():
        own[table] = [{**own[table][0], **row}]
    key = {"arm": "stock", "repeat": 0}
    repeat = {"complete": complete, "host_gap_ms": None}
    named = {**own, "repeats": [repeat]}
    for table in ("agent_counters", "controller_agent", "raced_replicas"):
        named[table] = []
    return {
        **{name: [{**key, **row} for row in rows] for name, rows in named.items()},
        "input_lines": [],
    }


def test_a_violation_in_a_repeat_that_was_cut_short_fails_the_run() -> None:
    facts = facts_of_run(RUN, rows_of(complete=False, checked={"inconsistent": 2}))
    verdict = decide(RUN, replace(facts, finished=False))
    assert verdict.verdict == "fail"
    assert verdict.reason.startswith("stock, repeat 1: inconsistent was 2, expected 0")


def test_a_violation_beside_an_unreadable_line_fails_the_run() -> None:
    rows = rows_of(checked={"corrupt": 1})
    rows["input_lines"] = [
        {"file": "stock/consume-0.jsonl", "lines": 9, "unreadable": 1, "skewed": 0}
    ]
    assert decide(RUN, facts_of_run(RUN, rows)).verdict == "fail"


def test_a_repeat_that_was_not_read_to_its_end_has_no_lost_records() -> None:
    rows = rows_of(readback={"lost": 4, "read_to_end": False})
    metrics_found = facts_of_run(RUN, rows).arms["stock"][0].metrics
    assert metrics_found["lost"] is None
    assert metrics_found["moved"] is None


def test_a_topic_that_lost_everything_has_lost_records() -> None:
    gone = {"acked": 5, "read": 0, "lost": 5}
    of_old_run = facts_of_run(RUN, rows_of(readback={**gone, "read_to_end": None}))
    assert of_old_run.arms["stock"][0].metrics["lost"] is None, "maybe the consumer did not work"
    found = facts_of_run(RUN, rows_of(readback={**gone, "read_to_end": True}))
    assert found.arms["stock"][0].metrics["lost"] == 5
