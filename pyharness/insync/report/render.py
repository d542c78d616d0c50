"""Renders the page as one file that contains its style, script, plotly and figures.

Reading it needs no network and no other file.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from plotly.offline import get_plotlyjs

from insync.events.run_info import RunInfo
from insync.events.schema import JUNIT, REPORT
from insync.events.writer import write_atomic
from insync.report.anchors import arm_id
from insync.report.judgement import Judgement
from insync.report.junit import as_xml, run_suite
from insync.report.page import build_page
from insync.report.timeline import lanes
from insync.report.timeline.lane_bars import STATE_NAMES
from insync.report.timeline.timelines import STATES, Rows


def render(run: RunInfo, verdict: Judgement, rows: Rows) -> str:
    """Return the whole page as text."""
    page = build_page(run, verdict, rows)
    return (
        environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            lanes=lanes,
            states=[(state, STATE_NAMES[state]) for state in STATES],
            arm_id=arm_id,
            style=asset("page.css"),
            script=asset("page.js"),
            plotly=Markup(get_plotlyjs()) if page.figures else "",  # noqa: S704 - from plotly's wheel
        )
    )


def write_report(folder: Path, run: RunInfo, verdict: Judgement, rows: Rows) -> Path:
    """Write `folder/report.html` and `junit.xml`, each in one step; return the page's path."""
    write_atomic(folder / JUNIT, as_xml("insync run", [run_suite(run, verdict)]))
    return write_atomic(folder / REPORT, render(run, verdict, rows))


def environment() -> Environment:
    """Return the template engine: a missing value is an error, and text is escaped."""
    return Environment(
        loader=PackageLoader("insync.report", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(name: str) -> Markup:
    """Return a file of this package that is put into the page as it is."""
    text = files("insync.report").joinpath("assets", name).read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - part of this package, without data of a run
