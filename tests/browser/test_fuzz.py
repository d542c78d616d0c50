"""Opens the page of a fuzz in a browser, offline: a phone, both schemes, links."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from insync.events.fuzz_info import ArmResult, Asked, Finding, FuzzInfo, Reduced, SeedResult
from insync.report.fuzz_page import write_fuzz_page

FAULTS = ("kill at broker 1 at 0.6 s for 2 s", "read stall at broker 2 at 1 s for 3 s")
LOST = Finding(of="integrity", metric="lost", words="lost was 12, expected 0")
FILE = "reduced/seed-2-stock-integrity/seed-2-stock-integrity.toml"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Write the page of three seeds: one passed, one has a finding, one is unknown."""
    asked = Asked(arms=("stock", "request"), kafka="4.3.1", shape="any", kinds=("kill", "stall"))
    good = ArmResult(outcome="pass", acked=1_000, report="batches/0001/4.3.1/seed-1/report.html")
    why = "no evidence of the read stall at broker 2: acted_ms was 0, expected at least 500"
    results = {
        1: {"stock": good, "request": good},
        2: {"stock": ArmResult(outcome="fail", findings=(LOST,)), "request": good},
        3: {"stock": good, "request": ArmResult(outcome="unknown", unknown=why)},
    }
    seeds = [
        SeedResult(seed=seed, scenario=f"seed-{seed}", faults=FAULTS, workload="acks=1", arms=arms)
        for seed, arms in results.items()
    ]
    reduced = Reduced(
        seed=2, arm="stock", of="integrity", file=FILE, faults_before=2, faults=1, replays=10,
        failed=9, complete=True,
    )  # fmt: skip
    info = FuzzInfo(asked=asked, planned=3, seeds=tuple(seeds), reduced=(reduced,), schema=1)
    return write_fuzz_page(tmp_path, info)


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


def test_findings_come_first_and_lead_to_their_seed(browser: Browser, page: Path) -> None:
    with browser.new_context(offline=True) as context:
        tab = context.new_page()
        tab.goto(page.as_uri())
        assert tab.locator("h1").inner_text() == "3 seeds on 2 arms: 1 with findings, 1 unknown."
        tab.get_by_role("link", name="seed 2, stock").click()
        assert tab.url.endswith("#seed-2")
        assert "lost was 12, expected 0" in tab.locator("#seed-2").inner_text()
        assert tab.get_by_role("link", name=FILE).get_attribute("href") == FILE
