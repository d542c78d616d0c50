"""The comparison of Kafka's own tests across arms, on made-up JUnit reports."""

import json
from pathlib import Path

import pytest

from upstream import agent_arm
from upstream.results import (
    Result,
    class_of,
    differences,
    read_results,
    table,
    wrong_counts,
)
from upstream.run import compare

REPORT = """<testsuite>
<testcase name="one()" classname="kafka.ATest"/>
<testcase name="two(String)[1] a.b" classname="kafka.ATest"><failure>trace</failure></testcase>
<testcase name="three()" classname="kafka.BTest"><skipped>not here</skipped></testcase>
</testsuite>
"""
RESULTS = {
    "kafka.ATest.one()": Result("passed"),
    "kafka.ATest.two(String)[1] a.b": Result("failed", "trace"),
    "kafka.BTest.three()": Result("skipped", "not here"),
}


def test_a_report_is_read_test_by_test(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT)
    assert read_results(report) == RESULTS


def test_a_test_named_twice_is_refused(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    report.write_text(REPORT.replace("two(String)[1] a.b", "one()"))
    with pytest.raises(ValueError, match=r"kafka\.ATest\.one\(\) is there twice"):
        read_results(report)


def test_a_jvm_that_left_no_report_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no JUnit report"):
        read_results(tmp_path / "report.xml")


def test_dots_in_parameters_belong_to_the_method() -> None:
    assert class_of("kafka.ATest.two(String)[1] a.b") == "kafka.ATest"


def test_every_changed_missing_or_new_test_is_a_difference() -> None:
    arm = {
        "kafka.ATest.one()": Result("failed", "why"),
        "kafka.ATest.two(String)[1] a.b": Result("failed", "another trace"),
        "kafka.CTest.new()": Result("passed"),
    }
    assert differences(RESULTS, arm) == [
        ("kafka.ATest.one()", "passed", "failed", "why"),
        ("kafka.BTest.three()", "skipped", "not run", "not here"),
        ("kafka.CTest.new()", "not run", "passed", ""),
    ]
    assert differences(RESULTS, RESULTS) == []


def test_a_class_with_too_few_tests_is_reported() -> None:
    assert wrong_counts(RESULTS, {"kafka.ATest": 2, "kafka.BTest": 1}) == []
    assert wrong_counts(RESULTS, {"kafka.ATest": 3, "kafka.DTest": 1}) == [
        "kafka.ATest: 2 tests, expected 3",
        "kafka.BTest: 1 tests, expected 0",
        "kafka.DTest: 0 tests, expected 1",
    ]


def test_the_table_has_a_row_per_class_and_the_sum() -> None:
    assert table({"kafka.ATest": 2, "kafka.BTest": 1}, {"absent": RESULTS, "off": {}}) == [
        "run/passed/failed/skipped  absent   off",
        "ATest                      2/1/1/0  0/0/0/0",
        "BTest                      1/0/0/1  0/0/0/0",
        "all                        3/1/1/1  0/0/0/0",
    ]


@pytest.mark.parametrize(
    ("arm", "marks", "enable", "scope", "problems"),
    [
        ("off", 0, False, "read", 0),
        ("read", 7, True, "read", 0),
        ("request", 7, True, "request", 0),
        ("log-start", 0, False, "read", 0),
        ("off", 1, False, "read", 1),
        ("log-start", 7, False, "read", 1),
        ("read", 0, True, "read", 1),
        ("request", 7, True, "read", 1),
        ("request", 0, False, "read", 2),
    ],
)
def test_an_arm_must_be_what_it_is_called(
    arm: str, marks: int, enable: bool, scope: str, problems: int, tmp_path: Path
) -> None:
    starts = dict.fromkeys((agent_arm.BOUND, agent_arm.SNAPSHOT), arm == "log-start")
    event = {"type": "settings", agent_arm.ENABLE: enable, agent_arm.SCOPE: scope, **starts}
    (tmp_path / "events.jsonl").write_text(json.dumps(event) + "\n")
    line = f"JUnit > [insync] after kafka.ATest errors=0 {{marks_total={marks}, held_now=0}}\n"
    assert len(agent_arm.problems(arm, tmp_path, line)) == problems
    for failed in (f"[insync] error in x: y\n[insync] error in x: y\n{line}",
                   line.replace("errors=0", "errors=2")):  # fmt: skip
        assert len(agent_arm.problems(arm, tmp_path, failed)) == problems + 1


def test_a_jvm_without_a_report_is_one_fault_not_one_per_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "absent").mkdir()
    (tmp_path / "absent" / "TEST-junit-jupiter.xml").write_text(REPORT)
    expected = {"kafka.ATest": 2, "kafka.BTest": 1}
    assert compare(tmp_path, ["absent"], expected) == 0
    assert "\nthe same results in absent\n" in capsys.readouterr().out
    assert compare(tmp_path, ["absent", "read"], expected) == 1
    printed = capsys.readouterr().out
    assert printed.count("\nread: ") == 1
    assert "\nNOT the same results in absent, read\n" in printed
