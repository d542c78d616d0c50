"""A row that differs is recorded again if acks were late without a fault; others are not."""

import json
from pathlib import Path

import pytest

from event_lines import lines_of
from every_scenario import RecordedScenarios, Row, late_at_first_fault_ms, slow_to_begin_ms
from unit.run_folder import Story, write_run

STORY = Story(arms=("stock",), repeats=1)
MOST_MS = STORY.lag_ms / 2


@pytest.mark.parametrize(
    ("waited_ms", "answered_ms", "late"),
    [
        (MOST_MS + 1, 10.0, True),
        (MOST_MS + 1, None, True),
        (MOST_MS - 1, 10.0, False),
        (MOST_MS + 1, -10.0, False),
    ],
    ids=["answered-later", "never-answered", "not-for-long", "answered-before"],
)
def test_acks_are_late_if_a_record_waits_when_the_first_fault_begins(
    tmp_path: Path, waited_ms: float, answered_ms: float | None, late: bool
) -> None:
    run = write_run(tmp_path, STORY)
    begin_ms = lines_of(run, "stock", "faults.jsonl")[0]["injected_ms"]
    record = {
        "repeat": 0,
        "sent_ms": begin_ms - waited_ms,
        "done_ms": None if answered_ms is None else begin_ms + answered_ms,
    }
    (run / "events" / "stock" / "produce-9.jsonl").write_text(json.dumps(record) + "\n")
    assert late_at_first_fault_ms(run, "stock") == (waited_ms if late else None)


def test_without_a_fault_no_ack_is_late_before_it(tmp_path: Path) -> None:
    run = write_run(tmp_path, Story(arms=("stock",), repeats=1, faults=False))
    assert late_at_first_fault_ms(run, "stock") is None


def begin_late(run: Path, needed_ms: float) -> None:
    """Make the acks of the run's repeat be on time only so long after its start."""
    lines = [
        {"type": "repeat_started", "repeat": 0, "t_ms": 1_000.0},
        {"type": "steady", "repeat": 0, "t_ms": 1_000.0 + needed_ms},
    ]
    phases = run / "events" / "stock" / "phases.jsonl"
    phases.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.mark.parametrize(("beyond_ms", "slow"), [(1, True), (-1, False)])
def test_a_repeat_is_slow_to_begin_if_its_acks_need_longer_than_the_lag_limit(
    tmp_path: Path, beyond_ms: int, slow: bool
) -> None:
    run = write_run(tmp_path, STORY)
    needed_ms = STORY.lag_ms + beyond_ms
    begin_late(run, needed_ms)
    assert slow_to_begin_ms(run, "stock") == (needed_ms if slow else None)


@pytest.mark.parametrize("differs", [None, "max_ack_gap_ms was 2810, expected at most 2750"])
@pytest.mark.parametrize("late", ["at the first fault", "at the begin"])
def test_late_acks_are_a_reason_only_for_a_row_that_differs(
    tmp_path: Path, late: str, differs: str | None
) -> None:
    run = write_run(tmp_path / "4.3.1" / "made-up", STORY)
    if late == "at the begin":
        begin_late(run, STORY.lag_ms * 2)
    else:
        record = {"repeat": 0, "sent_ms": 0.0, "done_ms": None}
        (run / "events" / "stock" / "produce-9.jsonl").write_text(json.dumps(record) + "\n")
    cell = {
        "kafka": "4.3.1", "scenario": "made-up", "arm": "stock", "reason": differs,
        "outcome": "fail" if differs else "pass",
    }  # fmt: skip
    unclear = RecordedScenarios({tmp_path: [cell]}, []).unclear(
        Row("4.3.1", "made-up", "other", ("stock",), scale=1.0, at_once=2)
    )
    assert len(unclear) == (differs is not None)
