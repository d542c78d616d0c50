"""Renders the page as one file that contains its style, script and pictures.

Reading it needs no network and no other file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from insync.events.run_info import RunInfo
from insync.events.schema import JUNIT, REPORT
from insync.events.verdict import Verdict
from insync.events.writer import write_atomic
from insync.outcome import Outcome
from insync.report.anchors import arm_id, slug
from insync.report.junit import as_xml, run_suite
from insync.report.page import LEVELS, build_page
from insync.report.timeline import lanes
from insync.report.timeline.detail import FILL
from insync.report.timeline.latency_lines import HEIGHT
from insync.report.timeline.timelines import STATE_NAMES, Rows, Timeline

MEANS = {
    Outcome.PASS: "every expectation holds",
    Outcome.FAIL: "an expectation does not hold",
    Outcome.UNKNOWN: "this run proves nothing",
}
MOST_BYTES = 400_000
"""The size of a page: it is mailed, attached to issues and opened on phones."""


def render(run: RunInfo, verdict: Verdict, rows: Rows, pictures: Sequence[Timeline]) -> str:
    """Return the whole page as text, with as much detail as fits into `MOST_BYTES`."""
    template = environment().get_template("page.html.j2")
    pages = (build_page(run, verdict, rows, pictures, detail) for detail in LEVELS)
    return smallest_enough(
        template.render(
            page=page,
            lanes=lanes,
            lane_fill=FILL,
            latency_units=HEIGHT,
            states=list(STATE_NAMES.items()),
            arm_id=arm_id,
            badge=(page.outcome.mark, MEANS[page.outcome]),
            style=asset("page.css"),
            script=asset("page.js"),
        )
        for page in pages
    )


def smallest_enough(pages: Iterable[str]) -> str:
    """Return the first page that is small enough, else the last one; they get smaller."""
    page = ""
    for page in pages:
        if len(page.encode()) <= MOST_BYTES:
            break
    return page


def write_report(
    folder: Path, run: RunInfo, verdict: Verdict, rows: Rows, pictures: Sequence[Timeline]
) -> Path:
    """Write `folder/report.html` and `junit.xml`, each in one step; return the page's path.

    `pictures` are the timelines of the run.
    """
    write_atomic(folder / JUNIT, as_xml("insync run", [run_suite(run, verdict)]))
    return write_atomic(folder / REPORT, render(run, verdict, rows, pictures))


def environment() -> Environment:
    """Return the template engine: a missing value is an error, and text is escaped."""
    made = Environment(
        loader=PackageLoader("insync.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["css_string"] = css_string
    made.filters["slug"] = slug
    made.filters["with_units"] = with_units
    return made


def css_string(text: str) -> str:
    """Return a text as a string of CSS, for the name of a column in a style attribute."""
    escaped = "".join(f"\\{ord(each):x} " if each in '"\\\n' else each for each in text)
    return f'"{escaped}"'


def with_units(text: str) -> str:
    """Return a text in which a line never ends between a number and its unit of time."""
    return re.sub(r"(?<=\d) (?=m?s\b)", "\u00a0", text)


def asset(name: str) -> Markup:
    """Return a file of this package that is put into the page as it is."""
    text = files("insync.report").joinpath("assets", name).read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - part of this package, without data of a run
