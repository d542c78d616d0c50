"""Opens the pages of a result and of `insync why` in a browser, offline."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from browser.chromium import opened
from insync.outcome import Outcome
from insync.report.result_page import write_result
from insync.result import Result
from insync.why.page import page as rendered
from unit.report.made_up_results import FAILED, PASSED, SEEN, UNKNOWN, part, whole
from unit.report.test_result_page import Verified
from unit.why.log_files import Logs
from unit.why.test_beside import found


@pytest.fixture
def result(tmp_path: Path) -> Path:
    cut = Result(of="tests", outcome=Outcome.UNKNOWN, found="could not run: no broker")
    made = whole(part("weave", SEEN, PASSED), part("faults", PASSED, FAILED, UNKNOWN), cut)
    return write_result(tmp_path, made, Verified())


@pytest.fixture
def why(tmp_path: Path) -> Path:
    file = tmp_path / "why.html"
    file.write_text(rendered([found(Logs(tmp_path / "logs"))]))
    return file


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
@pytest.mark.parametrize("page", ["result", "why"])
def test_it_fits_and_is_accessible(
    browser: Browser, page: str, width: int, scheme: str, request: pytest.FixtureRequest
) -> None:
    with opened(browser, request.getfixturevalue(page), width, scheme) as tab:
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        seen = Axe().run(tab)
        assert seen.violations_count == 0, seen.generate_report()


def test_what_is_not_as_expected_comes_first(browser: Browser, result: Path) -> None:
    with opened(browser, result) as tab:
        assert "1 of 5 checks failed, 2 unknown" in tab.locator("h1").inner_text()
        odd = tab.locator("#problems + ul li")
        assert [text.split()[1] for text in odd.all_inner_texts()] == ["fail", "unknown", "unknown"]
        tab.locator("nav a", has_text="Level faults").click()
        assert tab.locator("#part-faults").is_visible()


def test_a_lane_per_broker_shows_the_finding(browser: Browser, why: Path) -> None:
    with opened(browser, why) as tab:
        assert tab.locator("h1").inner_text().startswith("Broker 1: disk")
        assert tab.locator("svg .lane").all_text_contents() == ["b1", "b2", "b3"]
        assert tab.locator("svg .band").count() == 1
