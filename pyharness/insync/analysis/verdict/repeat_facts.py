"""Computes the facts of every repeat of a run from the rows of the tables.

Rows are plain mappings, so this needs no Spark and can be tested with hand-made ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from insync import metrics
from insync.analysis.verdict.facts import (
    AgentFact,
    ControllerFact,
    FaultFact,
    Metrics,
    RepeatFacts,
    RunFacts,
)
from insync.analysis.verdict.liveness import liveness_metrics, said_of
from insync.analysis.verdict.recorded import Recorded
from insync.arms import BY_TIME
from insync.events.run_info import RunInfo
from insync.events.schema import is_agents_own

REFUSALS: Final = ("NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND")
"""Kafka's errors for a record that finds fewer replicas in sync than min.insync.replicas."""

_OF_RUNS: Final = ("input_lines", "medians", "differences")
"""The tables whose rows are not of a single repeat."""

Row = Mapping[str, Any]
Rows = Mapping[str, Sequence[Row]]


def facts_of_run(run: RunInfo, rows: Rows) -> RunFacts:
    """Return the facts of every planned repeat, including those that never began."""
    return RunFacts(
        finished=run.finished,
        arms={
            arm: tuple(_repeat(run, rows, arm, repeat) for repeat in range(run.repeats))
            for arm in run.arms
        },
        unreadable=_counted(rows, "unreadable"),
        skewed=_counted(rows, "skewed"),
    )


def _counted(rows: Rows, what: str) -> dict[str, int]:
    """Count lines by file, without the files that agents write: no metric is made of those."""
    found = sorted((row["file"], row[what]) for row in rows["input_lines"])
    return {file: count for file, count in found if count and not is_agents_own(file)}


def _repeat(run: RunInfo, rows: Rows, arm: str, repeat: int) -> RepeatFacts:
    own = {name: _of(table, arm, repeat) for name, table in rows.items() if name not in _OF_RUNS}
    complete = bool(own["repeats"] and own["repeats"][0]["complete"])
    live = liveness_metrics(own["liveness"], complete=complete)
    if not own["repeats"]:
        return RepeatFacts(complete=False, metrics=_all_of(live), stuck=said_of(own["liveness"]))
    whole = complete and all(row["read_to_end"] is not False for row in own["readback"])
    recorded = Recorded.of(whole, arm, repeat, _counted(rows, "unreadable"))
    return RepeatFacts(
        complete=complete,
        metrics=_all_of(_known(run, {**_metrics(run, own, recorded), **live})),
        faults=tuple(_fault(row) for row in sorted(own["faults"], key=lambda row: row["fault_no"])),
        agents=tuple(_agent(row) for row in own["agent_counters"]),
        controller=next(map(_controller, own["controller_agent"]), None),
        host_gap_ms=own["repeats"][0]["host_gap_ms"],
        stuck=said_of(own["liveness"]),
    )


def _known(run: RunInfo, found: Metrics) -> Metrics:
    """Return the metrics that are known: without files of nodes that nothing was found is not."""
    if not run.clients_only:
        return found
    unknown = {
        name for name, value in found.items() if metrics.METRICS[name].of_nodes and not value
    }
    return {name: value for name, value in found.items() if name not in unknown}


def _all_of(known: Metrics) -> Metrics:
    """Return every metric of the verdict, None for those that are not known."""
    return {name: known.get(name) for name in metrics.of_verdict()}


def _metrics(run: RunInfo, own: Rows, recorded: Recorded) -> Metrics:
    """Return the known metrics of one repeat."""
    return {
        **_isr_metrics(own, run.partitions),
        **_step_down_metrics(own, brokers=set(run.scenario.workload.leaders)),
        **_ack_metrics(own),
        **_pause_metrics(own),
        **_refused_metrics(run, own),
        **_readback_metrics(own, recorded),
        **_checked_metrics(own, recorded),
        **_transaction_metrics(run, own, recorded),
        **_group_metrics(run, own, recorded),
        **_end_to_end_metrics(own, trusted=recorded.everything),
        **_race_metrics(own, trusted=recorded.everything),
    }


def _of(table: Sequence[Row], arm: str, repeat: int) -> list[Row]:
    return [row for row in table if row["arm"] == arm and row["repeat"] == repeat]


