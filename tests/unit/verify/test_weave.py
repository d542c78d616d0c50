"""Level weave: what the agent's answer means for a build, and which calls of a method differ."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from insync.brokers.kafka.java import Java
from insync.errors import InsyncError
from insync.progress import Progress
from insync.verify.levels import weave
from insync.verify.levels.weave import (
    ask,
    call_diff,
    checks_of,
    counterpart,
    known_build,
    short,
)

PARTITION = "kafka.cluster.Partition"
FETCH = f"{PARTITION}.fetchRecords(Lorg/apache/kafka/X;J)V"
ANSWER: dict[str, Any] = {
    "version": "4.3.1", "tested": True, "adapter": "v4_2", "problems": [], "unknown": [],
    "features": {"scopes": ["read", "request"], "step_down": True, "lag_policies": []},
    "woven": [f"{PARTITION}.fetchRecords"],
    "digests": {FETCH: "00"}, "calls": {FETCH: [f"{PARTITION}.readRecords()V"]},
}  # fmt: skip


def outcomes(answer: dict[str, Any], **options: Any) -> dict[str, str]:
    rows = checks_of(answer, None, "4.3.1", **{"wanted": True, "allowed": False, **options})
    return {row.of: row.outcome for row in rows}


def test_a_known_build_passes_and_its_features_are_observed() -> None:
    assert outcomes(ANSWER) == {
        "adapter": "pass", "symbols": "pass", "features": "observed", "methods": "pass",
    }  # fmt: skip
    rows = checks_of(ANSWER, None, "4.3.1", wanted=True, allowed=False)
    assert [row.found for row in rows if row.of == "features"] == [
        "read, request", "yes", "none",
    ]  # fmt: skip


def test_without_the_agent_nothing_is_expected() -> None:
    changed = {**ANSWER, "unknown": [FETCH], "problems": ["missing class X"]}
    assert set(outcomes(changed, wanted=False).values()) == {"observed"}


def test_each_missing_symbol_is_named() -> None:
    problems = ["missing method X.a()V", "missing field X.b of type I"]
    rows = checks_of({**ANSWER, "problems": problems}, None, None, wanted=True, allowed=True)
    assert [(row.outcome, row.found) for row in rows if row.of == "symbols"] == [
        ("fail", each) for each in problems
    ]


def test_a_version_without_an_adapter_fails_alone() -> None:
    answer = {"version": "2.0.0", "tested": False, "problems": ["this agent supports only 4.x"]}
    (row,) = checks_of(answer, None, None, wanted=True, allowed=False)
    assert (row.outcome, row.found) == ("fail", "2.0.0: none; this agent supports only 4.x")


@pytest.mark.parametrize(("allowed", "outcome"), [(False, "fail"), (True, "observed")])
def test_an_unknown_method_is_named_with_its_calls_and_needs_a_permission(
    outcome: str, *, allowed: bool
) -> None:
    calls = [f"{PARTITION}.readRecords()V", "a.Marks.add(I)V", f"{PARTITION}.last="]
    answer = {**ANSWER, "unknown": [FETCH], "calls": {FETCH: calls}}
    rows = checks_of(answer, ANSWER, "4.3.1", wanted=True, allowed=allowed)
    (row,) = [row for row in rows if row.expected.startswith("the instructions")]
    assert (row.of, row.baseline) == ("Partition.fetchRecords", "4.3.1")
    found, _, permission = row.found.partition("; --")
    assert found == "+ Marks.add; + Partition.last="
    assert permission == ("" if allowed else "allow-unknown-methods weaves it")
    assert row.outcome == outcome


def test_calls_that_differ() -> None:
    assert call_diff(["a.B.c()V", "a.B.c()V"], ["a.B.c()V"]) == "- B.c"
    assert call_diff(["a.B.c()V", "a.B.d()V"], ["a.B.d()V", "a.B.c()V"]) == (
        "the same calls in another order"
    )
    assert call_diff(["a.B.c()V"], ["a.B.c()V"]) == "other instructions, the same calls"
    assert call_diff(["a.B.c(I)V"], ["a.B.c(J)V", "x.Y.z()V", "x.Y.z()V"]) == (
        "+ Y.z (2 times); ~ B.c"
    )


def test_the_same_method_is_found_though_its_parameters_changed() -> None:
    calls: dict[str, list[str]] = {"a.B.c(I)V": [], "a.B.d(I)V": [], "a.B.d(J)V": []}
    assert counterpart("a.B.c(I)V", calls) == "a.B.c(I)V"
    assert counterpart("a.B.c(J)V", calls) == "a.B.c(I)V"
    assert counterpart("a.B.d(Z)V", calls) is None, "two have the name"
    assert short("a.b.C.<init>(I)V") == "C.<init>"


def test_the_known_build_is_the_same_version_or_the_one_that_the_adapter_is_made_for() -> None:
    assert known_build("4.0.2") == "4.0.2"
    assert known_build("4.3.1-ccs") == "4.3.1"
    assert known_build("4.2.7") == "4.3.1"
    assert known_build("2.0.0") is None


@pytest.mark.parametrize(
    ("stdout", "expected"),
    [("", "the agent ended with 1: Exception in main"), ("[]", "did not answer with an object")],
)
def test_an_agent_that_does_not_answer_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, stdout: str, expected: str
) -> None:
    done = subprocess.CompletedProcess([], 1, stdout, "Exception in main\nat x\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    monkeypatch.setattr(weave, "class_path", lambda *_: [Path("kafka.jar")])
    with pytest.raises(InsyncError, match=expected):
        ask("4.3.1", Java(Path("/java"), 17, "Java 17"), Progress())
