"""Write the results as JUnit XML: a suite per arm and class, in the form of Maven's Surefire."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Final

from insync.kafka_tests.compare import Difference
from insync.kafka_tests.results import FAILED, PASSED, SKIPPED, ClassResult, TestResult

_MS: Final = 1000.0
# What XML 1.0 cannot contain.
_CONTROL: Final = re.compile(r"[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(
    baseline: Mapping[str, ClassResult],
    arms: Mapping[str, Mapping[str, ClassResult]],
    differences: Mapping[str, Sequence[Difference]],
) -> str:
    """Return the XML of all arms.

    A test that ended as in the baseline does not fail, even if it failed there, too. One that did
    so only when it was run again has a `flakyFailure`.
    """
    root = ET.Element("testsuites", name="insync kafka-tests")
    for arm, classes in arms.items():
        found = {each.id: each for each in differences.get(arm, ())}
        for name, result in classes.items():
            root.append(_suite(arm, name, result, baseline.get(name), found))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(
    arm: str,
    name: str,
    result: ClassResult,
    baseline: ClassResult | None,
    found: Mapping[str, Difference],
) -> ET.Element:
    lost = baseline.tests.keys() - result.tests.keys() if baseline else set()
    ids = [*result.tests, *sorted(lost & found.keys())]
    suite = ET.Element("testsuite", name=f"{arm}: {name}", time=f"{result.ms / _MS:.3f}")
    for id_ in ids:
        test = result.tests.get(id_)
        suite.append(_case(arm, name, test, found.get(id_)))
    cases = list(suite)
    for key, tag in (("failures", "failure"), ("skipped", "skipped")):
        suite.set(key, str(sum(case.find(tag) is not None for case in cases)))
    suite.set("tests", str(len(cases)))
    suite.set("errors", "0")
    return suite


def _case(arm: str, name: str, test: TestResult | None, found: Difference | None) -> ET.Element:
    shown = test.name if test else found.test.removeprefix(f"{name}.") if found else ""
    seconds = test.ms / _MS if test else 0.0
    case = ET.Element("testcase", classname=f"{arm}.{name}", name=_text(shown),
                      time=f"{seconds:.3f}")  # fmt: skip
    if found is not None and found.kind == "different":
        said = f"{found.baseline[0]} -> {found.outcomes[0]}"
        ET.SubElement(case, "failure", message=said).text = _text(found.detail)
    elif found is not None and found.kind == "known":
        ET.SubElement(case, "skipped", message=f"a known difference: {found.reason}")
    elif found is not None and PASSED in found.outcomes:
        flaky = ET.SubElement(case, "flakyFailure", message=_first_line(found.detail))
        ET.SubElement(flaky, "stackTrace").text = _text(found.detail)
    elif test is not None and test.outcome == SKIPPED:
        ET.SubElement(case, "skipped", message=_first_line(test.detail))
    elif test is not None and test.outcome == FAILED:
        ET.SubElement(case, "skipped", message="fails in the baseline, too")
    return case


def _first_line(text: str) -> str:
    return _text(text.partition("\n")[0])


def _text(text: str) -> str:
    return _CONTROL.sub("?", text)
