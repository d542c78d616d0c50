from pathlib import Path
from typing import Any

import pytest

from insync.engine.scenarios import CellResult, broken_cells
from insync.engine.worker import Task, WorkerProgress
from insync.errors import InsyncError
from insync.fuzz.judge import judge
from unit.engine.cells import named
from unit.verdict import made_up


def result_of(unknown: str = "", broken: Any = None, **keys: Any) -> CellResult:
    known = {"acked": [100], "lost": [0], "isr_shrinks": [7], "agent_errors": [0]}
    outcome = "unknown" if unknown else "pass"
    found = made_up.cell(outcome=outcome, reason=unknown, **{**known, **keys})
    return CellResult(cell=found, broken=broken)


NO_EVIDENCE = "no evidence of the kill"
NOT_BACK = result_of("was cut short", {"why": "topic seed-1: ISR not full", "by_fault": False})
BY_FAULT = result_of("was cut short", {"why": "broker 2: no answer", "by_fault": True})


@pytest.mark.parametrize(
    ("found", "acks", "outcome", "findings"),
    [
        (result_of(), "all", "pass", []),
        (result_of(lost=[3]), "all", "fail", ["integrity"]),
        (result_of(lost=[3]), "1", "pass", []),
        (result_of(moved=[1]), "all", "fail", ["integrity"]),
        # A leader that no longer leads acks a record again, which the log has where it was first.
        (result_of(moved=[1]), "1", "pass", []),
        (result_of(NO_EVIDENCE, lost=[1]), "all", "fail", ["integrity"]),
        (result_of("errors were 2", agent_errors=[2]), "all", "fail", ["agent"]),
        (result_of(NO_EVIDENCE), "all", "unknown", []),
        (NOT_BACK, "all", "fail", ["liveness"]),
        (BY_FAULT, "all", "unknown", []),
    ],
)
def test_a_violation_an_agents_error_and_a_cluster_that_is_not_back_are_findings(
    found: CellResult, acks: str, outcome: str, findings: list[str]
) -> None:
    result = judge(found, acks)
    assert (result.outcome, [*result.findings]) == (outcome, findings)
    assert (result.unknown is None) == (outcome != "unknown")


def test_a_judgement_says_what_was_acked_and_lost_and_why_it_is_not_known() -> None:
    strict, loose = (judge(result_of(lost=[3]), acks) for acks in ("all", "1"))
    assert strict.findings == {"integrity": "lost was 3, expected 0"}
    assert (strict.acked, strict.lost_acks_1, loose.lost_acks_1) == (100, 0, 3)
    assert judge(result_of(NO_EVIDENCE), "all").unknown == NO_EVIDENCE
    assert "a fault could not act: broker 2: no answer" in (judge(BY_FAULT, "all").unknown or "")


def test_the_progress_says_whether_a_fault_was_why(tmp_path: Path) -> None:
    from insync.faults.base import Window

    cells = (named("seed-1", tmp_path), named("seed-2", tmp_path))
    task = Task(cells=cells, folder=tmp_path / "4.3.1")
    task.progress.parent.mkdir(parents=True)
    progress = WorkerProgress(task)
    try:
        Window().line(None, 0.0)  # type: ignore[arg-type]  # it raises before it is used
    except (InsyncError, AttributeError) as error:
        progress.broken("seed-1", error)
    progress.broken("seed-2", InsyncError("topic: ISR not\nfull"))
    found = broken_cells(tmp_path, "4.3.1", "stock")
    assert found["seed-1"].by_fault
    assert (found["seed-2"].why, found["seed-2"].by_fault) == ("topic: ISR not full", False)
