"""Names the anchors of a page, for links from the same page and from others."""

from __future__ import annotations

import re


def slug(words: str) -> str:
    """Return words as an anchor: "ISR shrinks" is isr-shrinks."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def arm_id(arm: str) -> str:
    """Return the anchor of an arm in a run's report."""
    return f"arm-{slug(arm)}"


def cell_id(kafka: str, scenario: str, arm: str) -> str:
    """Return the anchor of a cell in a matrix's page."""
    return f"cell-{slug(kafka)}-{slug(scenario)}-{slug(arm)}"
