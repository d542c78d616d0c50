"""Figures per partition from JMH's results, relative to the baselines of the same run."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench_core import ALLOCATED, COMPARE_AND_SET, EMPTY, read_rows

MARK = "insync.bench.Tracker.markAndRelease"


def entry(benchmark: str, ns: float, **params: str) -> dict[str, Any]:
    allocated = {"score": ns / 10, "scoreError": "NaN", "scoreUnit": "B/op"}
    return {
        "jmhVersion": "1.37",
        "benchmark": benchmark,
        "threads": 2,
        "params": {"partitions": "100", **params},
        "primaryMetric": {"score": ns, "scoreError": "NaN", "scoreUnit": "ns/op"},
        "secondaryMetrics": {ALLOCATED: allocated, "gc.count": {"score": 0.0}},
    }


def results(folder: Path, *entries: dict[str, Any]) -> list[Path]:
    """One file per entry, as if each number of threads had its own."""
    files = [folder / f"{number}.json" for number in range(len(entries))]
    for file, content in zip(files, entries, strict=True):
        file.write_text(json.dumps([content]))
    return files


def test_figures_are_per_partition_and_against_both_baselines(tmp_path: Path) -> None:
    files = results(
        tmp_path,
        entry(MARK, 3000.0, scope="read"),
        entry(EMPTY, 100.0),
        entry(COMPARE_AND_SET, 600.0),
    )
    mark, empty, _ = read_rows(files)
    assert (mark.benchmark, mark.partitions, mark.threads) == ("mark and release, read", 100, 2)
    assert (mark.ns_per_partition, mark.bytes_per_partition) == (30.0, 3.0)
    assert (mark.times_empty_advice, mark.times_compare_and_set) == (30.0, 5.0)
    assert (empty.benchmark, empty.times_empty_advice) == ("empty advice", 1.0)


@pytest.mark.parametrize("broken", [{"benchmark": "insync.bench.Other.thing"}, {"threads": 4}])
def test_without_a_baseline_of_the_same_point_there_is_no_figure(
    broken: dict[str, Any], tmp_path: Path
) -> None:
    files = results(tmp_path, {**entry(EMPTY, 100.0), **broken}, entry(COMPARE_AND_SET, 600.0))
    with pytest.raises(KeyError, match="Baseline"):
        read_rows(files)
