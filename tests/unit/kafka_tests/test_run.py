"""A whole run with a stand-in for Java: repetitions, the verdict."""

from pathlib import Path

from insync.brokers.kafka.java import Java
from insync.brokers.kafka.versions import Release
from insync.engine.campaign import Options, campaign_folder, run_campaign
from insync.kafka_tests.classes import TestClass
from insync.kafka_tests.request import BASELINE, TestsPlan, TestsRequest
from insync.kafka_tests.run import KafkaTests, run
from insync.outcome import Outcome
from insync.progress import Progress
from insync.report.result_page import render_result
from insync.result import Result
from unit.kafka_tests.fakes import fake_side

Ends = dict[str, dict[str, str | list[str]]]
ALL: Ends = {"T.A": {"a": "passed", "b": "failed", "c": "skipped"}, "T.B": {"d": "passed"}}


def plan(folder: Path, baseline: Ends, arm: Ends) -> TestsPlan:
    release = Release(version="0.0.1", jars=())
    return TestsPlan(
        request=TestsRequest(kafka="0.0.1"),
        candidate=release,
        baseline=release,
        out=folder / "out",
        java=Java(folder, 17, "a Java"),
        classes=(TestClass("T.A", "one"), TestClass("T.B", "two")),
        sides=(fake_side(BASELINE, folder, baseline), fake_side("absent", folder, arm)),
        asked={"candidate": "jars", "baseline": "jars", "tests": "tests"},
    )


def done(plan: TestsPlan) -> tuple[Result, list[str]]:
    told: list[str] = []
    return run(plan, told.append), told


def changed(test: str, outcome: str | list[str]) -> Ends:
    return {name: {id_: outcome if id_ == test else end for id_, end in tests.items()}
            for name, tests in ALL.items()}  # fmt: skip


def ends(result: Result) -> dict[str, tuple[Outcome, str]]:
    return {path[-1]: (check.outcome, check.found) for path, check in result.children[1].checks()}


def test_the_same_results_pass(tmp_path: Path) -> None:
    asked = plan(tmp_path, ALL, ALL)
    result, _ = done(asked)
    assert result.outcome == "pass"
    assert ends(result) == {
        "A": ("pass", "1 of 3 passed, 1 failed, 1 skipped"),
        "B": ("pass", "1 of 1 passed"),
    }
    assert result.facts["CPU seconds"] == "baseline 0, absent 0"
    assert "Kafka 0.0.1: 3 checks, none failed" in render_result(result, KafkaTests(asked))


def test_a_test_that_keeps_failing_fails_the_arm(tmp_path: Path) -> None:
    asked = plan(tmp_path, ALL, changed("a", "failed"))
    result, told = done(asked)
    failed = "different, failed, then failed, then failed: failed"
    assert ends(result) == {
        "other tests": ("pass", "0 of 3 passed, 2 failed, 1 skipped"), "a": ("fail", failed),
        "B": ("pass", "1 of 1 passed"),
    }  # fmt: skip
    assert result.reason == f"absent, A, a: {failed}"
    assert "again-1: 2 tests" in told
    assert "again-2: 2 tests" in told


def test_a_test_that_passes_when_run_again_is_flaky(tmp_path: Path) -> None:
    asked = plan(tmp_path, ALL, changed("a", ["failed", "passed"]))
    result, told = done(asked)
    assert result.outcome == "pass"
    assert ends(result)["a"] == ("observed", "flaky, failed, then passed: failed")
    assert "again-2: 2 tests" not in told


def test_a_baseline_that_does_not_run_makes_the_result_unknown(tmp_path: Path) -> None:
    result, _ = done(plan(tmp_path, {}, ALL))
    assert result.outcome == "unknown"
    assert result.reason.startswith("baseline, classes: not run: A, B")
    assert "exit code 2: Exception: no class T." in result.children[0].children[1].found


def test_a_class_without_tests_makes_the_result_unknown(tmp_path: Path) -> None:
    empty: Ends = {**ALL, "T.B": {}}
    result, _ = done(plan(tmp_path, empty, empty))
    assert (result.outcome, result.reason) == (
        "unknown", "baseline, classes: T.B: no test (and 1 more)",
    )  # fmt: skip


def test_a_jvm_that_ends_in_a_class_is_a_difference(tmp_path: Path) -> None:
    result, _ = done(plan(tmp_path, ALL, changed("a", "crash")))
    assert result.outcome == "fail"
    assert ends(result)["a"][1].startswith("different, failed")


def test_a_class_of_the_baseline_whose_jvm_ended_is_run_again(tmp_path: Path) -> None:
    result, told = done(plan(tmp_path, changed("a", "crash"), ALL))
    assert result.outcome == "unknown"
    assert result.reason == "baseline, classes: T.A: the JVM ended with exit code 134 (and 1 more)"
    assert {of: end for of, (end, _) in ends(result).items()} == {"A": "unknown", "B": "pass"}
    assert not any(line.startswith("again") for line in told), "there is nothing to compare with"
    result, told = done(plan(tmp_path, ALL, ALL))
    assert result.outcome == "pass"
    assert told == ["baseline: A"]


def test_a_resumed_campaign_runs_what_was_unknown(tmp_path: Path) -> None:
    def campaign(arm: Ends, *, resume: bool) -> Result:
        made = KafkaTests(plan(tmp_path, ALL, arm))
        options = Options(out=tmp_path / "campaign", resume=resume)
        return run_campaign(made, options, Progress(), campaign_folder(made, options))

    first = campaign({}, resume=False)
    assert first.outcome == "unknown"
    assert first.reason.startswith("absent, classes: not run: A, B"), "the arm does not start"
    assert campaign(ALL, resume=True).outcome == "pass"
    assert Result.read(tmp_path / "campaign" / "verdict.json", "a result").outcome == "pass"
