"""How answers are compared with the injected faults: every kind has a truth, and a lie is seen."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import why_confusion
from insync.faults.registry import KINDS
from unit.run_folder import append
from unit.why.test_recorded import recorded  # noqa: F401 - a fixture
from why_confusion import HARMLESS, NONE, OTHER, TRUE_CAUSE, as_markdown, false_findings, judged


def with_another_fault(original: Path, tmp_path: Path, **changed: object) -> Path:
    """Return a copy of a run whose stock arm says something else of its fault."""
    run = tmp_path / "run"
    shutil.copytree(original, run)
    file = run / "events" / "stock" / "faults.jsonl"
    (fault,) = [json.loads(line) for line in file.read_text().splitlines()]
    file.unlink()
    append(file, [{**fault, **changed}])
    return run


def test_every_kind_of_fault_has_a_truth() -> None:
    assert {*TRUE_CAUSE, *HARMLESS} == set(KINDS)
    assert not HARMLESS & TRUE_CAUSE.keys()


def test_a_recorded_stall_is_answered_rightly(recorded: Path) -> None:  # noqa: F811 - the fixture
    cases = list(judged(recorded))
    assert [(each.arm, each.truth, each.answer) for each in cases] == [
        ("stock", "disk", "disk"), ("plugin", "disk", "disk"),
    ]  # fmt: skip
    assert list(false_findings(recorded)) == []
    assert "| `stall read` | disk | 2 |  |  |  |  |  | 2 of 2 |" in as_markdown(cases)


@pytest.mark.parametrize(
    ("lie", "answer"),
    [
        ({"broker": 3}, OTHER),
        ({"fault": "link", "site": "", "mode": "cut"}, "disk"),
        ({"fault": "elect", "site": "", "mode": ""}, "disk"),
    ],
)
def test_an_answer_that_is_not_the_injected_fault_is_wrong(
    lie: dict[str, object], answer: str, recorded: Path, tmp_path: Path  # noqa: F811 - the fixture
) -> None:  # fmt: skip
    run = with_another_fault(recorded, tmp_path, **lie)
    case = next(each for each in judged(run) if each.arm == "stock")
    assert (case.answer, case.is_right) == (answer, False)


def test_no_answer_about_a_fault_that_was_felt_is_wrong(
    recorded: Path, monkeypatch: pytest.MonkeyPatch  # noqa: F811 - the fixture
) -> None:  # fmt: skip
    silent = [replace(each, findings=()) for each in why_confusion.answers(recorded)]
    monkeypatch.setattr(why_confusion, "answers", lambda _: silent)
    assert {(each.truth, each.answer) for each in judged(recorded)} == {("disk", NONE)}


def test_a_fault_that_nobody_felt_slowed_no_broker(
    recorded: Path, tmp_path: Path  # noqa: F811 - the fixture
) -> None:  # fmt: skip
    """Every record had its ack within a lag, and no follower was dropped."""
    run = with_another_fault(recorded, tmp_path, injected_ms=0, lifted_ms=90_000)
    case = next(each for each in judged(run) if each.arm == "stock")
    assert (case.truth, case.answer, case.is_right) == (NONE, NONE, True)


def test_a_fault_that_acted_for_less_than_the_lag_does_not_count(
    recorded: Path, tmp_path: Path  # noqa: F811 - the fixture
) -> None:  # fmt: skip
    run = with_another_fault(recorded, tmp_path, acted_ms=500.0)
    assert [each.arm for each in judged(run)] == ["plugin"]
