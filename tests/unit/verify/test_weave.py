"""Level weave: what the agent's answer means for a build."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from insync.brokers.kafka.java import Java
from insync.errors import InsyncError
from insync.progress import Progress
from insync.verify.levels import weave
from insync.verify.levels.weave import ask, checks_of, short

PARTITION = "kafka.cluster.Partition"
FETCH = f"{PARTITION}.fetchRecords(Lorg/apache/kafka/X;J)V"
ANSWER: dict[str, Any] = {
    "version": "4.3.1", "tested": True, "adapter": "v4_2", "problems": [], "unknown": [],
    "features": {"scopes": ["read", "request"], "step_down": True, "lag_policies": []},
    "woven": [f"{PARTITION}.fetchRecords"],
    "digests": {FETCH: "00"},
}  # fmt: skip


def outcomes(answer: dict[str, Any], **options: Any) -> dict[str, str]:
    rows = checks_of(answer, **{"wanted": True, "allowed": False, **options})
    return {row.of: row.outcome for row in rows}


def test_a_known_build_passes_and_its_features_are_observed() -> None:
    assert outcomes(ANSWER) == {
        "adapter": "pass", "symbols": "pass", "features": "observed", "methods": "pass",
    }  # fmt: skip
    rows = checks_of(ANSWER, wanted=True, allowed=False)
    assert [row.found for row in rows if row.of == "features"] == [
        "read, request", "yes", "none",
    ]  # fmt: skip


def test_without_the_agent_nothing_is_expected() -> None:
    changed = {**ANSWER, "unknown": [FETCH], "problems": ["missing class X"]}
    assert set(outcomes(changed, wanted=False).values()) == {"observed"}


def test_each_missing_symbol_is_named() -> None:
    problems = ["missing method X.a()V", "missing field X.b of type I"]
    rows = checks_of({**ANSWER, "problems": problems}, wanted=True, allowed=True)
    assert [(row.outcome, row.found) for row in rows if row.of == "symbols"] == [
        ("fail", each) for each in problems
    ]


def test_a_version_without_an_adapter_fails_alone() -> None:
    answer = {"version": "2.0.0", "tested": False, "problems": ["this agent supports only 4.x"]}
    (row,) = checks_of(answer, wanted=True, allowed=False)
    assert (row.outcome, row.found) == ("fail", "2.0.0: none; this agent supports only 4.x")


@pytest.mark.parametrize(("allowed", "outcome"), [(False, "fail"), (True, "observed")])
def test_an_unknown_method_is_named_and_needs_a_permission(outcome: str, *, allowed: bool) -> None:
    rows = checks_of({**ANSWER, "unknown": [FETCH]}, wanted=True, allowed=allowed)
    (row,) = [row for row in rows if row.expected.startswith("the instructions")]
    assert row.of == "Partition.fetchRecords"
    found, _, permission = row.found.partition("; --")
    assert found == "differs from every known build"
    assert permission == ("" if allowed else "allow-unknown-methods weaves it")
    assert row.outcome == outcome


def test_a_method_is_named_without_packages_and_parameters() -> None:
    assert short("a.b.C.<init>(I)V") == "C.<init>"


def test_an_agent_that_does_not_answer_is_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = subprocess.CompletedProcess([], 1, "", "Exception in main\nat x\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    monkeypatch.setattr(weave, "class_path", lambda *_: [Path("kafka.jar")])
    with pytest.raises(InsyncError, match="the agent ended with 1: Exception in main"):
        ask("4.3.1", Java(Path("/java"), 17, "Java 17"), Progress())
