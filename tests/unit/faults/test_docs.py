"""docs/test/faults.md lists every fault kind as its file describes it."""

from pathlib import Path

from insync.faults import docs
from insync.faults.registry import KINDS

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "test" / "faults.md"


def test_the_table_of_kinds_is_up_to_date() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    assert docs.written(text) == text, f"run: {docs.BEGIN.split('`')[1]}"
    assert all(f"| `{name}` |" in text for name in KINDS)
