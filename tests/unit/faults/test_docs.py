"""The table of fault kinds lists each kind, with its keys, as its file describes it."""

import re

from insync.faults import docs
from insync.faults.registry import KINDS


def test_every_kind_is_in_the_table() -> None:
    rows = re.findall(r"^\| `(.*?)` \| (.*) \|$", docs.as_markdown(), re.MULTILINE)
    assert [name for name, _ in rows] == list(KINDS)
    for name, cells in rows:
        assert all(f"`{key}`" in cells for key in set(KINDS[name].spec.model_fields) - {
            "kind", "broker", "at_ms", "for_ms",
        }), name  # fmt: skip
        assert KINDS[name].words.evidence in cells
