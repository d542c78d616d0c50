from pathlib import Path

import pytest

from event_lines import lines_of
from every_scenario import RecordedScenarios, Row, late_without_a_fault
from unit.run_folder import Story, append, write_run

STORY = Story(arms=("stock",), repeats=1)
LAG = STORY.lag_ms


def made(folder: Path, waited_ms: float, answered_ms: float | None, begun_ms: float) -> Path:
    """Write a run with a record that waits at the first fault, and acks that are late to begin."""
    run = write_run(folder / "4.3.1" / "made-up", STORY)
    events = run / "events" / "stock"
    fault_ms = lines_of(run, "stock", "faults.jsonl")[0]["injected_ms"]
    done_ms = None if answered_ms is None else fault_ms + answered_ms
    append(
        events / "produce-9.jsonl",
        [{"repeat": 0, "sent_ms": fault_ms - waited_ms, "done_ms": done_ms}],
    )
    (events / "phases.jsonl").unlink()
    phases = {"repeat_started": 1_000.0, "steady": 1_000.0 + begun_ms}
    lines = [{"type": kind, "repeat": 0, "t_ms": at} for kind, at in phases.items()]
    append(events / "phases.jsonl", lines)
    return run


@pytest.mark.parametrize(
    ("waited_ms", "answered_ms", "begun_ms", "reasons"),
    [
        (LAG / 2 + 1, 10.0, 0.0, 1),
        (LAG / 2 + 1, None, 0.0, 1),
        (LAG / 2 - 1, 10.0, 0.0, 0),
        (LAG / 2 + 1, -10.0, 0.0, 0),
        (0.0, 10.0, LAG + 1, 1),
        (0.0, 10.0, LAG - 1, 0),
    ],
)
def test_only_acks_that_were_late_without_a_fault_let_a_row_that_differs_be_recorded_again(
    tmp_path: Path, waited_ms: float, answered_ms: float | None, begun_ms: float, reasons: int
) -> None:
    run = made(tmp_path, waited_ms, answered_ms, begun_ms)
    assert len(list(late_without_a_fault(run, "stock"))) == reasons
    row = Row("4.3.1", "made-up", "other", ("stock",), scale=1.0, at_once=2)
    passed = {
        "kafka": "4.3.1", "scenario": "made-up", "arm": "stock", "reason": None, "outcome": "pass",
    }  # fmt: skip
    assert RecordedScenarios({tmp_path: [passed]}, []).unclear(row) == []
    why = "max_ack_gap_ms was 2810, expected at most 2750"
    failed = {**passed, "reason": why, "outcome": "fail"}
    assert len(RecordedScenarios({tmp_path: [failed]}, []).unclear(row)) == reasons
