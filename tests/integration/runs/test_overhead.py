"""The benchmarks on brokers give every figure of every arm, and leave no broker."""

import json
from pathlib import Path

import pytest

from commands import insync_json
from insync.overhead.figures import FIGURES, OF_SCALE, OF_START

ARMS = ["stock", "request"]


@pytest.mark.long
def test_an_overhead_has_every_figure(tmp_path: Path) -> None:
    out = tmp_path / "overhead"
    found = insync_json("bench", "overhead", "--quick", "--arms", ",".join(ARMS), "--out", out)
    assert found == json.loads((out / "overhead.json").read_text())
    (figures,) = found["rounds"]
    assert list(figures) == ARMS
    for arm in ARMS:
        assert set(figures[arm]) == {spec.name for spec in FIGURES}
        for name in ("records_per_s", "consumed_per_s", "bytes_per_fetch", "heap_mb", "ready_s"):
            assert figures[arm][name] > 0, name


@pytest.mark.long
def test_a_start_has_every_figure(tmp_path: Path) -> None:
    out = tmp_path / "startup"
    found = insync_json(
        "bench", "startup", "--arms", ",".join(ARMS), "--rounds", "1", "--out", out
    )  # fmt: skip
    (figures,) = found["rounds"]
    for arm in ARMS:
        assert set(figures[arm]) == {spec.name for spec in OF_START}
        assert all(value > 0 for value in figures[arm].values())


@pytest.mark.long
def test_a_scale_has_every_figure_of_every_size(tmp_path: Path) -> None:
    out = tmp_path / "scale"
    found = insync_json(
        "bench", "scale", "--partitions", "30,90", "--arms", ",".join(ARMS), "--out", out
    )
    assert found == json.loads((out / "scale.json").read_text())
    assert list(found["rounds"]) == ["30", "90"]
    assert {(each["arm"], each["figure"]) for each in found["slopes"]} == {
        (arm, spec.name) for arm in ARMS for spec in OF_SCALE
    }
    for each in found["slopes"]:
        if each["figure"] in ("heap_mb", "bytes_per_fetch"):
            assert min(each["values"].values()) > 0
