"""Opens the page of `insync why` in a browser, offline, on a desk and on a phone."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from browser.chromium import LOOKS, assert_fits_and_is_accessible, opened
from insync.why.page import page as rendered
from unit.why.test_beside import found


@pytest.fixture
def page(tmp_path: Path) -> Path:
    file = tmp_path / "why.html"
    file.write_text(rendered([found(tmp_path / "logs")]))
    return file


@LOOKS
def test_it_fits_and_is_accessible(browser: Browser, page: Path, width: int, scheme: str) -> None:
    assert_fits_and_is_accessible(browser, page, width, scheme)


def test_a_lane_per_broker_shows_the_finding(browser: Browser, page: Path) -> None:
    with opened(browser, page) as tab:
        assert tab.locator("h1").inner_text().startswith("Broker 1: disk")
        assert tab.locator("svg .lane").all_text_contents() == ["b1", "b2", "b3"]
        assert tab.locator("svg .band").count() == 1
