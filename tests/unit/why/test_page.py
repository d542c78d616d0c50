"""docs/test/why.md has the thresholds of the code, each with its source."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from insync.why.answer import CAUSES
from insync.why.rules import Rules, as_markdown

PAGE = Path(__file__).parents[3] / "docs" / "test" / "why.md"


def test_the_table_of_thresholds_is_that_of_the_code() -> None:
    assert as_markdown() in PAGE.read_text(encoding="utf-8")


def test_every_threshold_says_what_it_means_and_where_it_comes_from() -> None:
    for rule in fields(Rules):
        assert all(rule.metadata[name] for name in ("unit", "says", "source")), rule.name


def test_every_cause_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{cause}`" in text for cause in CAUSES)
