"""Condenses the tables' rows into the facts of a run.

Rows are plain mappings, so this needs no Spark and can be tried with hand-made ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from insync.analysis.verdict.facts import (
    METRICS,
    AgentFact,
    BurstFact,
    ControllerFact,
    FaultFact,
    Metrics,
    RepeatFacts,
    RunFacts,
)
from insync.arms import BY_TIME
from insync.events.run_info import RunInfo
from insync.events.schema import is_agents_own

Row = Mapping[str, Any]
Rows = Mapping[str, Sequence[Row]]

_NOTHING: Metrics = dict.fromkeys(METRICS)


def condense(run: RunInfo, rows: Rows) -> RunFacts:
    """Return the facts of every repeat that the run was to have, also of those that never began."""
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
    """Count lines by file; no metric rests on what agents wrote themselves."""
    found = sorted((row["file"], row[what]) for row in rows["input_lines"])
    return {file: count for file, count in found if count and not is_agents_own(file)}


def _repeat(run: RunInfo, rows: Rows, arm: str, repeat: int) -> RepeatFacts:
    own = {name: _of(table, arm, repeat) for name, table in rows.items() if name != "input_lines"}
    if not own["repeats"]:
        return RepeatFacts(complete=False, metrics=_NOTHING)
    complete = bool(own["repeats"][0]["complete"])
    torn = any(file.startswith(f"{arm}/") for file in _counted(rows, "unreadable"))
    return RepeatFacts(
        complete=complete,
        metrics={
            **_NOTHING,
            **_isr_metrics(own, run.partitions),
            **_step_down_metrics(own, brokers=set(run.scenario.workload.leaders)),
            **_ack_metrics(own),
            **_readback_metrics(own, trusted=complete and not torn),
            **_broker_metrics(own, trusted=complete and not torn),
            **_transaction_metrics(run, own, trusted=complete and not torn),
            **_race_metrics(own, trusted=complete and not torn),
        },
        faults=tuple(_fault(row) for row in sorted(own["faults"], key=lambda row: row["fault_no"])),
        agents=tuple(_agent(row) for row in own["agent_counters"]),
        controller=next(map(_controller, own["controller_agent"]), None),
        host_gap_ms=own["repeats"][0]["host_gap_ms"],
        bursts=tuple(_bursts(own)),
    )


def _of(table: Sequence[Row], arm: str, repeat: int) -> list[Row]:
    return [row for row in table if row["arm"] == arm and row["repeat"] == repeat]


def _isr_metrics(own: Rows, partitions: int) -> Metrics:
    """None unless the controller's log told of every partition."""
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
        "false_alarms": sum(row["healthy"] for row in own["follower_drops"]),
        "detected_ms": _detected_ms(own),
        "leader_changes": sum(not row["planned"] for row in own["leader_changes"]),
        "soonest_return_ms": _soonest_return_ms(own["leader_changes"]),
        "dead_follower_dropped_ms": _dropped_ms(own),
    }


def _detected_ms(own: Rows) -> float | None:
    """Return what the last fault at a follower has; None if it was never out, or none was."""
    last = max(own["detections"], key=lambda row: row["fault_no"], default=None)
    return None if last is None else last["detected_ms"]


def _first_shrink_ms(own: Rows) -> float | None:
    """From the first fault to the first shrink after it; None if there was no such shrink."""
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
    """From a follower's death to the last ISR that it left; None if one kept it, or none died."""
    waits = [row["took_ms"] for row in own["dead_followers"]]
    return None if None in waits else max(waits, default=None)


def _step_down_metrics(own: Rows, brokers: set[int]) -> Metrics:
    """None unless the agents' events of every broker that leads at first were read."""
    if brokers - {row["broker"] for row in own["step_down_sources"]}:
        return {}
    outcomes = [row["outcome"] for row in own["step_downs"]]
    return {
        "step_downs": outcomes.count("done"),
        "step_downs_withheld": outcomes.count("withheld"),
        "most_step_downs": max((row["in_cooldown"] or 0 for row in own["step_downs"]), default=0),
    }


def _ack_metrics(own: Rows) -> Metrics:
    """None unless the producers left a line."""
    if not own["ack_latency"]:
        return {}
    gaps = [row["gap_ms"] for row in own["ack_gaps"]]
    return {
        "max_ack_gap_ms": max(gaps, default=None),
        "mean_ack_ms": next(
            (row["mean_ms"] for row in own["ack_latency"] if row["partition"] is None), None
        ),
        "acked": sum(row["acked"] for row in own["readback"]),
    }


def _readback_metrics(own: Rows, *, trusted: bool) -> Metrics:
    """None unless the reading came to its end and left whole lines.

    Nothing read at all, though something was acked, is a consumer that did not work.
    """
    acked, read, lost, duplicated = (
        sum(row[name] for row in own["readback"])
        for name in ("acked", "read", "lost", "duplicated")
    )
    if not trusted or (acked and not read):
        return {}
    seen = {
        name: sum(row[name] for row in own["checked"])
        for name in ("reordered", "gaps", "inconsistent")
    }
    return {"lost": lost, "duplicated": duplicated, **seen}


def _broker_metrics(own: Rows, *, trusted: bool) -> Metrics:
    """None unless controller, brokers and replicas' logs tell of every partition."""
    if not trusted:
        return {}
    return {
        name: _sum_of_known([row[name] for row in own["checked"]])
        for name in ("split_epochs", "diverged", "watermarks_back")
    }


def _sum_of_known(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if known and len(known) == len(values) else None


def _bursts(own: Rows) -> Iterator[BurstFact]:
    """Yield what bursts there were, by size, smallest first."""
    for records in sorted({row["records"] for row in own["bursts"]}):
        same = [row for row in own["bursts"] if row["records"] == records]
        counts = (sum(row[name] for row in same) for name in ("bursts", "false_alarms"))
        yield BurstFact(records, *counts)


def _transaction_metrics(run: RunInfo, own: Rows, *, trusted: bool) -> Metrics:
    """None unless each transactional producer left lines, and what was read can be trusted."""
    asked = run.scenario.workload.transactions
    found = own["transactions"]
    if asked is None or len(found) < len(asked.coordinators):
        return {}
    gaps = {"max_commit_gap_ms": max(row["commit_gap_ms"] for row in found)}
    if not trusted or not any(row["read"] for row in own["readback"]):
        return gaps
    return {**gaps, **{name: sum(row[name] for row in found) for name in ("torn", "aborted_read")}}


def _race_metrics(own: Rows, *, trusted: bool) -> Metrics:
    """None unless every replica was looked at from before the race until after it."""
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
    """Whether a replica's log begins or ends before another's."""
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
        acted_ms=_first(row["acted_ms"], row["longest_held_ms"]),
        figures=row["figures"] or {},
    )


def _first(*values: float | None) -> float:
    """Return the first value there is: older runs left less."""
    return next((value for value in values if value is not None), 0.0)


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
