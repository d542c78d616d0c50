"""How answers are compared with the injected faults: every kind has a truth, and a lie is seen."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from event_lines import read_lines
from insync.faults.registry import KINDS
from unit.run_folder import rewrite
from why_confusion import HARMLESS, NONE, OTHER, TRUE_CAUSE, as_markdown, false_findings, judged


def test_every_kind_of_fault_has_a_truth() -> None:
    assert {*TRUE_CAUSE, *HARMLESS} == set(KINDS)
    assert not HARMLESS & TRUE_CAUSE.keys()


def test_a_recorded_stall_is_answered_rightly(recorded: Path) -> None:
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
    lie: dict[str, object], expected: list[tuple[str, str, str]], copied: Path
) -> None:
    file = copied / "events" / "stock" / "faults.jsonl"
    rewrite(file, [{**each, **lie} for each in read_lines(file)])
    cases = [(each.arm, each.truth, each.answer) for each in judged(copied) if each.arm == "stock"]
    assert cases == expected


@pytest.mark.parametrize(("broker", "expected"), [(1, "disk"), (2, OTHER)])
def test_an_answer_of_logs_alone_is_compared_with_the_injected_fault(
    copied: Path, broker: int, expected: str
) -> None:
    assert list(judged(copied, by_logs=True)) == []
    (fault,) = read_lines(copied / "events" / "stock" / "faults.jsonl")
    failed_ms = fault["injected_ms"] + 1_000
    failed = f"[ReplicaManager broker={broker}] Stopping serving replicas in dir /data"
    log = copied / "nodes" / "stock" / str(broker) / "stdout.log"
    log.parent.mkdir(parents=True)
    times = [datetime.fromtimestamp(failed_ms / 1000 + each, UTC).isoformat() for each in (0, 60)]
    log.write_text(f"{times[0]} WARN {failed}\n{times[1]} INFO the last line\n")
    (case,) = judged(copied, by_logs=True)
    assert (case.arm, case.truth, case.answer, case.traced) == ("stock", "disk", expected, True)
