"""Opens the report and the matrix in a browser, offline, in the light and the dark scheme.

They work with a pointer, with a keyboard, on a phone, without scripts and for a screen reader.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, Request

from unit.report.test_matrix import page_of
from waiting import wait_for

MATRIX, REPORT, CUT = "matrix.html", "4.3.1/bad/report.html", "4.3.1/cut/report.html"
PAGES = (MATRIX, REPORT, CUT)
SCHEMES = ("light", "dark")
DESKTOP, PHONE = (1280, 900), (390, 844)
NARROW = (360, 740)
LOOKS = [
    ("light", DESKTOP),
    ("dark", PHONE),
    pytest.param("light", PHONE, marks=pytest.mark.long),
    pytest.param("dark", DESKTOP, marks=pytest.mark.long),
]
"""Contrast depends on the scheme, and what overlaps or is hidden on the size."""

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
            file, *place = page.split("#")
            tab.goto("#".join([(matrix / file).as_uri(), *place]))
            return tab

        yield go
    assert troubles == []


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_it_loads_without_errors_and_network_requests(visit: Open, page: str, scheme: str) -> None:
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
    pictures = visit(page).locator("svg[role=img]")
    assert pictures.count() >= 4
    for picture in pictures.all():
        drawn = picture.evaluate(
            "svg => [...svg.querySelectorAll('g path')].map(x => x.getBBox())"
            ".filter(box => box.width > 1 && box.height > 1).length"
        )
        assert drawn >= 1
        assert "repeat" in (picture.get_attribute("aria-label") or "")


def test_the_large_picture_has_lanes_latency_and_faults(visit: Open) -> None:
    chart = visit(REPORT).locator(".chart").first
    for what, least in ((".lanes g", 4), (".line:visible", 2), (".band", 1), (".shrink", 2)):
        boxes = [each.bounding_box() for each in chart.locator(what).all()]
        assert sum(box is not None and box["width"] > 1 for box in boxes) >= least, what
    band, strip = (chart.locator(each).first.bounding_box() for each in (".band", ".lanes"))
    assert band is not None
    assert strip is not None
    # The made-up stall lasts from 2 to 7 s of 10.
    assert (band["x"] - strip["x"]) / strip["width"] == pytest.approx(0.2, abs=0.01)
    assert band["width"] / strip["width"] == pytest.approx(0.5, abs=0.01)
    assert "read stall at broker 1: 5.0 s" in chart.locator("figcaption").inner_text()


def test_another_repeat_is_unfolded_and_the_median_shown_by_keyboard(visit: Open) -> None:
    tab = visit(REPORT)
    first, second = tab.locator("details.repeat").all()
    second.locator("summary").focus()
    tab.keyboard.press("Enter")
    assert second.get_attribute("open") is not None
    assert first.get_attribute("open") is None
    lines = second.locator(".line:visible")
    before = lines.count()
    tab.get_by_label("median ack").press("Space")
    assert lines.count() == before + 2


def test_the_picture_says_what_was_at_a_time_by_pointer_and_by_keyboard(visit: Open) -> None:
    tab = visit(REPORT)
    slider = tab.get_by_role("slider", name="time").first
    slider.focus()
    tab.keyboard.press("End")
    tab.keyboard.press("Home")
    now = tab.locator(".now").first
    assert now.inner_text().startswith("0.00 s: every lane: all replicas in sync")
    plot = tab.locator(".plot").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    tab.mouse.move(box["x"] + 0.72 * box["width"], box["y"] + 5)
    said = now.inner_text()
    lanes = "7.20 s: p0: leader 1, ISR 1 (1 of 3) \u00b7 p1: leader 1, ISR 1 (1 of 3) \u00b7 other"
    assert said.startswith(lanes)
    assert "slowest ack" in said
    assert plot.bounding_box() == box
    assert said.endswith(" ms")


def test_the_time_axis_is_zoomed_by_dragging_and_by_buttons(visit: Open) -> None:
    tab = visit(REPORT)
    plot, ticks = tab.locator(".plot").first, tab.locator(".ticks").first
    whole = ticks.inner_text()
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    tab.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 5)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 0.8 * box["width"], box["y"] + 5)
    tab.mouse.up()
    assert ticks.locator("span").first.inner_text() == "6"
    assert ticks.locator("span").last.inner_text() == "8"
    shrink = plot.locator(".shrink").first.bounding_box()
    assert shrink is not None
    assert (shrink["x"] + 6 - box["x"]) / box["width"] == pytest.approx(0.5, abs=0.02)
    for name in ("zoom in", "earlier", "later", "zoom out", "whole repeat"):
        tab.get_by_role("button", name=name).first.click()
    assert ticks.inner_text() == whole


def test_the_large_picture_follows_the_scheme(visit: Open) -> None:
    tab = visit(REPORT, color_scheme="light")
    fill = "getComputedStyle(document.querySelector('.line.own')).stroke"
    light = tab.evaluate(fill)
    tab.emulate_media(color_scheme="dark")
    # Asked from here: the page's own policy forbids what Playwright polls with.
    wait_for(lambda: tab.evaluate(fill), lambda dark: dark != light)


def test_the_finding_and_the_badge_are_on_the_first_screen(visit: Open) -> None:
    for page, finding, badge in (
        (REPORT, "Every arm dropped followers from the ISR in 2 of 2 repeats.", "\u2717 fail"),
        (MATRIX, "Stock dropped followers from the ISR", "\u2717 fail"),
    ):
        for size in (DESKTOP, PHONE):
            tab = visit(page, size)
            assert tab.locator("h1").inner_text().startswith(finding)
            for what in ("h1", ".badge", "#how-to-read"):
                box = tab.locator(what).bounding_box()
                assert box is not None
                assert box["y"] + box["height"] < size[1], (page, what)
            assert tab.locator(".badge").inner_text().startswith(badge)


def test_a_link_to_a_folded_table_unfolds_it(visit: Open) -> None:
    tab = visit(f"{REPORT}#every-repeat")
    assert tab.locator("details:has(#every-repeat)").get_attribute("open") is not None


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
    assert "fail" in link.inner_text()
    link.click()
    tab.wait_for_url(f"{(matrix / REPORT).as_uri()}#arm-plugin")
    assert tab.locator(":target").inner_text() == "plugin"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("size", [PHONE, NARROW])
def test_on_a_phone_nothing_scrolls_sideways(visit: Open, page: str, size: tuple[int, int]) -> None:
    tab = visit(page, size)
    tab.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
    assert tab.evaluate("document.documentElement.scrollWidth") <= size[0]
    wide = tab.locator(".scroll, figure, .plot, pre").evaluate_all(
        "all => all.filter(x => x.scrollWidth > x.clientWidth + 1).map(x => x.outerHTML)"
    )
    assert wide == []
    beyond = tab.locator("svg:visible, td:visible, th[scope=row]:visible").evaluate_all(
        "all => all.filter(x => x.getBoundingClientRect().right > innerWidth).length"
    )
    assert beyond == 0


@pytest.mark.parametrize("scheme", SCHEMES)
def test_many_arms_fit_a_phone(visit: Open, tmp_path: Path, scheme: str) -> None:
    page = tmp_path / "matrix.html"
    page.write_text(page_of(2, arms=7), encoding="utf-8")
    tab = visit(str(page), PHONE, color_scheme=scheme)
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    beyond = "all => all.filter(x => x.getBoundingClientRect().right > innerWidth).length"
    assert tab.locator("svg, td, th[scope=row]").evaluate_all(beyond) == 0
    assert tab.locator("td svg").count() >= 14
    found = Axe().run(tab)
    assert found.violations_count == 0, found.generate_report()


def test_on_a_phone_a_value_has_the_name_of_its_column(visit: Open) -> None:
    name = "x => getComputedStyle(x, '::before').content"
    repeats = visit(f"{REPORT}#every-repeat", PHONE).locator("details:has(#every-repeat) td")
    assert repeats.first.evaluate(name) == '"repeat"'
    cells = visit(MATRIX, PHONE).locator(".matrix tr:has(#cell-4-3-1-bad-plugin) td")
    assert [each.evaluate(name) for each in cells.all()] == ['"stock"', '"plugin"']


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


@pytest.mark.parametrize("page", [MATRIX, REPORT, pytest.param(CUT, marks=pytest.mark.long)])
@pytest.mark.parametrize(("scheme", "size"), LOOKS)
def test_axe_finds_no_accessibility_problem(
    visit: Open, page: str, scheme: str, size: tuple[int, int]
) -> None:
    """Contrast, names, landmarks, order of headings and more: https://github.com/dequelabs/axe-core."""
    tab = visit(page, size, color_scheme=scheme)
    tab.locator("details").evaluate_all("all => all.forEach(each => { each.open = true; })")
    found = Axe().run(tab)
    assert found.response["passes"]
    assert found.violations_count == 0, found.generate_report()


def test_without_scripts_everything_is_there(visit: Open) -> None:
    tab = visit(REPORT, java_script_enabled=False)
    assert tab.locator("svg[role=img]").count() == 4
    assert tab.locator(".plot:visible").count() == 2
    assert tab.locator(".tools:visible").count() == 0
    tab.locator("summary", has_text="repeat 2").click()
    assert tab.locator("details.repeat[open] .line:visible").count() == 4
    tab.locator("summary", has_text="slowest ack").click()
    assert tab.locator("details[open] tbody tr").count() > 10


def test_on_paper_nothing_is_folded(visit: Open) -> None:
    tab = visit(REPORT)
    tables = tab.locator("table")
    assert sum(each.is_visible() for each in tables.all()) < tables.count()
    tab.emulate_media(media="print")
    assert all(each.is_visible() for each in tables.all())
