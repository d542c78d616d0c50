"""How answers are compared with the injected faults: every kind has a truth, and a lie is seen."""

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest

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


LIES: list[tuple[dict[str, object], list[tuple[str, str, str]]]] = [
    ({"broker": 3}, [("stock", "disk", OTHER)]),
    ({"fault": "link", "site": "", "mode": "cut"}, [("stock", "network", "disk")]),
    ({"fault": "elect", "site": "", "mode": ""}, [("stock", NONE, "disk")]),
    # Nobody felt it: every record had its ack within a lag, and no follower was dropped.
    ({"injected_ms": 0, "lifted_ms": 90_000}, [("stock", NONE, NONE)]),
    ({"acted_ms": 500.0}, []),  # less than the lag: it does not count
]


@pytest.mark.parametrize(("lie", "expected"), LIES)
def test_an_answer_is_compared_with_the_injected_fault(
    lie: dict[str, object], expected: list[tuple[str, str, str]], recorded: Path, tmp_path: Path  # noqa: F811
) -> None:  # fmt: skip
    run = with_another_fault(recorded, tmp_path, **lie)
    cases = [(each.arm, each.truth, each.answer) for each in judged(run) if each.arm == "stock"]
    assert cases == expected


@pytest.mark.parametrize(("broker", "expected"), [(1, "disk"), (2, OTHER)])
def test_an_answer_of_logs_alone_is_compared_with_the_injected_fault(
    recorded: Path, tmp_path: Path, broker: int, expected: str  # noqa: F811
) -> None:  # fmt: skip
    assert list(judged(recorded, by_logs=True)) == []
    run = with_another_fault(recorded, tmp_path)
    fault = json.loads((run / "events" / "stock" / "faults.jsonl").read_text())
    failed_ms = fault["injected_ms"] + 1_000
    failed = f"[ReplicaManager broker={broker}] Stopping serving replicas in dir /data"
    log = run / "nodes" / "stock" / str(broker) / "stdout.log"
    log.parent.mkdir(parents=True)
    times = [datetime.fromtimestamp(failed_ms / 1000 + each, UTC).isoformat() for each in (0, 60)]
    log.write_text(f"{times[0]} WARN {failed}\n{times[1]} INFO the last line\n")
    (case,) = judged(run, by_logs=True)
    assert (case.arm, case.truth, case.answer, case.traced) == ("stock", "disk", expected, True)