def _isr_metrics(own: Rows, partitions: int) -> Metrics:
    """Return metrics of the ISR; none if a partition is missing in the controller's log."""
    seen = [row for row in own["availability"] if row["partition"] is not None]
    if len(seen) < partitions:
        return {}
    topic = next(row for row in own["availability"] if row["partition"] is None)
    return {
        "isr_shrinks": len(own["isr_shrinks"]),
        "first_shrink_ms": _first_shrink_ms(own),
        "min_isr_size": topic["min_isr_size"],
        "under_min_isr_ms": topic["under_min_isr_ms"],
        "offline_ms": topic["offline_ms"],
        "under_replicated": sum(bool(row["under_replicated_ms"]) for row in seen),
        "under_replicated_ms": topic["under_replicated_ms"],
        "false_alarms": sum(row["healthy"] for row in own["follower_drops"]),
        "detected_ms": _detected_ms(own),
        "let_in_at_fault": sum(row["let_in"] for row in own["detections"]),
        "leader_changes": sum(not row["planned"] for row in own["leader_changes"]),
        "soonest_return_ms": _soonest_return_ms(own["leader_changes"]),
        "dead_follower_dropped_ms": _dropped_ms(own),
        "joined_ms": _joined_ms(own),
    }


def _detected_ms(own: Rows) -> float | None:
    """Return how soon the last follower at fault was out of the ISR; None if it stayed in."""
    last = max(own["detections"], key=lambda row: row["fault_no"], default=None)
    return None if last is None else last["detected_ms"]


def _first_shrink_ms(own: Rows) -> float | None:
    """Return the time from the first fault to the first shrink after it; None without one."""
    begun = min((row["injected_ms"] for row in own["faults"]), default=None)
    if begun is None:
        return None
    waits = (row["t_ms"] - begun for row in own["isr_shrinks"])
    return min((wait for wait in waits if wait >= 0), default=None)


def _soonest_return_ms(changes: Sequence[Row]) -> float | None:
    """Return the shortest time after which a leader led its partition again; None if none did."""
    left: dict[tuple[int, int], float] = {}
    away = []
    for row in sorted(changes, key=lambda row: row["t_ms"]):
        now, back = row["t_ms"], (row["partition"], row["leader"])
        if back in left:
            away.append(now - left[back])
        left[row["partition"], row["leader_before"]] = now
    return min(away, default=None)


def _dropped_ms(own: Rows) -> float | None:
    """Return the time from a follower's death until it left its last ISR; None if one kept it."""
    waits = [row["took_ms"] for row in own["dead_followers"]]
    return None if None in waits else max(waits, default=None)


def _joined_ms(own: Rows) -> float | None:
    """Return how long the last added replica took to join the ISR; None if one did not."""
    waits = [row["joined_ms"] for row in own["added_replicas"]]
    return None if None in waits else max(waits, default=None)


def _step_down_metrics(own: Rows, brokers: set[int]) -> Metrics:
    """Return metrics of step-downs; none unless all first leaders' agents left events."""
    if brokers - {row["broker"] for row in own["step_down_sources"]}:
        return {}
    outcomes = [row["outcome"] for row in own["step_downs"]]
    return {
        "step_downs": outcomes.count("done"),
        "step_downs_withheld": outcomes.count("withheld"),
        "most_step_downs": max((row["in_cooldown"] or 0 for row in own["step_downs"]), default=0),
    }


def _ack_metrics(own: Rows) -> Metrics:
    """Return metrics of acks; none unless the producers recorded a line."""
    if not own["ack_latency"]:
        return {}
    gaps = [row["gap_ms"] for row in own["ack_gaps"]]
    topic = next((row for row in own["ack_latency"] if row["partition"] is None), {})
    return {
        "max_ack_gap_ms": max(gaps, default=None),
        "mean_ack_ms": topic.get("mean_ms"),
        "max_ms": topic.get("max_ms"),
        "acked": topic.get("acked"),
    }


def _pause_metrics(own: Rows) -> Metrics:
    """Return how records that were due during a follower's pause were acked; none without lines."""
    if not own["ack_latency"] or not own["availability"]:
        return {}
    early, waited = (sum(row[name] for row in own["pauses"]) for name in ("early", "waited"))
    return {"acked_during_pause": early, "acked_after_pause": waited}


def _refused_metrics(run: RunInfo, own: Rows) -> Metrics:
    """Return how many records were refused; none if the producers sent refused ones again."""
    if run.scenario.workload.client_retries or not own["ack_latency"]:
        return {}
    return {"refused": sum(row["records"] for row in own["errors"] if row["error"] in REFUSALS)}


def _readback_metrics(own: Rows, recorded: Recorded) -> Metrics:
    """Return metrics of records that were lost or duplicated."""
    if _read_nothing(own):
        return {}
    return _counts(recorded, ("lost", "duplicated", "duplicated_idempotent"), own["readback"])


def _checked_metrics(own: Rows, recorded: Recorded) -> Metrics:
    """Return the metrics that the checker counts; None unless each is known of every partition."""
    of_reads = () if _read_nothing(own) else _OF_READS
    return _counts(recorded, (*of_reads, *_OF_LOGS), own["checked"])


_OF_READS: Final = ("reordered", "gaps", "inconsistent", "corrupt", "unexpected", "moved")
_OF_LOGS: Final = (
    "truncated", "missing_from_log", "split_epochs", "diverged", "watermarks_back",
    "repeated_sequences",
)  # fmt: skip


