"""Computes figures from a table's rows, without Spark."""

from typing import Any

import pytest

from insync.analysis.verdict.repeat_facts import Completeness, _metrics, _soonest_return_ms
from insync.events.run_info import RunInfo, RunTransactions
from unit.repeat_rows import whole_repeat
from unit.run_folder import Story, run_json
from unit.verdict.made_up import with_workload

WHOLE = Completeness(whole=True)


def change(t_ms: float, partition: int, before: int, after: int) -> dict[str, Any]:
    return {"t_ms": t_ms, "partition": partition, "leader_before": before, "leader": after}


@pytest.mark.parametrize(
    ("changes", "soonest"),
    [
        ([], None),
        ([change(100, 0, 1, 2), change(200, 1, 2, 1)], None),
        ([change(100, 0, 1, 2), change(900, 0, 2, 1)], 800),
        ([change(900, 0, 2, 1), change(100, 0, 1, 2)], 800),
        ([change(0, 0, 1, 2), change(300, 0, 2, 3), change(500, 0, 3, 1)], 500),
        ([change(0, 0, 1, 2), change(700, 0, 2, 1), change(1_000, 0, 1, 2)], 300),
    ],
)
def test_the_soonest_return_is_the_shortest_absence_of_a_leader(
    changes: list[dict[str, Any]], soonest: float | None
) -> None:
    assert _soonest_return_ms({"leader_changes": changes}) == soonest


def run_of(*, client_retries: bool = True) -> RunInfo:
    run = RunInfo.model_validate(run_json(Story(repeats=1)))
    return with_workload(run, client_retries=client_retries)


def test_records_that_a_leader_refused_are_counted_where_producers_do_not_retry() -> None:
    errors = [
        {"error": "NOT_ENOUGH_REPLICAS", "records": 5},
        {"error": "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "records": 2},
        {"error": "REQUEST_TIMED_OUT", "records": 9},
    ]
    rows = {**whole_repeat({1}, 1), "errors": errors}
    once = run_of(client_retries=False)
    assert _metrics(once, rows, WHOLE)["refused"] == 7
    assert "refused" not in _metrics(run_of(), rows, WHOLE)
    assert "refused" not in _metrics(once, {**rows, "ack_latency": []}, WHOLE)


def test_cycles_of_writes_are_counted_and_those_of_reads_are_unknown_if_nobody_reads() -> None:
    run = with_workload(run_of(), transactions=RunTransactions(coordinators=(1,)))
    rows = {**whole_repeat({1}, 1), "cycles": [{"kind": "g0"}, {"kind": "g0"}, {"kind": "g1c"}]}
    found = _metrics(run, rows, WHOLE)
    assert (found["g0"], found["g1c"], found["precommitted_read"]) == (2, 0, 0)
    rows["checked"] = [{**rows["checked"][0], "g1c": None}]
    assert _metrics(run, rows, WHOLE)["g1c"] is None
    assert _metrics(run, rows, Completeness(whole=False))["precommitted_read"] is None


def test_partitions_that_were_ever_under_replicated_are_counted() -> None:
    run = run_of()
    rows = whole_repeat({1}, run.partitions)
    assert _metrics(run, rows, WHOLE)["under_replicated"] == 0
    topic, first, *_, last = rows["availability"]
    for row, short_ms in ((topic, 700.0), (first, 500.0), (last, 300.0)):
        row["under_replicated_ms"] = short_ms
    found = _metrics(run, rows, WHOLE)
    assert (found["under_replicated"], found["under_replicated_ms"]) == (2, 700.0)


def test_the_longest_ack_is_that_of_the_whole_topic() -> None:
    rows = whole_repeat({1}, 1)
    acks = {"mean_ms": 3.0, "acked": 1}
    rows["ack_latency"] = [
        {**acks, "partition": 0, "max_ms": 4.0}, {**acks, "partition": None, "max_ms": 6.0},
    ]  # fmt: skip
    assert _metrics(run_of(), rows, WHOLE)["max_ms"] == 6.0


def test_records_of_all_pauses_are_counted() -> None:
    pauses = [{"early": 0, "waited": 2}, {"early": 1, "waited": 3}]
    run = run_of()
    rows = {**whole_repeat({1}, run.partitions), "pauses": pauses}
    found = _metrics(run, rows, WHOLE)
    assert (found["acked_during_pause"], found["acked_after_pause"]) == (1, 5)
    assert "acked_after_pause" not in _metrics(run, {**rows, "availability": []}, WHOLE)


@pytest.mark.parametrize(
    ("waits", "longest"), [([], None), ([50.0, 90.0], 90.0), ([50.0, None], None)]
)
def test_the_last_added_replica_decides(waits: list[float | None], longest: float | None) -> None:
    run = run_of()
    added = [{"joined_ms": wait} for wait in waits]
    rows = {**whole_repeat({1}, run.partitions), "added_replicas": added}
    assert _metrics(run, rows, WHOLE)["joined_ms"] == longest
