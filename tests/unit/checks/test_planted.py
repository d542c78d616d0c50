"""The checker finds and shows every anomaly planted in made-up histories, and nothing else.

Many histories are the repeats of one run, so that one pass of the engine checks hundreds.
"""

import json
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.analysis.checks import log_divergence, preceding
from insync.analysis.checks.registry import ANOMALIES, metrics_checked
from insync.analysis.engine import paths
from insync.analysis.engine.session import Session
from insync.analysis.tables.bronze.folders import of_run, runs_rows
from insync.analysis.tables.bronze.lines import read_lines
from insync.analysis.tables.build import STEPS, AnyStep
from insync.analysis.tables.pipeline import Store, add_lines
from insync.events.run_info import RunInfo
from properties import slow_property
from unit.histories.clean import REPLICAS, clean
from unit.histories.history import ARM, FILES, PARTITIONS, History
from unit.histories.plantings import ALL, PLANTINGS, planted, planted_where_it_fits
from unit.run_folder import Story, append, run_json

Found = dict[tuple[int, str, int, int | None], set[int]]
"""(repeat, anomaly, partition, offset) -> sequence numbers shown."""
Rows = dict[str, list[dict[str, Any]]]
OF_READS = {"reordered", "gaps", "inconsistent", "corrupt", "unexpected", "moved"}
"""Metrics that count what consumers read."""


def check(session: Session, histories: Sequence[History], spoil: int = 0) -> Rows:
    """Return the rows of the checker's tables over all histories.

    `spoil` is how many lines of each file are written twice, and how many truncated lines are
    added.
    """
    by_kind = defaultdict(list)
    for history in histories:
        for kind, line in history.lines():
            by_kind[kind].append(line)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "events" / ARM
        chance = random.Random(spoil)  # noqa: S311
        for kind, lines in by_kind.items():
            if kind in ("produce", "consume", "batches", "transactions", "transaction_reads"):
                lines += chance.sample(lines, min(spoil, len(lines)))
            append(folder / FILES[kind], lines)
            with (folder / FILES[kind]).open("a") as file:
                file.writelines(json.dumps(lines[0])[:-9] + "\n" for _ in range(spoil))
        info = RunInfo.model_validate(run_json(Story(arms=(ARM,), repeats=len(histories))))
        run = of_run(paths.local(Path(scratch)), info, has_events=True)
        into = paths.local(Path(scratch) / "tables")
        store = Store(session, into)
        store.keep("runs", runs_rows([run]))
        add_lines(session, store, read_lines(session, [run], f"{into}/bronze"))
        wanted = ("checked", "readback", "transactions", "anomalies")
        store.compute(steps_for(wanted))
        return {name: store.rows(name) for name in wanted}


def steps_for(wanted: Sequence[str]) -> list[AnyStep]:
    """Return the steps that compute some tables, and those that they need, in order."""
    found: list[AnyStep] = []
    due = set(wanted)
    for step in reversed(STEPS):
        if step.name in due:
            due |= set(step.reads)
            found.append(step)
    return found[::-1]


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


def of_any_kind(many: int, seed: int) -> list[History]:
    chance = random.Random(seed)  # noqa: S311
    plantings = [chance.choices(ALL, k=chance.randint(0, PARTITIONS)) for _ in range(many)]
    return [planted(number, chance.getrandbits(32), each) for number, each in enumerate(plantings)]


def incomplete(first: int) -> list[History]:
    """Make up histories: with unread logs, without a leader, without watermarks, whole, and old."""
    unread, unled, uncounted, whole, old = (
        clean(first + number, seed=seed) for number, seed in enumerate((0, 1, 2, 3, OLD))
    )
    assert whole.has_fresh
    assert not old.has_fresh
    unread.replica_logs[0]["problem"] = "CorruptRecordException"
    unread.replica_logs.pop()  # of the last partition
    unled.roles = [role for role in unled.roles if role["role"] == "follower"]
    for role in uncounted.roles:
        role["high_watermark"] = None
    return [unread, unled, uncounted, whole, old]


def left_behind(repeat: int) -> History:
    """Make up a history at whose end a replica is out of every ISR, and has no batch any more."""
    history = clean(repeat, seed=3)
    for last in {line["partition"]: line for line in history.isr}.values():
        isr = [each for each in last["replicas"] if each != REPLICAS[-1]]
        history.isr.append({**last, "t_ms": 8_000.0, "isr": isr})
    history.batches = [each for each in history.batches if each["replica"] != REPLICAS[-1]]
    return history


CLEAN = 20
"""How many clean histories are checked."""
OLD = next(seed for seed in count() if not clean(0, seed).has_fresh)
"""The seed of a history without a fresh consumer."""


@dataclass(frozen=True)
class Checked:
    """Histories of several kinds, and the rows of the checker's tables over all of them."""

    clean: Sequence[History]
    planted: Sequence[History]
    incomplete: Sequence[History]
    left_behind: History
    rows: Rows

    def rows_of(self, histories: Sequence[History]) -> Rows:
        repeats = {history.repeat for history in histories}
        return {
            name: [row for row in rows if row["repeat"] in repeats]
            for name, rows in self.rows.items()
        }


@pytest.fixture(scope="module")
def checked(session: Session) -> Checked:
    """Check the histories that are the same in every session, all in one pass of the engine."""
    number = count()
    plain = [clean(next(number), seed=seed) for seed in range(CLEAN)]
    with_one = [
        planted_where_it_fits(next(number), seed, planting) for seed, planting in enumerate(ALL)
    ]
    with_gaps = incomplete(next(number))
    behind = left_behind(with_gaps[-1].repeat + 1)
    rows = check(session, [*plain, *with_one, *with_gaps, behind])
    return Checked(plain, with_one, with_gaps, behind, rows)


