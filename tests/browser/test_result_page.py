"""Opens the page of a result in a browser, offline: a phone, both schemes, links."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

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


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_it_fits_and_is_accessible(browser: Browser, page: Path, width: int, scheme: str) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True
    )
    with context:
        tab = context.new_page()
        tab.goto(page.as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()


def test_what_is_not_as_expected_comes_first(browser: Browser, page: Path) -> None:
    with browser.new_context(offline=True) as context:
        tab = context.new_page()
        tab.goto(page.as_uri())
        assert "1 of 5 checks failed, 2 unknown" in tab.locator("h1").inner_text()
        odd = tab.locator("#problems + ul li")
        assert [text.split()[1] for text in odd.all_inner_texts()] == ["fail", "unknown", "unknown"]
        tab.locator("nav a", has_text="Level faults").click()
        assert tab.locator("#part-faults").is_visible()
