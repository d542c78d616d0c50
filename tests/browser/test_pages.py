"""Opens the report and the matrix in a browser, offline, in the light and the dark scheme.

They work with a pointer, with a keyboard, on a phone, without scripts and for a screen reader.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request

from waiting import wait_for

MATRIX, REPORT = "matrix.html", "4.3.1/bad/report.html"
PAGES = (MATRIX, REPORT, "4.3.1/cut/report.html")
SCHEMES = ("light", "dark")
DESKTOP, PHONE = (1280, 900), (360, 740)

Open = Callable[..., Page]


@pytest.fixture
def troubles() -> list[str]:
    """Collects the errors of pages and their requests to the network."""
    return []


@pytest.fixture
def visit(browser: Browser, matrix: Path, troubles: list[str]) -> Iterator[Open]:
    """Return what opens a page of the matrix; nothing may go wrong in it while it is open."""
    with ExitStack() as opened:

        def fetched(asked: Request) -> None:
            if not (asked.is_navigation_request() and asked.url.startswith("file:")):
                troubles.append(asked.url)

        def go(page: str, size: tuple[int, int] = DESKTOP, **options: Any) -> Page:
            viewport = {"width": size[0], "height": size[1]}
            context = browser.new_context(viewport=viewport, offline=True, **options)
            opened.callback(context.close)
            tab = context.new_page()
            tab.on("console", lambda entry: troubles.append(f"{entry.type}: {entry.text}"))
            tab.on("pageerror", lambda error: troubles.append(str(error)))
            tab.on("request", fetched)
            tab.goto((matrix / page).as_uri())
            return tab

        yield go
    assert troubles == []


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_loads_without_errors_and_without_network_requests(
    visit: Open, page: str, scheme: str
) -> None:
    tab = visit(page, color_scheme=scheme)
    assert tab.locator("h1").count() == 1
    assert tab.evaluate("document.styleSheets[0].cssRules.length") > 50


def test_the_page_forbids_the_browser_to_fetch_anything(visit: Open, troubles: list[str]) -> None:
    tab = visit(REPORT)
    tab.evaluate("fetch('https://example.org').catch(() => null)")
    assert any("Content Security Policy" in each for each in troubles)
    troubles.clear()


@pytest.mark.parametrize("page", PAGES)
def test_every_small_picture_is_drawn(visit: Open, page: str) -> None:
    pictures = visit(page).locator("svg[role=img]:not(.main-svg)")
    assert pictures.count() >= 4
    for picture in pictures.all():
        drawn = picture.evaluate(
            "svg => [...svg.querySelectorAll('g rect')].filter(x => x.getBBox().width > 1).length"
        )
        assert drawn >= 4
        assert "repeat" in (picture.get_attribute("aria-label") or "")


def test_the_large_picture_has_lanes_latency_and_faults(visit: Open) -> None:
    figure = visit(REPORT).locator("#figure")
    for what, least in ((".barlayer .point path", 16), (".scatterlayer path.js-line", 4)):
        boxes = [each.bounding_box() for each in figure.locator(what).all()]
        assert sum(box is not None and box["width"] > 0 for box in boxes) >= least
    assert figure.locator(".shapelayer path").count() >= 6
    assert "read stall at broker 1" in figure.locator(".infolayer").text_content()


def test_a_repeat_is_chosen_and_the_median_shown_by_keyboard(visit: Open) -> None:
    tab = visit(REPORT)
    other = tab.get_by_role("button", name="repeat 1")
    other.focus()
    tab.keyboard.press("Enter")
    assert other.get_attribute("aria-pressed") == "true"
    assert tab.get_by_role("button", name="repeat 0").get_attribute("aria-pressed") == "false"
    lines = tab.locator("#figure .scatterlayer path.js-line")
    before = lines.count()
    tab.get_by_label("show the median ack").press("Space")
    assert lines.count() == before + 2


def test_the_large_picture_follows_the_scheme(visit: Open) -> None:
    tab = visit(REPORT, color_scheme="light")
    paper = "getComputedStyle(document.querySelector('#figure .main-svg')).backgroundColor"
    light = tab.evaluate(paper)
    tab.emulate_media(color_scheme="dark")
    # Asked from here: the page's own policy forbids what Playwright polls with.
    wait_for(lambda: tab.evaluate(paper), lambda dark: dark != light)


def test_every_link_leads_to_an_existing_anchor(visit: Open) -> None:
    tab = visit(MATRIX)
    links = {each.evaluate("link => link.href") for each in tab.locator("a").all()}
    assert sum("report.html#arm-" in link for link in links) == 6
    for link in sorted(links):
        parts = urlsplit(link)
        assert (parts.scheme, Path(unquote(parts.path)).is_file()) == ("file", True)
    places = {page: ids(visit(page)) for page in (MATRIX, REPORT)}
    for page, known in places.items():
        asked = (
            visit(page)
            .locator("a[href^='#']")
            .evaluate_all("links => links.map(link => link.hash.slice(1))")
        )
        assert set(asked) <= set(known)
    assert {"arm-stock", "arm-plugin"} <= set(places[REPORT])


def ids(tab: Page) -> list[str]:
    """Return the names of all places of a page; each must be there once."""
    found: list[str] = tab.locator("main [id], main[id]").evaluate_all("all => all.map(x => x.id)")
    assert len(found) == len(set(found))
    return found


def test_a_cell_opens_the_report_at_its_arm(visit: Open, matrix: Path) -> None:
    tab = visit(MATRIX)
    link = tab.locator("#cell-4-3-1-bad-plugin a")
    assert "differs" in link.inner_text()
    link.click()
    tab.wait_for_url(f"{(matrix / REPORT).as_uri()}#arm-plugin")
    assert tab.locator(":target").inner_text() == "plugin"


@pytest.mark.parametrize("page", PAGES)
def test_on_a_phone_only_wide_things_scroll_each_in_its_own_region(visit: Open, page: str) -> None:
    tab = visit(page, PHONE)
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    wide = tab.locator(".scroll").evaluate_all(
        "all => all.filter(x => x.scrollWidth > x.clientWidth).map(x => x.tabIndex)"
    )
    assert wide
    assert set(wide) == {0}


@pytest.mark.parametrize("page", [MATRIX, REPORT])
def test_the_keyboard_reaches_the_skip_link_first_then_everything_that_scrolls(
    visit: Open, page: str
) -> None:
    tab = visit(page, PHONE)
    tab.keyboard.press("Tab")
    focused = tab.locator(":focus")
    assert focused.get_attribute("class") == "skip"
    box = focused.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "content"
    shown = tab.locator(".scroll, main a").filter(visible=True)
    reached = 0
    for _ in range(shown.count() + 20):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement === document.body"):
            break
        reached += focused.evaluate(
            "x => x.matches('.scroll, main a') && getComputedStyle(x).outlineStyle !== 'none'"
        )
    assert reached == shown.count()


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_axe_finds_no_accessibility_problem(
    visit: Open, page: str, scheme: str, size: tuple[int, int]
) -> None:
    """Contrast, names, landmarks, order of headings and more: https://github.com/dequelabs/axe-core."""
    tab = visit(page, size, color_scheme=scheme)
    tab.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
    found = Axe().run(tab)
    assert found.response["passes"]
    assert found.violations_count == 0, found.generate_report()


def test_without_scripts_all_but_the_large_picture_is_there(visit: Open) -> None:
    tab = visit(REPORT, java_script_enabled=False)
    assert tab.locator("svg[role=img]").count() == 4
    assert "needs JavaScript" in tab.locator("noscript").inner_text()
    tab.locator("summary", has_text="slowest ack").click()
    assert tab.locator("details[open] tbody tr").count() > 10