def test_every_anomaly_has_a_planting() -> None:
    assert set(PLANTINGS) == {anomaly.name for anomaly in ANOMALIES}


def test_a_clean_history_has_no_anomalies_and_all_of_it_was_checked(checked: Checked) -> None:
    rows = checked.rows_of(checked.clean)
    assert rows["anomalies"] == []
    assert len(rows["checked"]) == CLEAN * PARTITIONS
    transactional = {history.repeat for history in checked.clean if history.transactional}
    old = {history.repeat for history in checked.clean if not history.has_fresh}
    for row in rows["checked"]:
        unread = set() if row["repeat"] in transactional else {"g1c"}  # nobody reads there
        unverified = {"corrupt"} if row["repeat"] in old else set()  # no value has a checksum
        unknown = {name for name in metrics_checked() if row[name] is None}
        assert unknown == unread | unverified
        assert {row[name] for name in metrics_checked()} <= {0, None}
    assert {row["lost"] + row["duplicated"] for row in rows["readback"]} == {0}


def test_every_planting_is_found_and_shown(checked: Checked) -> None:
    found = found_in(checked.rows_of(checked.planted))
    expected = expected_of(checked.planted)
    assert set(found) == set(expected)
    assert {place for place, seqs in expected.items() if not seqs <= found[place]} == set()
    assert {kind for _, kind, _, _ in found} == {anomaly.name for anomaly in ANOMALIES}


@slow_property(1)
@given(st.integers(0, 2**32), st.sampled_from([5, 0]))
def test_only_planted_anomalies_are_found(session: Session, seed: int, spoil: int) -> None:
    histories = of_any_kind(60, seed)
    rows = check(session, histories, spoil)
    found, expected = found_in(rows), expected_of(histories)
    assert set(found) == set(expected)
    assert {place for place, seqs in expected.items() if not seqs <= found[place]} == set()
    for metric, anomalies in metrics_checked().items():
        names = {anomaly.name for anomaly in anomalies}
        counted = sum(row[metric] or 0 for row in rows["checked"])
        assert counted == sum(row["kind"] in names for row in rows["anomalies"])
    assert sum(row["duplicated_idempotent"] for row in rows["readback"]) == sum(
        kind == "idempotent-duplicate" for _, kind, _, _ in found
    )
    assert sum(row["torn"] for row in rows["transactions"]) == sum(
        kind == "fractured-read" for _, kind, _, _ in found
    )


def test_a_count_without_data_is_null_and_not_zero(checked: Checked) -> None:
    rows = checked.rows_of(checked.incomplete)
    first = checked.incomplete[0].repeat
    assert rows["anomalies"] == []
    known = Counter(
        (row["repeat"] - first, metric)
        for row in rows["checked"]
        for metric in metrics_checked()
        if row[metric] is not None
    )
    assert {place for place in known if place[1] in OF_READS} == {
        (number, metric)
        for number, history in enumerate(checked.incomplete)
        for metric in OF_READS
        if metric != "corrupt" or history.has_fresh
    }
    transactional = [at for at, each in enumerate(checked.incomplete) if each.transactional]
    of_logs = ("diverged", "missing_from_log", "repeated_sequences")
    logs_read = {(0, metric): PARTITIONS - 2 for metric in of_logs}
    if not checked.incomplete[0].has_fresh:
        logs_read[0, "truncated"] = PARTITIONS - 2
    assert {place: many for place, many in known.items() if place[1] not in OF_READS} == {
        **{
            (number, metric): PARTITIONS
            for number in range(5)
            for metric in (*of_logs, "truncated", "group_skipped", "precommitted_read")
        },
        **{(number, "g1c"): PARTITIONS for number in transactional},
        **logs_read,
        (0, "split_epochs"): 4, (0, "watermarks_back"): 4, (1, "watermarks_back"): 4,
        (2, "split_epochs"): 4, (3, "split_epochs"): 4, (3, "watermarks_back"): 4,
        (4, "split_epochs"): 4, (4, "watermarks_back"): 4,
    }  # fmt: skip


def test_a_replica_out_of_the_isr_at_the_end_need_not_have_the_records(checked: Checked) -> None:
    """A broker that ended by itself has not lost what was acked after that."""
    rows = checked.rows_of([checked.left_behind])
    assert rows["anomalies"] == []
    for row in rows["checked"]:
        assert (row["missing_from_log"], row["diverged"]) == (None, None)
        assert (row["truncated"], row["moved"]) == (0, 0)


def test_chunks_of_a_history_continue_those_before_them(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preceding, "CHUNK", 3)
    monkeypatch.setattr(log_divergence, "RANGE", 5)
    names = (
        "nonmonotonic-send", "nonmonotonic-poll", "inconsistent-offsets", "split-epoch",
        "nonmonotonic-high-watermark", "log-divergence", "lost-write", "duplicate",
        "repeated-sequence", "int-poll-skip", "int-nonmonotonic-poll",
    )  # fmt: skip
    plantings = [planting for name in names for planting in PLANTINGS[name]]
    histories = [
        planted(number, 100 + number, [*islice(cycle(plantings), at, at + 3)])
        for number, at in enumerate(range(len(plantings)))
    ]
    found, expected = found_in(check(session, histories)), expected_of(histories)
    assert set(found) == set(expected)
