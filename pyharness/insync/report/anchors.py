"""Names the anchors of a page, for links from the same page and from others."""

from __future__ import annotations

import re

from insync.events.verdict import Cell


def slug(words: str) -> str:
    """Return words as an anchor: "ISR shrinks" is isr-shrinks."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def arm_id(arm: str) -> str:
    """Return the anchor of an arm in a run's report."""
    return f"arm-{slug(arm)}"


def cell_id(kafka: str, scenario: str, arm: str) -> str:
    """Return the anchor of a cell in a matrix's page."""
    return f"cell-{slug(kafka)}-{slug(scenario)}-{slug(arm)}"


def link_to(cell: Cell) -> str | None:
    """Return the place of a cell's arm in its run's report; None if there was no run."""
    return f"{cell.report}#{arm_id(cell.arm)}" if cell.report and cell.repeats else None
