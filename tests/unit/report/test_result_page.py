import re
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from insync.errors import InputError
from insync.outcome import Outcome
from insync.report.junit import as_xml
from insync.report.render import MOST_BYTES
from insync.report.result_page import Words, overview, problems, render_result, write_result
from insync.result import Result, Table
from unit.report.made_up_results import FAILED, PASSED, SEEN, UNKNOWN, part, whole


class Verified(Words):
    name = "verify"
    says = "a build beside a baseline"
    part = "level"
    notes = ("Read it.",)


WORDS = Verified()


@pytest.fixture
def result() -> Result:
    cut = Result(of="tests", outcome=Outcome.UNKNOWN, found="could not run: no broker")
    return whole(part("weave", SEEN, PASSED), part("faults", PASSED, FAILED, UNKNOWN), cut)


def test_a_parent_is_its_worst_child_whatever_it_was_given() -> None:
    inner = Result(of="inner", outcome=Outcome.PASS, children=(PASSED, FAILED))
    assert inner.outcome == Outcome.FAIL
    assert whole(part("a", PASSED), inner).outcome == Outcome.FAIL
    assert whole(part("a", PASSED, SEEN)).outcome == Outcome.PASS


def test_the_reason_names_the_first_problem_and_counts_the_others(result: Result) -> None:
    assert result.reason == "faults, send-stall: expected isr_shrinks == 0, found 3"
    assert part("faults", FAILED, FAILED).reason.endswith("(and 1 more)")
    assert part("faults", PASSED).reason == "1 check passed"
    assert part("weave", SEEN).reason == "nothing was judged: 1 observed"


def test_a_file_is_read_as_it_was_written(tmp_path: Path, result: Result) -> None:
    write_result(tmp_path, result, WORDS)
    names = {each.name for each in tmp_path.iterdir()}
    assert names == {"verdict.json", "report.html", "junit.xml"}
    assert Result.read(tmp_path / "verdict.json", "a result") == result


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[]", "not a result"),
        ("{", "not a result"),
        ('{"schema": 2}', "schema 2, expected 1"),
        ('{"schema": 1, "of": "x", "outcome": "good"}', "outcome: Input should be"),
    ],
)
def test_a_file_of_another_form_is_named_with_the_reason(
    tmp_path: Path, text: str, why: str
) -> None:
    file = tmp_path / "verdict.json"
    file.write_text(text)
    with pytest.raises(InputError, match=re.escape(f"{file}: ") + ".*" + re.escape(why)):
        Result.read(file, "a result")
    with pytest.raises(InputError, match=r"not a result \(other.json: No such file"):
        Result.read(tmp_path / "other.json", "a result")


def test_nothing_judged_is_unknown_as_a_verdict() -> None:
    assert '"verdict": "unknown"' in whole(part("weave", SEEN)).as_json()


def test_the_page_has_every_check_and_needs_no_other_file(result: Result) -> None:
    page = render_result(result, WORDS)
    for check in (PASSED, FAILED, SEEN):
        assert f'>{check.of}</th><td data-name="expected">{check.expected}<' in page
    assert 'href="faults/01/candidate/r/report.html"' in page
    assert "&lt;b&gt;|&lt;/b&gt;" in page, "texts are escaped"
    assert "could not run: no broker" in page
    assert "Paired differences" in page
    assert not re.search(r"(src|href)=\"(https?:)?//", page)
    assert "My build: 1 of 5 checks failed, 2 unknown" in page


def test_a_large_page_leaves_out_checks_that_passed_and_says_how_many() -> None:
    passed = PASSED.model_copy(update={"found": "x" * 200})
    page = render_result(whole(part("faults", *[passed] * 3_000, FAILED)), WORDS)
    assert len(page.encode()) <= MOST_BYTES
    assert re.search(r"\d+ more checks passed; verdict.json has them", page)
    assert FAILED.found in page


def test_the_overview_counts_the_checks_of_each_child(result: Result) -> None:
    table = overview(result, "level")
    assert " ".join(table.columns) == "level outcome passed failed unknown observed time why"
    assert [row[2:7] for row in table.rows] == [
        ["1", "0", "0", "1", "1 min 1 s"], ["1", "1", "1", "0", "1 min 1 s"],
        ["0", "0", "1", "0", "0 s"],
    ]  # fmt: skip


def test_failures_come_before_what_is_unknown(result: Result) -> None:
    found = problems(whole(part("first", UNKNOWN), *result.children))
    assert [each.outcome for _, each in found] == ["fail", "unknown", "unknown", "unknown"]


def test_the_test_results_have_a_suite_per_child_and_a_case_per_check(result: Result) -> None:
    root = Xml.fromstring(as_xml("insync verify", result.children))  # noqa: S314 - our own
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("6", "1", "2")
    assert [each.get("name") for each in root.iter("testsuite")] == ["weave", "faults", "tests"]
    (failed,) = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert failed.get("classname") == "faults.send-stall"
    (error,) = root.findall(".//testcase[@classname='tests']/error")
    assert error.get("message") == "could not run: no broker"


def test_a_table_says_how_many_rows_it_lacks() -> None:
    table = Table(title="t", columns=["a"], rows=[["1"], ["2"], ["3"]])
    assert (len(table.cut(2).rows), table.cut(2).more, table.cut(2).cut(1).more) == (2, 1, 2)


def test_of_many_parts_only_those_with_a_problem_are_in_the_navigation() -> None:
    parts = [part(f"level {number}", PASSED) for number in range(20)]
    page = render_result(whole(*parts, part("faults", FAILED)), WORDS)
    navigation, rest = page.split("</nav>")
    assert re.findall(r'"#part-[^>]*>([^<]*)', navigation) == ["Level faults"]
    assert re.findall(r'<h2 id="part-[^>]*>([^<]*)', rest)[19:] == ["level 19", "Level faults"]
