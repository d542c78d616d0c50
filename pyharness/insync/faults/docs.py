"""Writes the table of fault kinds into docs/test/faults.md.

python -m insync.faults.docs docs/test/faults.md
"""

import re
import sys
from pathlib import Path
from typing import Any, Final

from insync.faults.kind import FaultKind
from insync.faults.registry import KINDS

BEGIN: Final = "<!-- fault kinds: made by `python -m insync.faults.docs docs/test/faults.md` -->"
END: Final = "<!-- end of fault kinds -->"
_OF_EVERY_KIND: Final = {"kind", "broker", "at_ms", "for_ms"}
_BLOCK: Final = re.compile(f"{re.escape(BEGIN)}.*{re.escape(END)}", re.DOTALL)


def block() -> str:
    """Return the table of all kinds, with the notes below it."""
    rows = [_row(name, kind) for name, kind in KINDS.items()]
    notes = [f"- `{name}`: {kind.words.notes}" for name, kind in KINDS.items() if kind.words.notes]
    head = "| kind | keys | what it does | how | what shows that it acted |\n|---|---|---|---|---|"
    return "\n".join([BEGIN, head, *rows, "", *notes, END])


def written(text: str) -> str:
    """Return a document with its block of kinds regenerated."""
    return _BLOCK.sub(lambda _: block(), text)


def _row(name: str, kind: FaultKind[Any]) -> str:
    keys = ", ".join(f"`{key}`" for key in kind.spec.model_fields if key not in _OF_EVERY_KIND)
    words = kind.words
    return f"| `{name}` | {keys} | {words.does} | {words.mechanism} | {words.evidence} |"


if __name__ == "__main__":
    document = Path(sys.argv[1])
    document.write_text(written(document.read_text(encoding="utf-8")), encoding="utf-8")
