"""Writes numbers, names, operations and anchors as text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from insync.events.verdict import Cell

THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"


def number(value: float | None) -> str:
    """Write a whole number with its thousands separated; a dash for None."""
    if value is None:
        return "\N{EN DASH}"
    return f"{value:,.0f}".replace(",", THIN_SPACE)


def latency(value: float | None) -> str:
    """Write milliseconds with one decimal below 100, and whole above."""
    if value is None or value >= 99.95:
        return number(value)
    return f"{value:.1f}"


def span(milliseconds: float) -> str:
    """Write a length of time with its unit: "585 ms", "5.0 s"."""
    if milliseconds < 1_000:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1_000:.1f} s"


def listed(names: Sequence[str]) -> str:
    """Write names as a sentence lists them: "a, b and c"."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def members(ids: Sequence[int]) -> str:
    """Write an ISR in the order of its brokers: "1, 2, 3"."""
    return ", ".join(str(broker) for broker in sorted(ids))


def operation(done: Mapping[str, Any]) -> str:
    """Write one operation of an anomaly: "read by 0: sequence 7 at offset 12"."""
    who = "" if done["who"] is None else f" by {done['who']}"
    seq = None if done["seq"] is None else f"sequence {done['seq']}"
    offset = None if done["offset"] is None else f"at offset {done['offset']}"
    message = " ".join(part for part in (seq, offset, done["note"]) if part)
    return f"{done['what']}{who}: {message}" if message else f"{done['what']}{who}"


def slug(words: str) -> str:
    """Return words as an anchor: "ISR shrinks" is isr-shrinks."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def arm_id(arm: str) -> str:
    return f"arm-{slug(arm)}"


def cell_id(kafka: str, scenario: str, arm: str) -> str:
    return f"cell-{slug(kafka)}-{slug(scenario)}-{slug(arm)}"


def link_to(cell: Cell) -> str | None:
    """Return the place of a cell's arm in its run's report; None if there was no run."""
    return f"{cell.report}#{arm_id(cell.arm)}" if cell.report and cell.repeats else None
