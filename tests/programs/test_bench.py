"""Runs every benchmark of the agent's core once and reads its figures; does not judge them."""

from pathlib import Path

import pytest

from bench_core import Effort, measure, read_rows
from insync.brokers.kafka.java import find_java
from insync.errors import InsyncError

LEAST = Effort(partitions=(3,), threads=(2,), warm_ups=1, measurements=1, iteration_ms=20)


def test_every_benchmark_runs_and_is_read(tmp_path: Path) -> None:
    rows = {row.benchmark: row for row in read_rows(measure(find_java(), LEAST, tmp_path))}
    assert {"empty advice", "compare and set"} <= rows.keys()
    for row in rows.values():
        assert (row.partitions, row.threads) == (3, 2)
        assert row.ns_per_partition > 0
        assert row.bytes_per_partition >= 0


def test_a_jmh_that_fails_is_one_line(tmp_path: Path) -> None:
    nothing = Effort(partitions=(0,), threads=(0,), warm_ups=1, measurements=1, iteration_ms=20)
    with pytest.raises(InsyncError, match=r"bench: JMH's exit code is \d+, see .*jmh\.txt: "):
        measure(find_java(), nothing, tmp_path)
