"""docs/extend/sensitivity.md has the tables that the tests go by."""

from __future__ import annotations

from pathlib import Path

from unit.sensitivity.page import FOOT, HEAD, tables

PAGE = Path(__file__).parents[3] / "docs" / "extend" / "sensitivity.md"


def test_the_page_has_the_generated_tables() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.partition(f"{HEAD}\n")[2].partition(FOOT)[0].strip() == tables().strip()
