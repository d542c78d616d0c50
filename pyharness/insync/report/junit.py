"""Writes `junit.xml`: findings as test results, in the form that Jenkins and Surefire read.

There is a suite per scenario and version, and a case per expectation of an arm. A broken
expectation is a failure; one that could not be checked is an error, never a pass; a scenario
that could not run here, and an arm of which nothing is expected, are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree import ElementTree as Xml

from insync.events.run_info import RunInfo
from insync.outcome import Outcome
from insync.report.judgement import Finding, Judgement
from insync.report.matrix.cells import MatrixCell, lacks
from insync.report.reproduce import run_command

_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""

_JUDGED = "judged"
"""The one case of a skipped arm, or of a verdict without findings."""

_MATRIX = "matrix"
"""The suite of what a whole matrix lacks."""

_RUN = "run"
"""Replaces the arm in the name of a case about the whole run."""


@dataclass(frozen=True)
class Case:
    """One test case: its class, its name, its outcome, and the text for it."""

    of: str
    name: str
    outcome: Outcome
    words: str


@dataclass(frozen=True)
class Suite:
    """The cases of a scenario on a version, and how long it took."""

    name: str
    cases: Sequence[Case]
    properties: Sequence[tuple[str, str]] = ()
    seconds: float = 0.0


def run_suite(run: RunInfo, verdict: Judgement) -> Suite:
    """Return the suite of a run."""
    took_ms = (run.finished_ms or run.started_ms) - run.started_ms
    return Suite(
        name=_suite_name(run.scenario_name, run.kafka),
        cases=_cases_of_run(run, verdict),
        properties=[
            ("verdict", f"{verdict.verdict}: {verdict.reason}"),
            ("command", run_command(run)),
            ("began", datetime.fromtimestamp(run.started_ms / 1e3, UTC).isoformat()),
            *((name, str(value)) for name, value in run.host.items()),
        ],
        seconds=took_ms / 1e3,
    )


def matrix_suites(cells: Sequence[MatrixCell]) -> list[Suite]:
    """Return a suite per row of a matrix, in the order of its cells; then what the matrix lacks."""
    rows: dict[tuple[str, str], list[Case]] = {}
    for cell in cells:
        rows.setdefault((cell.scenario, cell.kafka), []).extend(_cases_of_cell(cell))
    suites = [Suite(_suite_name(*row), cases) for row, cases in rows.items()]
    whole = [Case(_MATRIX, _JUDGED, Outcome.UNKNOWN, words) for words in lacks(cells)]
    return [*suites, *([Suite(_MATRIX, whole)] if whole else [])]


def as_xml(name: str, suites: Sequence[Suite]) -> str:
    """Return the whole file."""
    cases = [case for suite in suites for case in suite.cases]
    seconds = sum(suite.seconds for suite in suites)
    root = Xml.Element("testsuites", _counted(name, cases, seconds))
    del root.attrib["skipped"]  # the schema of Jenkins has it for a suite only
    for suite in suites:
        root.append(_suite(suite))
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _cases_of_run(run: RunInfo, verdict: Judgement) -> list[Case]:
    """Return a run's cases; without findings the verdict itself is the only one."""
    if run.skipped is not None:
        return [
            Case(_class(run.kafka, run.scenario_name, arm), _JUDGED, Outcome.SKIPPED, run.skipped)
            for arm in run.arms
        ]
    if not verdict.findings:
        whole = _class(run.kafka, run.scenario_name, _RUN)
        return [Case(whole, _JUDGED, verdict.verdict, verdict.reason)]
    return _cases(run.kafka, run.scenario_name, verdict.findings)


def _cases_of_cell(cell: MatrixCell) -> list[Case]:
    """Return a cell's cases; one that was skipped or not begun has only one."""
    if cell.findings:
        return _cases(cell.kafka, cell.scenario, [each for each in cell.findings if each.arm])
    return [Case(_class(cell.kafka, cell.scenario, cell.arm), _JUDGED, cell.state, cell.reason)]


def _cases(kafka: str, scenario: str, found: Sequence[Finding]) -> list[Case]:
    return [
        Case(_class(kafka, scenario, each.arm or _RUN), each.expected, each.outcome, each.found)
        for each in found
    ]


def _suite_name(scenario: str, kafka: str) -> str:
    return f"{scenario} on Kafka {kafka}"


def _class(kafka: str, scenario: str, arm: str) -> str:
    """Return a name whose last part is the arm: readers take the rest as a package."""
    return f"kafka-{kafka}.{scenario}.{arm}"


def _suite(suite: Suite) -> Xml.Element:
    element = Xml.Element("testsuite", _counted(suite.name, suite.cases, suite.seconds))
    if suite.properties:
        properties = Xml.SubElement(element, "properties")
        for name, value in suite.properties:
            Xml.SubElement(properties, "property", {"name": name, "value": _clean(value)})
    element.extend(_case(case) for case in suite.cases)
    return element


def _case(case: Case) -> Xml.Element:
    # Repeats run once for all expectations: no case has a time of its own.
    attributes = {"classname": _clean(case.of), "name": _clean(case.name), "time": "0"}
    element = Xml.Element("testcase", attributes)
    if case.outcome.tag is None:
        if case.words:
            Xml.SubElement(element, "system-out").text = _clean(case.words)
        return element
    why = Xml.SubElement(element, case.outcome.tag, {"message": _clean(case.words)})
    if why.tag != "skipped":
        why.set("type", case.outcome)
        why.text = _clean(case.words)
    return element


def _counted(name: str, cases: Sequence[Case], seconds: float) -> dict[str, str]:
    """Return the attributes of a suite: its name, and its cases counted by outcome."""
    found = [case.outcome.tag for case in cases]
    return {
        "name": _clean(name),
        "tests": str(len(found)),
        **{key: str(found.count(tag)) for key, tag in _COUNTS.items()},
        "time": f"{seconds:.3f}",
    }


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)
