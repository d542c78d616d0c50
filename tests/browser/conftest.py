"""Fixtures of the browser tests: headless Chromium, and the pages of a made-up matrix.

Without a Chromium they are skipped, in one line that says what to install; where
INSYNC_REQUIRE_BROWSER is set, as in CI, they fail instead.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from analysed import MATRIX
from browser.chromium import NAMES, executable

WITHOUT = f"no browser: none of {', '.join(NAMES)} is on the PATH; on Debian: apt install chromium"


def pytest_runtest_setup() -> None:
    """Skip here, not in a fixture: the summary then has one line for all tests of this folder."""
    if not os.environ.get("INSYNC_REQUIRE_BROWSER") and executable() is None:
        pytest.skip(WITHOUT)


@pytest.fixture(scope="session")
def matrix(analysed_folders: Path) -> Path:
    return analysed_folders / MATRIX


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the browser once; each test opens pages of its own.

    Stopped at the end of the module: while it runs, its event loop occupies the thread of the
    tests, so no other test could run an event loop.
    """
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=executable())
        yield started
        started.close()
