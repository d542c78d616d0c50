"""Results of one arm's JVM, read from JUnit's XML, and how two arms differ. Runs nothing."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

OUTCOMES = ("passed", "failed", "skipped")
ABSENT = "absent"


@dataclass(frozen=True)
class Result:
    """How one test ended, and the stack trace or the reason if it did not pass."""

    outcome: str
    detail: str = ""


Results = Mapping[str, Result]
"""From a test's name, CLASS.METHOD as JUnit's XML has it, to its result."""


def read_results(report: Path) -> dict[str, Result]:
    """Read one JUnit XML file; ValueError if it is none or names a test twice."""
    try:
        cases = list(ET.parse(report).getroot().iter("testcase"))  # noqa: S314  # our own JVM wrote it
    except (OSError, ET.ParseError) as error:
        raise ValueError(f"{report}: no JUnit report: {error}") from error
    results: dict[str, Result] = {}
    for case in cases:
        name = f"{case.get('classname')}.{case.get('name')}"
        if name in results:
            raise ValueError(f"{report}: {name} is there twice, so results cannot be told apart")
        results[name] = _result(case)
    return results


def _result(case: ET.Element) -> Result:
    for tag, outcome in (("failure", "failed"), ("error", "failed"), ("skipped", "skipped")):
        found = case.find(tag)
        if found is not None:
            return Result(outcome, (found.text or found.get("message") or "").strip())
    return Result("passed")


def class_of(name: str) -> str:
    """Return the class in a test's name; the method may have dots in its parameters."""
    return name.partition("(")[0].rpartition(".")[0]


def counts(results: Results) -> dict[str, Counter[str]]:
    """Return per class how many tests ended how."""
    table: dict[str, Counter[str]] = {}
    for name, result in results.items():
        table.setdefault(class_of(name), Counter())[result.outcome] += 1
    return table


def wrong_counts(results: Results, expected: Mapping[str, int]) -> list[str]:
    """Say in which classes not as many tests ran as this version of Kafka has."""
    found = {name: outcomes.total() for name, outcomes in counts(results).items()}
    return [
        f"{name}: {found.get(name, 0)} tests, expected {expected.get(name, 0)}"
        for name in sorted(found.keys() | expected.keys())
        if found.get(name, 0) != expected.get(name, 0)
    ]


def differences(absent: Results, arm: Results) -> list[tuple[str, str, str, str]]:
    """Return (test, outcome in absent, outcome in the arm, the detail of what did not pass)."""
    gone = Result("not run")
    changed = []
    for name in sorted(absent.keys() | arm.keys()):
        before, after = absent.get(name, gone), arm.get(name, gone)
        if before.outcome != after.outcome:
            changed.append((name, before.outcome, after.outcome, after.detail or before.detail))
    return changed


def table(expected: Mapping[str, int], arms: Mapping[str, Results]) -> list[str]:
    """Lay out class x arm as lines: run/passed/failed/skipped, and the sum."""
    heads = ["run/passed/failed/skipped", *arms]
    by_arm = [counts(results) for results in arms.values()]
    rows = [[name.rpartition(".")[2], *(_cell([c.get(name, Counter())]) for c in by_arm)]
            for name in expected]  # fmt: skip
    rows.append(["all", *(_cell(list(c.values())) for c in by_arm)])
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    return ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip()
            for row in [heads, *rows]]  # fmt: skip


def _cell(classes: list[Counter[str]]) -> str:
    whole = sum(classes, Counter())
    return "/".join(str(n) for n in (whole.total(), *(whole[outcome] for outcome in OUTCOMES)))
