"""What a verification leaves: a page, test results, and a summary in Markdown."""

from __future__ import annotations

import re
import xml.etree.ElementTree as Xml
from pathlib import Path

import pytest

from insync.events.verify_info import VerifyInfo, load_verify, save_verify
from insync.report.junit import as_xml
from insync.report.render import MOST_BYTES
from insync.report.verify.page import headline, render_verify, suites, write_verify_page
from insync.report.verify.summary import session, summary
from unit.verify.verifications import FAILED, PASSED, SEEN, UNKNOWN, found, verification


@pytest.fixture
def info() -> VerifyInfo:
    return verification(
        found("weave", "pass", SEEN, PASSED),
        found("faults", "fail", PASSED, FAILED, UNKNOWN, reason="send-stall: found 3"),
        names=("weave", "faults", "tests"),
    )


def parsed(info: VerifyInfo) -> Xml.Element:
    return Xml.fromstring(as_xml("insync verify", suites(info)))  # noqa: S314 - our own


def test_the_file_is_read_as_it_was_written(tmp_path: Path, info: VerifyInfo) -> None:
    save_verify(tmp_path, info)
    read = load_verify(tmp_path)
    assert read is not None
    assert read.levels[0].rows == info.levels[0].rows
    assert (info.verdict, info.reason) == ("fail", "faults: send-stall: found 3")
    assert info.missing == ["tests"]


def test_the_page_has_every_row_and_needs_no_other_file(info: VerifyInfo) -> None:
    page = render_verify(info)
    for row in (PASSED, FAILED, SEEN):
        assert f'>{row.of}</th><td data-name="check">{row.check}<' in page
    assert 'href="faults/01/candidate/r/report.html"' in page
    assert "&lt;b&gt;|&lt;/b&gt;" in page, "texts are escaped"
    assert "not run yet" in page
    assert "Paired differences" in page
    assert not re.search(r"(src|href)=\"(https?:)?//", page)


def test_a_large_page_leaves_out_rows_that_passed_and_says_how_many() -> None:
    passed = PASSED.model_copy(update={"why": "x" * 200})
    rows = [passed.model_copy(update={"of": f"scenario-{n}"}) for n in range(3000)]
    page = render_verify(verification(found("faults", "fail", *rows, FAILED)))
    assert len(page.encode()) <= MOST_BYTES
    assert re.search(r"\d+ more checks passed; verdict.json has them", page)
    assert FAILED.why in page


def test_the_headline_says_what_was_judged(info: VerifyInfo) -> None:
    assert headline(info) == (
        "Kafka 4.3.1+1a2b3c4d with the agent, arm request, num.io.threads=2: "
        "1 of 4 checks failed, 1 unknown"
    )


def test_the_test_results_have_a_case_per_row(info: VerifyInfo, tmp_path: Path) -> None:
    root = parsed(info)
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("5", "1", "1")
    names = [each.get("name") for each in root.iter("testsuite")]
    assert names == ["weave", "faults"]
    (failed,) = [case for case in root.iter("testcase") if case.find("failure") is not None]
    assert failed.get("classname") == "faults.send-stall"
    write_verify_page(tmp_path, info)
    assert {each.name for each in tmp_path.iterdir()} == {"report.html", "junit.xml", "summary.md"}


def test_a_level_that_could_not_run_is_a_case(info: VerifyInfo) -> None:
    cut = verification(found("faults", "unknown", reason="could not run: no broker"))
    root = parsed(cut)
    (case,) = root.iter("testcase")
    error = case.find("error")
    assert error is not None
    assert error.get("message") == "could not run: no broker"
    assert "could not run: no broker" in summary(cut)
    assert "could not run: no broker" in render_verify(cut)


def test_the_summary_is_valid_markdown(info: VerifyInfo) -> None:
    text = summary(info)
    assert text.startswith("## insync verify: fail\n")
    assert "| faults | \u2717 fail | 1 | 1 | 1 | 0 | 1 min 1 s |" in text
    assert "| faults | `isr_shrinks == 0` | 1 of 2 | \u2717 fail |" in text
    assert "| faults | `under_min_isr_ms < 0.2 * baseline` | 0 of 1 | ? unknown |" in text
    tables = [part.splitlines() for part in text.split("\n\n") if part.startswith("|")]
    assert len(tables) == 4
    for head, *rows in tables:
        columns = len(re.findall(r"(?<!\\)\|", head))
        assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {columns}
    assert "<b>" not in text.partition("```")[0]
    assert text.count("<details>") == text.count("</details>") == 1


def test_the_session_block_has_the_form_of_ducktapes(info: VerifyInfo) -> None:
    lines = session(info).splitlines()
    assert lines[0] == "=" * 80
    assert lines[1:9] == [
        "SESSION REPORT (ALL TESTS)",
        "insync version:  0.1.0",
        "session_id:      2026-11-25--031500",
        "run time:        1 min 1 s",
        "tests run:       5",
        "passed:          2",
        "flaky:           0",
        "failed:          1",
    ]
    at = lines.index("test_id:    faults.send-stall")
    assert lines[at + 1 : at + 4] == ["status:     FAIL", "", f"    {FAILED.why}"]
