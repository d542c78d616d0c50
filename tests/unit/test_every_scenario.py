"""A row whose acks were late before its first fault is recorded again; others are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from event_lines import lines_of
from every_scenario import late_at_first_fault_ms
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
