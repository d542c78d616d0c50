"""Finds the machine's own Chromium, and opens a page in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

NAMES = ("chromium", "chromium-browser", "google-chrome")


def executable() -> str | None:
    """Return the path of the machine's own Chromium."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


@contextmanager
def opened(
    browser: Browser, page: Path, width: int = 1280, scheme: str = "light"
) -> Iterator[Page]:
    viewport = {"width": width, "height": 800}
    with browser.new_context(viewport=viewport, color_scheme=scheme, offline=True) as context:
        tab = context.new_page()
        tab.goto(page.as_uri())
        yield tab
