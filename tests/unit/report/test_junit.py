"""JUnit XML that CI tools accept: counts add up, and nothing passes without evidence."""

from xml.etree import ElementTree as Xml

import pytest

from insync.analysis.verdict.decide import OBSERVED, decide
from insync.analysis.verdict.facts import RunFacts
from insync.events.run_info import RunInfo
from insync.events.verdict import Cell
from insync.outcome import Outcome
from insync.report.junit import as_xml, matrix_suites, run_suite
from unit.verdict.made_up import cell, verdict, with_scenario
from unit.verdict.test_decide import PLUGIN, RUN, STOCK, measured, run_of

HELD = {"expected": "isr_shrinks at most 0", "outcome": "pass", "found": ["0"]}


def written(run: RunInfo, facts: RunFacts) -> Xml.Element:
    suite = run_suite(run, decide(run, facts))
    return Xml.fromstring(as_xml("insync run", [suite]))  # noqa: S314 - our own


def matrix_of(*cells: Cell) -> Xml.Element:
    return Xml.fromstring(as_xml("insync matrix", matrix_suites(cells)))  # noqa: S314 - our own


def counts(element: Xml.Element) -> tuple[int, ...]:
    return tuple(
        int(element.attrib.get(key, len(list(element.iter("skipped")))))
        for key in ("tests", "failures", "errors", "skipped")
    )


def test_a_run_is_one_suite_with_a_case_per_expectation_of_each_arm() -> None:
    root = written(RUN, run_of())
    (suite,) = root
    assert (root.tag, suite.tag) == ("testsuites", "testsuite")
    assert suite.attrib["name"] == "made-up on Kafka 4.3.1"
    assert counts(root) == counts(suite) == (10, 0, 0, 0)
    cases = [(case.attrib["classname"], case.attrib["name"]) for case in suite.iter("testcase")]
    assert cases[-1] == ("made-up on Kafka 4.3.1.plugin", "isr_shrinks at most 0")
    assert len(set(cases)) == len(cases)
    properties = {each.attrib["name"]: each.attrib["value"] for each in suite.iter("property")}
    assert properties["verdict"].startswith("pass: in each of 2 repeats")
    assert properties["command"].startswith("insync run ")
    assert (properties["began"][:10], properties["java"]) == ("2026-09-21", "17.0.15")


def test_a_broken_expectation_is_a_failure_with_the_verdicts_text() -> None:
    root = written(RUN, run_of(plugin=measured(PLUGIN, isr_shrinks=2.0)))
    assert counts(root) == (10, 1, 0, 0)
    (failure,) = root.iter("failure")
    words = "plugin, repeat 2: isr_shrinks was 2, expected at most 0"
    assert (failure.attrib["message"], failure.text) == (words, words)


def test_a_finding_without_evidence_is_an_error_never_a_pass() -> None:
    root = written(RUN, run_of(stock=measured(STOCK, acked=None)))
    assert counts(root)[1:] == (0, 4, 0)
    assert all("no data for acked" in error.attrib["message"] for error in root.iter("error"))


def test_a_run_that_could_not_start_is_skipped_per_arm() -> None:
    root = written(RUN.model_copy(update={"skipped": "no cgroup"}), run_of())
    assert counts(root) == (2, 0, 0, 2)
    assert {each.attrib["message"] for each in root.iter("skipped")} == {"no cgroup"}


@pytest.mark.parametrize("outcome", ["pass", "unknown", "fail"])
def test_a_verdict_without_findings_is_never_an_empty_suite(outcome: Outcome) -> None:
    suite = run_suite(RUN, verdict(verdict=outcome, reason="as it was"))
    root = Xml.fromstring(as_xml("insync run", [suite]))  # noqa: S314 - our own
    assert counts(root) == (1, outcome == "fail", outcome == "unknown", 0)


@pytest.mark.parametrize(
    ("outcome", "tag"),
    [("unknown", "error"), ("skipped", "skipped"), ("observed", "skipped"), ("fail", "failure")],
)
def test_a_cell_without_findings_is_one_case_with_its_reason(outcome: str, tag: str) -> None:
    root = matrix_of(cell(outcome=outcome, reason="the matrix was cut short"))
    (case,) = root[0].iter("testcase")
    assert [(each.tag, each.attrib["message"]) for each in case] == [
        (tag, "the matrix was cut short")
    ]


def test_an_arm_of_which_nothing_is_expected_is_a_skipped_case_with_the_reason() -> None:
    expect = {"plugin": RUN.scenario.expect["plugin"]}
    root = written(with_scenario(RUN, expect=expect), run_of())
    assert counts(root) == (10, 0, 0, 1)
    (skipped,) = root.iter("skipped")
    assert skipped.attrib["message"] == OBSERVED


def test_what_a_whole_matrix_lacks_is_an_error_of_its_own() -> None:
    held = [{**HELD, "arm": "stock"}]
    root = matrix_of(cell(findings=held, not_run="the arm x was not run"))
    assert [suite.attrib["name"] for suite in root] == ["read-stall on Kafka 4.3.1", "matrix"]
    (error,) = root.iter("error")
    assert error.attrib["message"] == "the arm x was not run"


def test_a_matrix_has_a_suite_per_scenario_and_version() -> None:
    cells = [
        cell(arm=arm, kafka=kafka, findings=[{**HELD, "arm": arm}])
        for kafka in ("4.3.1", "3.9.2")
        for arm in ("stock", "request")
    ]
    root = matrix_of(*cells)
    assert [(suite.attrib["name"], counts(suite)) for suite in root] == [
        ("read-stall on Kafka 4.3.1", (2, 0, 0, 0)),
        ("read-stall on Kafka 3.9.2", (2, 0, 0, 0)),
    ]
    assert counts(root) == (4, 0, 0, 0)


def test_characters_that_xml_forbids_do_not_break_the_file() -> None:
    reason = 'broker: "\x1b[31mno\x00" & <so>'
    root = matrix_of(cell(outcome="fail", reason=reason))
    (failure,) = root.iter("failure")
    assert failure.attrib["message"] == 'broker: "?[31mno?" & <so>'
