"""`insync overhead` gives every figure of every arm."""

import json
from pathlib import Path

import pytest

from commands import insync_json
from insync.engine.campaign import read_done
from insync.overhead.figures import FIGURES

ARMS = ["stock", "request"]


@pytest.mark.long
def test_an_overhead_has_every_figure_of_every_arm(tmp_path: Path) -> None:
    out = tmp_path / "overhead"
    found = insync_json(
        "overhead", "--rounds", "1", "--records", "5000", "--idle", "90",
        "--arms", ",".join(ARMS), "--out", out,
    )  # fmt: skip
    assert found == json.loads((out / "verdict.json").read_text())
    assert [each["of"] for each in found["children"]] == ["request"]
    done = read_done(out)
    assert done.keys() == {f"round-1/{arm}" for arm in ARMS}
    for figures in done.values():
        assert set(figures) == {spec.name for spec in FIGURES}
        for name in ("records_per_s", "bytes_per_fetch", "heap_mb", "ready_s"):
            assert figures[name] > 0, name
