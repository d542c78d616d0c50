from pathlib import Path
from typing import Any

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


def test_a_shrunk_isr_is_no_finding() -> None:
    result = judge(result_of(), "all")
    assert (result.outcome, result.findings, result.acked) == ("pass", (), 100)


def test_a_lost_record_is_a_finding_with_acks_all_and_counted_with_acks_1() -> None:
    strict = judge(result_of(lost=[3]), "all")
    assert strict.outcome == "fail"
    assert [(each.of, each.words) for each in strict.findings] == [
        ("integrity", "lost was 3, expected 0")
    ]
    assert strict.lost_acks_1 == 0
    loose = judge(result_of(lost=[3]), "1")
    assert (loose.outcome, loose.lost_acks_1) == ("pass", 3)


def test_a_record_that_is_not_where_only_its_leader_acked_it_is_no_finding() -> None:
    """A leader that no longer leads acks a record again, which the log has where it was first."""
    assert judge(result_of(moved=[1]), "1").outcome == "pass"
    assert judge(result_of(moved=[1]), "all").outcome == "fail"


def test_a_violation_is_a_finding_whatever_evidence_is_missing() -> None:
    result = judge(result_of(lost=[1], unknown="no evidence of the kill"), "all")
    assert (result.outcome, result.unknown) == ("fail", None)


def test_an_error_of_an_agent_is_a_finding() -> None:
    result = judge(result_of(agent_errors=[2], unknown="errors were 2"), "all")
    assert [each.of for each in result.findings] == ["agent"]


def test_a_fault_without_evidence_makes_it_unknown() -> None:
    result = judge(result_of(unknown="no evidence of the kill"), "all")
    assert (result.outcome, result.unknown) == ("unknown", "no evidence of the kill")


def test_a_cluster_that_does_not_come_back_is_a_finding() -> None:
    broken = {"why": "topic seed-1: ISR not full in 60 s", "by_fault": False}
    result = judge(result_of("was cut short", broken), "all")
    assert [each.of for each in result.findings] == ["liveness"]


def test_a_fault_that_could_not_act_makes_it_unknown() -> None:
    broken = {"why": "broker 2: no answer", "by_fault": True}
    result = judge(result_of("was cut short", broken), "all")
    assert (result.outcome, result.findings) == ("unknown", ())
    assert "a fault could not act: broker 2: no answer" in (result.unknown or "")


def test_the_progress_says_whether_a_fault_was_why(tmp_path: Path) -> None:
    from insync.faults.base import Window

    cells = (named("seed-1", tmp_path), named("seed-2", tmp_path))
    task = Task(cells=cells, folder=tmp_path / "4.3.1" / "tasks", home=tmp_path)
    task.folder.mkdir(parents=True)
    progress = WorkerProgress(task)
    try:
        Window().line(None, 0.0)  # type: ignore[arg-type]  # it raises before it is used
    except (InsyncError, AttributeError) as error:
        progress.broken("seed-1", error)
    progress.broken("seed-2", InsyncError("topic: ISR not\nfull"))
    found = broken_cells(tmp_path, "4.3.1", "stock")
    assert found["seed-1"].by_fault
    assert (found["seed-2"].why, found["seed-2"].by_fault) == ("topic: ISR not full", False)
