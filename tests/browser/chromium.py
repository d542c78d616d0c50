"""Finds the machine's own Chromium, opens a page in it, and checks how the page looks."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")
LOOKS = pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])


def executable() -> str | None:
    """Return the path of the machine's own Chromium."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


@contextmanager
def opened(
    browser: Browser, page: Path, width: int = 1280, scheme: str = "light"
) -> Iterator[Page]:
    """Open a page offline."""
    viewport = {"width": width, "height": 800}
    with browser.new_context(viewport=viewport, color_scheme=scheme, offline=True) as context:
        tab = context.new_page()
        tab.goto(page.as_uri())
        yield tab


def assert_fits_and_is_accessible(browser: Browser, page: Path, width: int, scheme: str) -> None:
    with opened(browser, page, width, scheme) as tab:
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(tab)
        assert found.violations_count == 0, found.generate_report()
