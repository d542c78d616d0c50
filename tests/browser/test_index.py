"""Opens the index page of past results in a browser, offline: filters, a phone, both schemes."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from browser.chromium import LOOKS, assert_fits_and_is_accessible, opened
from insync.past.results import find_results, past_results, write_index
from unit.past.past_folders import write_matrix, write_past


@pytest.fixture
def index(tmp_path: Path) -> Path:
    """Write the index page of three results, one of which cannot be read."""
    write_past(tmp_path / "a", scenario="follower-restart-mid-stall", verdict="fail", stock={})
    write_matrix(tmp_path / "b", ["read-stall", "freeze"], stock={"acked": [1]})
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "run.json").write_text('{"schema": 2}')
    rows = past_results(find_results(tmp_path))
    return write_index(tmp_path / "index.html", tmp_path, rows)


@LOOKS
def test_it_fits_and_is_accessible(browser: Browser, index: Path, width: int, scheme: str) -> None:
    assert_fits_and_is_accessible(browser, index, width, scheme)


def test_results_are_filtered_and_lead_to_their_reports(browser: Browser, index: Path) -> None:
    with opened(browser, index) as tab:
        assert shown(tab) == 3
        tab.get_by_label("scenario").select_option("freeze")
        assert shown(tab) == 1
        assert tab.locator("#count").inner_text() == "1 of 3 results, newest first."
        tab.get_by_label("verdict").select_option("fail")
        assert shown(tab) == 0
        tab.get_by_label("scenario").select_option("")
        tab.locator("main a").filter(visible=True).click()
        assert tab.url.endswith("/a/report.html")


def shown(tab: Page) -> int:
    return tab.locator("tbody tr").filter(visible=True).count()
