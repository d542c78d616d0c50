"""docs/test/why.md names every cause."""

from pathlib import Path

from insync.why.answer import CAUSES

PAGE = Path(__file__).parents[3] / "docs" / "test" / "why.md"


def test_every_cause_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{cause}`" in text for cause in CAUSES)
