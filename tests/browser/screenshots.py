"""Makes the pictures of the documentation from pages.

`PYTHONPATH=tests python -m browser.screenshots docs/img report=RUN/report.html` writes report.png,
report-dark.png and report-390.png; more pages may follow. A picture is the
first screen of a page, which must say what the page shows.
"""

import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from browser.chromium import executable

PICTURES = {"": (1280, 960, False), "-dark": (1280, 960, True), "-390": (390, 844, False)}
"""Each by the end of its name: its width and height in pixels, and whether it is dark."""


def shoot(browser: Browser, page: Path, into: Path, name: str) -> None:
    for suffix, (across, down, dark) in PICTURES.items():
        context = browser.new_context(
            viewport={"width": across, "height": down},
            color_scheme="dark" if dark else "light",
            offline=True,
        )
        tab = context.new_page()
        tab.goto(page.absolute().as_uri())
        file = into / f"{name}{suffix}.png"
        tab.screenshot(path=file)
        print(f"{file}: {file.stat().st_size} bytes")
        context.close()


def main(into: str, *pages: str) -> None:
    """Write the pictures of pages, each given as NAME=FILE."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=executable())
        for each in pages:
            name, _, file = each.partition("=")
            shoot(browser, Path(file), Path(into), name)
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
