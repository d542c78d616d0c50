"""A whole run with a stand-in for Java: the cache of the baseline, repetitions, the verdict."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from insync.brokers.kafka import cache
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.versions import Release
from insync.kafka_tests.classes import TestClass
from insync.kafka_tests.judge import JUNIT, RESULT, TestsResult
from insync.kafka_tests.request import BASELINE, TestsPlan, TestsRequest
from insync.kafka_tests.run import run
from unit.kafka_tests.fakes import fake_side

Ends = dict[str, dict[str, str | list[str]]]
ALL: Ends = {"T.A": {"a": "passed", "b": "failed", "c": "skipped"}, "T.B": {"d": "passed"}}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.ROOT_VARIABLE, str(tmp_path / "cache"))


def plan(folder: Path, baseline: Ends, arm: Ends, out: str = "out") -> TestsPlan:
    release = Release(version="0.0.1", jars=())
    return TestsPlan(
        request=TestsRequest(kafka="0.0.1"),
        candidate=release,
        baseline=release,
        out=folder / out,
        java=Java(folder, 17, "a Java"),
        classes=(TestClass("T.A", "one"), TestClass("T.B", "two")),
        arms=("absent",),
        sides=(fake_side(BASELINE, folder, baseline), fake_side("absent", folder, arm)),
        digests=("jars", "tests"),
    )


def done(plan: TestsPlan) -> tuple[TestsResult, list[str]]:
    told: list[str] = []
    return run(plan, told.append), told


def changed(test: str, outcome: str | list[str]) -> Ends:
    return {name: {id_: outcome if id_ == test else end for id_, end in tests.items()}
            for name, tests in ALL.items()}  # fmt: skip


def cases(plan: TestsPlan) -> dict[str, list[str]]:
    root = ET.parse(plan.out / JUNIT).getroot()  # noqa: S314  # our own file
    return {case.get("name") or "": [child.tag for child in case] for case in root.iter("testcase")}


def test_the_same_results_pass(tmp_path: Path) -> None:
    asked = plan(tmp_path, ALL, ALL)
    result, _ = done(asked)
    assert (result.verdict, result.reason) == (
        "pass",
        "the same results in absent as in the baseline",
    )
    row = next(row for row in result.rows if (row.arm, row.name) == ("absent", "T.A"))
    assert (row.tests, row.passed, row.failed, row.skipped, row.different) == (3, 1, 1, 1, 0)
    assert json.loads((asked.out / RESULT).read_text())["verdict"] == "pass"
    # What fails in the baseline, too, is not a failure of the arm.
    assert cases(asked) == {"a": [], "b": ["skipped"], "c": ["skipped"], "d": []}


def test_a_test_that_keeps_failing_fails_the_arm(tmp_path: Path) -> None:
    asked = plan(tmp_path, ALL, changed("a", "failed"))
    result, told = done(asked)
    assert (result.verdict, result.reason) == (
        "fail", "absent: T.A.a: passed -> failed, then failed, then failed",
    )  # fmt: skip
    assert "again-1: 2 tests" in told
    assert "again-2: 2 tests" in told
    assert cases(asked)["a"] == ["failure"]


def test_a_test_that_passes_when_run_again_is_flaky(tmp_path: Path) -> None:
    asked = plan(tmp_path, ALL, changed("a", ["failed", "passed"]))
    result, told = done(asked)
    assert result.verdict == "pass"
    assert [(each.test, each.kind) for each in result.differences["absent"]] == [("T.A.a", "flaky")]
    assert "again-2: 2 tests" not in told
    assert cases(asked)["a"] == ["flakyFailure"]


def test_a_class_in_which_most_tests_fail_is_not_run_again(tmp_path: Path) -> None:
    many = {f"t{number}": "passed" for number in range(31)}
    asked = plan(tmp_path, {**ALL, "T.B": {**many}}, {**ALL, "T.B": dict.fromkeys(many, "failed")})
    result, told = done(asked)
    assert result.verdict == "fail"
    assert not any(line.startswith("again") for line in told)


def test_the_baseline_is_run_once_for_all_runs(tmp_path: Path) -> None:
    done(plan(tmp_path, ALL, ALL))
    result, told = done(plan(tmp_path, {}, ALL, "second"))
    assert result.verdict == "pass"
    assert told[0] == "baseline: 2 of 2 classes are in the cache"
    assert not any(line.startswith("baseline: A") for line in told)


def test_a_test_of_the_baseline_that_failed_by_chance_is_corrected(tmp_path: Path) -> None:
    result, _ = done(plan(tmp_path, changed("a", ["failed", "passed"]), ALL))
    assert result.verdict == "pass"
    assert [each.kind for each in result.differences["absent"]] == ["flaky"]
    result, told = done(plan(tmp_path, {}, ALL, "second"))
    assert told[0] == "baseline: 2 of 2 classes are in the cache"
    assert (result.verdict, result.differences["absent"]) == ("pass", [])


def test_a_baseline_that_does_not_run_makes_the_result_unknown(tmp_path: Path) -> None:
    result, _ = done(plan(tmp_path, {}, ALL))
    assert result.verdict == "unknown"
    assert result.reason == "baseline: not run: A, B"
    assert "exit code 2: Exception: no class T." in result.arms[0].problems[1]


def test_an_arm_that_does_not_start_is_unknown(tmp_path: Path) -> None:
    result, _ = done(plan(tmp_path, ALL, {}))
    assert result.verdict == "unknown"
    assert result.reason == "absent: not run: A, B"


def test_a_jvm_that_ends_in_a_class_is_a_difference(tmp_path: Path) -> None:
    result, _ = done(plan(tmp_path, ALL, changed("a", "crash")))
    assert result.verdict == "fail"
    assert result.arms[1].problems[0].startswith("T.A.a: passed -> failed")


def test_classes_that_have_run_are_not_run_again(tmp_path: Path) -> None:
    done(plan(tmp_path, ALL, ALL))
    _, told = done(plan(tmp_path, ALL, ALL))
    assert told == []


def test_a_class_of_the_baseline_whose_jvm_ended_is_run_again(tmp_path: Path) -> None:
    result, _ = done(plan(tmp_path, changed("a", "crash"), ALL))
    assert result.verdict == "unknown"
    assert result.reason == "baseline: T.A: the JVM ended with exit code 134"
    result, told = done(plan(tmp_path, ALL, ALL))
    assert result.verdict == "pass"
    assert told == ["baseline: A"]
