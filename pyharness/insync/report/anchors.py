"""The names of places inside a page, for links to them from there and from other pages."""

from __future__ import annotations

import re


def slug(words: str) -> str:
    """Return words as a place in a page that an address can name: "ISR shrinks" is isr-shrinks."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def arm_id(arm: str) -> str:
    """Return the name of the place in a run's report that tells of an arm."""
    return f"arm-{slug(arm)}"


def cell_id(kafka: str, scenario: str, arm: str) -> str:
    """Return the name of the place of a cell in a matrix."""
    return f"cell-{slug(kafka)}-{slug(scenario)}-{slug(arm)}"
