"""Every threshold has a source, and docs/test/why.md names every cause."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from insync.why.answer import CAUSES
from insync.why.rules import Rules, as_markdown

PAGE = Path(__file__).parents[3] / "docs" / "test" / "why.md"


def test_the_table_of_thresholds_has_every_rule() -> None:
    assert all(f"| `{rule.name}` |" in as_markdown() for rule in fields(Rules))


def test_every_threshold_says_what_it_means_and_where_it_comes_from() -> None:
    for rule in fields(Rules):
        assert all(rule.metadata[name] for name in ("unit", "says", "source")), rule.name


def test_every_cause_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{cause}`" in text for cause in CAUSES)