def _read_nothing(own: Rows) -> bool:
    """Whether records were acked and none was read, without evidence that the consumer worked."""
    acked, read = (sum(row[name] for row in own["readback"]) for name in ("acked", "read"))
    worked = own["readback"] and all(row["read_to_end"] for row in own["readback"])
    return bool(acked and not read and not worked)


def _transaction_metrics(run: RunInfo, own: Rows, recorded: Recorded) -> Metrics:
    """Return metrics of transactions; those of reads only if something was read."""
    asked = run.scenario.workload.transactions
    found = own["transactions"]
    if asked is None or len(found) < len(asked.coordinators):
        return {}
    known: Metrics = {
        "max_commit_gap_ms": max(row["commit_gap_ms"] for row in found),
        "g0": sum(row["kind"] == "g0" for row in own["cycles"]),
    }
    if not any(row["read"] for row in own["readback"]):
        return known
    return {
        **known,
        **_counts(recorded, ("torn", "aborted_read"), found),
        **_counts(recorded, ("precommitted_read", "g1c"), own["checked"]),
    }


def _counts(recorded: Recorded, names: Iterable[str], rows: Sequence[Row]) -> Metrics:
    return {name: recorded.count(name, [row[name] for row in rows]) for name in names}


def _group_metrics(run: RunInfo, own: Rows, recorded: Recorded) -> Metrics:
    """Return metrics of consumer groups; those of records only if something was read."""
    found = own["groups"]
    if not run.scenario.workload.groups or len(found) < len(run.scenario.workload.groups):
        return {}
    moved = {
        "group_rebalances": sum(row["rebalances"] for row in found),
        "max_group_gap_ms": _most(row["gap_ms"] for row in found),
        "max_group_lag": _most(row["max_lag"] for row in found),
    }
    if not any(row["read"] for row in own["readback"]):
        return moved
    return {
        **moved,
        **_counts(recorded, ("group_skipped",), own["checked"]),
        "group_unread": recorded.count("group_unread", [row["unread"] for row in found]),
    }


def _end_to_end_metrics(own: Rows, *, trusted: bool) -> Metrics:
    """Return how long records took to consumers; none unless the reading is complete."""
    topic = next((row for row in own["end_to_end"] if row["partition"] is None), None)
    if not trusted or topic is None:
        return {}
    return {"mean_end_to_end_ms": topic["mean_ms"], "max_end_to_end_ms": topic["max_ms"]}


def _most(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _race_metrics(own: Rows, *, trusted: bool) -> Metrics:
    """Return metrics of a race; none unless every replica was sampled before and after it."""
    rows = own["raced_replicas"]
    if not rows or not trusted or any(row["fetchers_after"] is None for row in rows):
        return {}
    brokers = {row["broker"]: row for row in rows}.values()
    return {
        "fetchers_lost": sum(
            max(0, row["fetchers_before"] - row["fetchers_after"]) for row in brokers
        ),
        "partitions_failed": sum(row["failed"] or 0 for row in brokers),
        "partitions_behind": sum(_is_behind(part) for part in _by_partition(rows)),
        "start_above_end": sum(row["start_above_end"] for row in rows),
        "start_above_watermark": sum(row["start_above_watermark"] for row in rows),
        "starts_put_right": sum(row["put_right"] for row in brokers),
    }


def _by_partition(rows: Sequence[Row]) -> list[list[Row]]:
    numbers = sorted({row["partition"] for row in rows})
    return [[row for row in rows if row["partition"] == number] for number in numbers]


def _is_behind(replicas: Sequence[Row]) -> bool:
    """Whether a replica's log begins or ends before that of another replica."""
    return any(
        row[name] < max(each[name] for each in replicas)
        for row in replicas
        for name in ("log_start_offset", "leo")
    )


def _fault(row: Row) -> FaultFact:
    return FaultFact(
        fault=row["fault"],
        site=row["site"],
        mode=row["mode"],
        broker=row["broker"],
        target=tuple(row["target"]),
        calls_held=row["calls_held"] or 0,
        held_ms=row["held_ms"] or 0.0,
        longest_held_ms=row["longest_held_ms"] or 0.0,
        acted_ms=row["acted_ms"] or 0.0,
        figures=row["figures"] or {},
    )


def _controller(row: Row) -> ControllerFact:
    return ControllerFact(woven=bool(row["woven"]), errors=row["new_errors"])


def _agent(row: Row) -> AgentFact:
    return AgentFact(
        broker=row["broker"],
        enabled=bool(row["enabled"]),
        errors=row["new_errors"],
        events_dropped=row["new_events_dropped"],
        lag_policy=row["lag_policy"] or BY_TIME,
    )
