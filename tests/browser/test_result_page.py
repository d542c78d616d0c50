"""Opens the page of a result in a browser, offline: a phone, both schemes, links."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from browser.chromium import LOOKS, assert_fits_and_is_accessible, opened
from insync.outcome import Outcome
from insync.report.result_page import Words, write_result
from insync.result import Result
from unit.report.made_up_results import FAILED, PASSED, SEEN, UNKNOWN, part, whole


@pytest.fixture
def page(tmp_path: Path) -> Path:
    cut = Result(of="tests", outcome=Outcome.UNKNOWN, found="could not run: no broker")
    result = whole(part("weave", SEEN, PASSED), part("faults", PASSED, FAILED, UNKNOWN), cut)
    words = Words(command="verify", says="a build beside a baseline", part="level")
    return write_result(tmp_path, result, words)


@LOOKS
def test_it_fits_and_is_accessible(browser: Browser, page: Path, width: int, scheme: str) -> None:
    assert_fits_and_is_accessible(browser, page, width, scheme)


def test_what_is_not_as_expected_comes_first(browser: Browser, page: Path) -> None:
    with opened(browser, page) as tab:
        assert "1 of 5 checks failed, 2 unknown" in tab.locator("h1").inner_text()
        odd = tab.locator("#problems + ul li")
        assert [text.split()[1] for text in odd.all_inner_texts()] == ["fail", "unknown", "unknown"]
        tab.locator("nav a", has_text="Level faults").click()
        assert tab.locator("#part-faults").is_visible()
