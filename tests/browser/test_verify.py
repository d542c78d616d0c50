"""Opens the page of a verification in a browser, offline: a phone, both schemes, links."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from insync.report.verify.page import write_verify_page
from unit.verify.verifications import FAILED, PASSED, SEEN, UNKNOWN, found, verification


@pytest.fixture
def page(tmp_path: Path) -> Path:
    levels = (
        found("weave", "pass", SEEN, PASSED),
        found("faults", "fail", PASSED, FAILED, UNKNOWN, reason="send-stall: found 3"),
    )
    return write_verify_page(tmp_path, verification(*levels))


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
        assert "1 of 4 checks failed, 1 unknown" in tab.locator("h1").inner_text()
        odd = tab.locator("#odd + ul li")
        assert [text.split()[1] for text in odd.all_inner_texts()] == ["fail", "unknown"]
        tab.locator("nav a", has_text="Level faults").click()
        assert tab.locator("#level-faults").is_visible()
