"""Prints the table of fault kinds as Markdown: `python -m insync.faults.docs`."""

from typing import Any, Final

from insync.faults.kind import FaultKind
from insync.faults.registry import KINDS

_OF_EVERY_KIND: Final = {"kind", "broker", "at_ms", "for_ms"}


def as_markdown() -> str:
    """Return the table of all kinds, with the notes below it."""
    rows = [_row(name, kind) for name, kind in KINDS.items()]
    notes = [f"- `{name}`: {kind.words.notes}" for name, kind in KINDS.items() if kind.words.notes]
    head = "| kind | keys | what it does | how | what shows that it acted |\n|---|---|---|---|---|"
    return "\n".join([head, *rows, "", *notes, ""])


def _row(name: str, kind: FaultKind[Any]) -> str:
    keys = ", ".join(f"`{key}`" for key in kind.spec.model_fields if key not in _OF_EVERY_KIND)
    words = kind.words
    return f"| `{name}` | {keys} | {words.does} | {words.mechanism} | {words.evidence} |"


if __name__ == "__main__":
    print(as_markdown(), end="")
