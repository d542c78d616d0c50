"""A row that differs is recorded again if acks were late before its first fault; others are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from event_lines import lines_of
from every_scenario import RecordedScenarios, Row, late_at_first_fault_ms
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


@pytest.mark.parametrize("differs", [None, "max_ack_gap_ms was 2810, expected at most 2750"])
def test_late_acks_are_a_reason_only_for_a_row_that_differs(
    tmp_path: Path, differs: str | None
) -> None:
    run = write_run(tmp_path / "4.3.1" / "made-up", STORY)
    record = {"repeat": 0, "sent_ms": 0.0, "done_ms": None}
    (run / "events" / "stock" / "produce-9.jsonl").write_text(json.dumps(record) + "\n")
    cell = {
        "kafka": "4.3.1", "scenario": "made-up", "arm": "stock", "unknown": None,
        "differs": differs,
    }  # fmt: skip
    unclear = RecordedScenarios({tmp_path: [cell]}, []).unclear(
        Row("4.3.1", "made-up", "other", ("stock",), scale=1.0, at_once=2)
    )
    assert len(unclear) == (differs is not None)
