"""The checker on made-up histories: it finds all that was planted, shows it, and nothing else.

Many histories are the repeats of one run, so that one pass of Spark checks hundreds.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from insync.analysis.checks import replicas, running
from insync.analysis.checks.anomalies import KINDS_OF
from insync.analysis.tables import build
from insync.analysis.tables.bronze.folders import of_run
from insync.analysis.tables.bronze.lines import Events, bronze, raw_lines
from insync.analysis.tables.bronze.runs import runs_table
from insync.analysis.tables.spark import places
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.events import schema
from insync.events.run_info import RunInfo
from unit.histories import ARM, IN_TRANSACTIONS, PARTITIONS, PLANTINGS, History, clean, planted
from unit.run_folder import Story, append, run_json

FILES = {
    "produce": schema.produce_file(0),
    "consume": schema.consume_file(0),
    "transactions": schema.transactions_file(0),
    "isr": schema.ISR,
    "roles": schema.ROLES,
    "batches": schema.batches_file(0),
    "replica_logs": schema.REPLICA_LOGS,
    "phases": schema.PHASES,
}
Found = dict[tuple[int, str, int, int | None], set[int]]
"""(repeat, kind, partition, offset) -> sequence numbers shown."""
Rows = dict[str, list[dict[str, Any]]]


def check(spark: SparkSession, histories: Sequence[History], spoil: int = 0) -> Rows:
    """Return the rows of the checker's tables over all histories.

    `spoil`: as many lines stand there twice, and as many torn ones besides.
    """
    by_kind = defaultdict(list)
    for history in histories:
        for kind, line in history.lines():
            by_kind[kind].append(line)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "events" / ARM
        chance = random.Random(spoil)  # noqa: S311
        for kind, lines in by_kind.items():
            if kind in ("produce", "consume", "batches", "transactions"):
                lines += chance.sample(lines, min(spoil, len(lines)))
            append(folder / FILES[kind], lines)
            with (folder / FILES[kind]).open("a") as file:
                file.writelines(json.dumps(lines[0])[:-9] + "\n" for _ in range(spoil))
        info = RunInfo.model_validate(run_json(Story(arms=(ARM,), repeats=len(histories))))
        run = of_run(places.local(Path(scratch)), info, has_events=True)
        runs = runs_table(spark, Hadoop(spark), [run])
        events = Events.of(dict(bronze(raw_lines(spark, [run], runs))))
        tables = {"runs": runs}
        for step in (*build.STEPS["silver"], (build.check,)):
            made = [part(dict(tables), events) for part in step]
            tables |= {name: table.localCheckpoint(eager=False) for name, table in chain(*made)}
        wanted = ("anomalies", "checked", "readback", "transactions")
        return {
            name: [row.asDict(recursive=True) for row in tables[name].collect()] for name in wanted
        }


def found_in(rows: Rows) -> Found:
    found: Found = defaultdict(set)
    for row in rows["anomalies"]:
        seqs = {each["seq"] for each in row["operations"]}
        found[row["repeat"], row["kind"], row["partition"], row["offset"]] |= seqs
    return found


def expected_of(histories: Sequence[History]) -> Found:
    return {
        (history.repeat, *place): seqs
        for history in histories
        for place, seqs in history.expected.items()
    }


def of_any_kind(many: int) -> st.SearchStrategy[list[tuple[int, tuple[int, ...]]]]:
    """Make the seeds of many histories, each with what is planted in its partitions."""
    kinds = st.integers(0, len(PLANTINGS) + len(IN_TRANSACTIONS) - 1)
    one = st.tuples(st.integers(0, 2**32), st.lists(kinds, max_size=PARTITIONS).map(tuple))
    return st.lists(one, min_size=many, max_size=many)


def test_a_clean_history_has_no_anomalies_and_all_of_it_was_checked(spark: SparkSession) -> None:
    histories = [clean(number, seed=number) for number in range(40)]
    rows = check(spark, histories)
    assert rows["anomalies"] == []
    assert len(rows["checked"]) == 40 * PARTITIONS
    assert {row[metric] for row in rows["checked"] for metric in KINDS_OF} == {0}
    assert {row["lost"] + row["duplicated"] for row in rows["readback"]} == {0}


def test_every_planting_is_found_and_shown(spark: SparkSession) -> None:
    kinds = range(len(PLANTINGS) + len(IN_TRANSACTIONS))
    histories = [
        planted(number, seed, (kind,))
        for number, (kind, seed) in enumerate((kind, seed) for kind in kinds for seed in range(4))
    ]
    found, expected = found_in(check(spark, histories)), expected_of(histories)
    assert set(found) == set(expected)
    assert {place for place, seqs in expected.items() if not seqs <= found[place]} == set()
    kinds_found = {kind for _, kind, _, _ in found}
    assert kinds_found >= {kind for kinds in KINDS_OF.values() for kind in kinds}
    assert kinds_found >= {"lost", "duplicated", "aborted_read", "torn"}


@settings(max_examples=4, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(of_any_kind(60), st.sampled_from([0, 5]))
def test_all_that_is_planted_is_found_and_nothing_else(
    spark: SparkSession, stories: list[tuple[int, tuple[int, ...]]], spoil: int
) -> None:
    histories = [planted(number, *story) for number, story in enumerate(stories)]
    rows = check(spark, histories, spoil)
    found, expected = found_in(rows), expected_of(histories)
    assert set(found) == set(expected)
    assert {place for place, seqs in expected.items() if not seqs <= found[place]} == set()
    for metric, kinds in KINDS_OF.items():
        counted = sum(row[metric] for row in rows["checked"])
        assert counted == sum(row["kind"] in kinds for row in rows["anomalies"])
    assert sum(row["torn"] for row in rows["transactions"]) == sum(
        kind == "torn" for _, kind, _, _ in found
    )


def test_what_was_not_recorded_is_unknown_and_not_none_at_all(spark: SparkSession) -> None:
    unread, unled, uncounted, whole = (clean(number, seed=number) for number in range(4))
    unread.replica_logs[0]["problem"] = "CorruptRecordException"
    unread.replica_logs.pop()  # of the last partition
    unled.roles = [role for role in unled.roles if role["role"] == "follower"]
    for role in uncounted.roles:
        role["high_watermark"] = None
    rows = check(spark, [unread, unled, uncounted, whole])
    assert rows["anomalies"] == []
    known = Counter(
        (row["repeat"], metric)
        for row in rows["checked"]
        for metric in ("diverged", "split_epochs", "watermarks_back")
        if row[metric] is not None
    )
    assert known == {
        (0, "diverged"): PARTITIONS - 2, (0, "split_epochs"): 4, (0, "watermarks_back"): 4,
        (1, "diverged"): 4, (1, "watermarks_back"): 4,
        (2, "diverged"): 4, (2, "split_epochs"): 4,
        (3, "diverged"): 4, (3, "split_epochs"): 4, (3, "watermarks_back"): 4,
    }  # fmt: skip


def test_a_chunk_of_a_history_knows_what_was_before_it(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "CHUNK", 3)
    monkeypatch.setattr(replicas, "RANGE", 5)
    histories = [
        planted(number, 100 + number, (kind, kind + 1, kind + 2))
        for number, kind in enumerate((2, 3, 4, 7, 8, 9) * 3)
    ]
    found, expected = found_in(check(spark, histories)), expected_of(histories)
    assert set(found) == set(expected)
