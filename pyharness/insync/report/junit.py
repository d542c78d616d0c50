"""Writes `junit.xml`: results as test results, in the form that Jenkins and Surefire read.

A result is a suite, and each of its checks a case. A failed check is a failure; one that could not
be made is an error, never a pass; what could not run here, and that of which nothing is expected,
is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from xml.etree import ElementTree as Xml

from insync.events.run_info import RunInfo
from insync.events.verdict import Cell, Finding, Verdict
from insync.lists import grouped
from insync.outcome import Outcome
from insync.report.matrix.cells import lacks
from insync.report.reproduce import run_command
from insync.result import Result

_COUNTS = {"failures": "failure", "errors": "error", "skipped": "skipped"}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML does not allow."""

_JUDGED = "judged"
"""The name of a case without an expectation."""

_MATRIX = "matrix"
"""The suite of what a whole matrix lacks."""

_RUN = "run"
"""Replaces the arm in the name of a case about the whole run."""


def run_suite(run: RunInfo, verdict: Verdict) -> Result:
    took_ms = (run.finished_ms or run.started_ms) - run.started_ms
    return Result(
        of=_suite_name(run.scenario_name, run.kafka),
        children=_cases_of_run(run, verdict),
        facts={
            "verdict": f"{verdict.verdict}: {verdict.reason}",
            "command": run_command(run),
            "began": datetime.fromtimestamp(run.started_ms / 1e3, UTC).isoformat(),
            **{name: str(value) for name, value in run.host.items()},
        },
        seconds=took_ms / 1e3,
    )


def matrix_suites(cells: Sequence[Cell]) -> list[Result]:
    """Return a suite per row of a matrix, in the order of its cells; then what the matrix lacks."""
    suites = [
        Result(
            of=_suite_name(*row), children=tuple(case for cell in own for case in _cases_of(cell))
        )
        for row, own in grouped(cells, lambda cell: (cell.scenario, cell.kafka)).items()
    ]
    whole = tuple(Result(of=_RUN, outcome=Outcome.UNKNOWN, found=words) for words in lacks(cells))
    return [*suites, *([Result(of=_MATRIX, children=whole)] if whole else [])]


def as_xml(name: str, suites: Sequence[Result]) -> str:
    cases = [case for suite in suites for _, case in _cases(suite)]
    seconds = sum(suite.seconds for suite in suites)
    root = Xml.Element("testsuites", _counted(name, cases, seconds))
    del root.attrib["skipped"]  # the schema of Jenkins has it for a suite only
    for suite in suites:
        root.append(_suite(suite))
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _cases_of_run(run: RunInfo, verdict: Verdict) -> tuple[Result, ...]:
    """Return a run's cases; without findings the verdict itself is the only one."""
    if run.skipped is not None:
        return tuple(Result(of=arm, outcome=Outcome.SKIPPED, found=run.skipped) for arm in run.arms)
    if not verdict.findings:
        return (Result(of=_RUN, outcome=verdict.verdict, found=verdict.reason),)
    return tuple(map(_of_finding, verdict.findings))


def _cases_of(cell: Cell) -> list[Result]:
    """Return a cell's cases; one that was skipped or not begun has only one."""
    if cell.findings:
        return [_of_finding(each) for each in cell.findings if each.arm]
    return [Result(of=cell.arm, outcome=cell.outcome, found=cell.reason)]


def _of_finding(each: Finding) -> Result:
    return Result(
        of=each.arm or _RUN, expected=each.expected, outcome=each.outcome, found=each.words
    )


def _suite_name(scenario: str, kafka: str) -> str:
    return f"{scenario} on Kafka {kafka}"


def _cases(suite: Result) -> list[tuple[str, Result]]:
    """Return the checks of a suite with their class names.

    Readers take the last part of a class name as the class, and the rest as a package.
    """
    return [(".".join((suite.of, *path)), case) for path, case in suite.checks()]


def _suite(suite: Result) -> Xml.Element:
    cases = _cases(suite)
    attributes = _counted(suite.of, [case for _, case in cases], suite.seconds)
    element = Xml.Element("testsuite", attributes)
    if suite.facts:
        properties = Xml.SubElement(element, "properties")
        for name, value in suite.facts.items():
            Xml.SubElement(properties, "property", {"name": name, "value": _clean(value)})
    element.extend(_case(*case) for case in cases)
    return element


def _case(of: str, case: Result) -> Xml.Element:
    # Repeats run once for all expectations: most cases have no time of their own.
    attributes = {"classname": _clean(of), "name": _clean(case.expected or _JUDGED)}
    element = Xml.Element("testcase", {**attributes, "time": f"{case.seconds:.3f}"})
    words = _clean(case.found)
    if case.outcome.tag is None:
        if words:
            Xml.SubElement(element, "system-out").text = words
        return element
    why = Xml.SubElement(element, case.outcome.tag, {"message": words})
    if case.outcome.is_problem:
        why.set("type", case.outcome)
        why.text = words
    return element


def _counted(name: str, cases: Sequence[Result], seconds: float) -> dict[str, str]:
    found = [case.outcome.tag for case in cases]
    return {
        "name": _clean(name),
        "tests": str(len(found)),
        **{key: str(found.count(tag)) for key, tag in _COUNTS.items()},
        "time": f"{seconds:.3f}",
    }


def _clean(text: str) -> str:
    return _NOT_XML.sub("?", text)
