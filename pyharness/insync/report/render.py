"""Renders templates as pages of one file each, which contains style, script and pictures.

Reading it needs no network and no other file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from insync.report.words import slug

MOST_BYTES = 400_000
"""The size of a page: it is mailed, attached to issues and opened on phones."""


def smallest_enough(pages: Iterable[str]) -> str:
    """Return the first page that is small enough, else the last one; they get smaller."""
    page = ""
    for page in pages:
        if len(page.encode()) <= MOST_BYTES:
            break
    return page


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
