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


def found(run: RunInfo, recorded: Completeness = WHOLE, **tables: Any) -> dict[str, Any]:
    """Return the metrics of a repeat with these rows, and else with those of a whole one."""
    return dict(_metrics(run, {**whole_repeat({1}, run.partitions), **tables}, recorded))


def test_records_that_a_leader_refused_are_counted_where_producers_do_not_retry() -> None:
    names = ("NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND", "REQUEST_TIMED_OUT")
    errors = [{"error": each, "records": n} for each, n in zip(names, (5, 2, 9), strict=True)]
    once = run_of(client_retries=False)
    assert found(once, errors=errors)["refused"] == 7
    assert "refused" not in found(run_of(), errors=errors)
    assert "refused" not in found(once, errors=errors, ack_latency=[])


def test_cycles_of_writes_are_counted_and_those_of_reads_are_unknown_if_nobody_reads() -> None:
    run = with_workload(run_of(), transactions=RunTransactions(coordinators=(1,)))
    cycles = [{"kind": "g0"}, {"kind": "g0"}, {"kind": "g1c"}]
    seen = found(run, cycles=cycles)
    assert (seen["g0"], seen["g1c"], seen["precommitted_read"]) == (2, 0, 0)
    checked = [{**whole_repeat({1}, 1)["checked"][0], "g1c": None}]
    assert found(run, cycles=cycles, checked=checked)["g1c"] is None
    assert found(run, Completeness(whole=False), cycles=cycles)["precommitted_read"] is None


def test_partitions_that_were_ever_under_replicated_are_counted() -> None:
    run = run_of()
    assert found(run)["under_replicated"] == 0
    availability = whole_repeat({1}, run.partitions)["availability"]
    topic, first, *_, last = availability
    for row, short_ms in ((topic, 700.0), (first, 500.0), (last, 300.0)):
        row["under_replicated_ms"] = short_ms
    seen = found(run, availability=availability)
    assert (seen["under_replicated"], seen["under_replicated_ms"]) == (2, 700.0)


def test_the_longest_ack_is_that_of_the_whole_topic() -> None:
    acks = {"mean_ms": 3.0, "acked": 1}
    latency = [{**acks, "partition": 0, "max_ms": 4.0}, {**acks, "partition": None, "max_ms": 6.0}]
    assert found(run_of(), ack_latency=latency)["max_ms"] == 6.0


def test_records_of_all_pauses_are_counted() -> None:
    pauses = [{"early": 0, "waited": 2}, {"early": 1, "waited": 3}]
    seen = found(run_of(), pauses=pauses)
    assert (seen["acked_during_pause"], seen["acked_after_pause"]) == (1, 5)
    assert "acked_after_pause" not in found(run_of(), pauses=pauses, availability=[])


@pytest.mark.parametrize(
    ("waits", "longest"), [([], None), ([50.0, 90.0], 90.0), ([50.0, None], None)]
)
def test_the_last_added_replica_decides(waits: list[float | None], longest: float | None) -> None:
    added = [{"joined_ms": wait} for wait in waits]
    assert found(run_of(), added_replicas=added)["joined_ms"] == longest
