"""Collects what happened in each repeat, in seconds from its start, for the pictures.

It turns rows of the tables into frozen values and knows no HTML.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from insync.events.run_info import RunInfo
from insync.faults.registry import KINDS
from insync.report.words import span

Row = Mapping[str, Any]
Rows = Mapping[str, Sequence[Row]]

State = Literal["full", "reduced", "under", "offline"]
STATE_NAMES: dict[State, str] = {
    "full": "all replicas in sync",
    "reduced": "ISR reduced",
    "under": "under min ISR",
    "offline": "no leader",
}


@dataclass(frozen=True)
class IsrSpan:
    """A time (seconds) in which a partition's leader and ISR did not change."""

    partition: int
    leader: int
    isr: tuple[int, ...]
    replicas: int
    start_s: float
    end_s: float
    state: State

    @property
    def share(self) -> float:
        """The share of replicas in sync, 0 to 1; it is 0 without a leader."""
        return 0.0 if self.state == "offline" else len(self.isr) / self.replicas


@dataclass(frozen=True)
class FaultSpan:
    """A fault as it acted (seconds); `partitions` are those it affected, None for all."""

    name: str
    broker: int
    start_s: float
    end_s: float
    partitions: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Shrink:
    """One removal of members from an ISR, its cause, and when it was due.

    `moment` and `due_s` are None without a fault. A `delayed` shrink came later than the next
    run of the isr-expiration task was due.
    """

    partition: int
    at_s: float
    leader: int
    before: tuple[int, ...]
    after: tuple[int, ...]
    cause: str
    fault: FaultSpan | None
    moment: str | None = None
    due_s: float | None = None
    delayed: bool = False


@dataclass(frozen=True)
class LeaderChange:
    """A change of leader (seconds): planned by the scenario, by a step-down, or otherwise."""

    partition: int
    at_s: float
    before: int
    leader: int
    planned: bool
    stepped_down: bool


@dataclass(frozen=True)
class LatencyPoint:
    """The acks (ms) of the records due in one bin; `partition` is None for all partitions."""

    partition: int | None
    since_s: float
    bin_s: float
    p50_ms: float
    max_ms: float


WAIT_S = 1.0
"""Pictures show the times in which a record waited as long as this for its ack, or longer."""


@dataclass(frozen=True)
class Wait:
    """A time (seconds) in which acked records of a partition waited, each `WAIT_S` or longer."""

    partition: int
    start_s: float
    end_s: float


@dataclass(frozen=True)
class Timeline:
    """One repeat of one arm; `start_ms` is its start (epoch)."""

    arm: str
    repeat: int
    length_s: float
    complete: bool
    spans: tuple[IsrSpan, ...]
    shrinks: tuple[Shrink, ...]
    faults: tuple[FaultSpan, ...]
    latency: tuple[LatencyPoint, ...]
    start_ms: float = 0.0
    changes: tuple[LeaderChange, ...] = ()

    @property
    def waits(self) -> tuple[Wait, ...]:
        """When records waited for their acks: from when the first was due to the last one's ack."""
        found: list[Wait] = []
        slow = (each for each in self.latency if each.max_ms >= WAIT_S * 1e3)
        by_partition = sorted(
            (each.partition, each.since_s, each.since_s + each.max_ms / 1e3)
            for each in slow
            if each.partition is not None
        )
        for partition, start_s, end_s in by_partition:
            last = found[-1] if found else None
            if last is not None and last.partition == partition and start_s <= last.end_s:
                found[-1] = replace(last, end_s=max(last.end_s, end_s))
            else:
                found.append(Wait(partition, start_s, end_s))
        return tuple(found)


def timelines(run: RunInfo, rows: Rows) -> tuple[Timeline, ...]:
    """Return the timeline of every repeat that began, arm by arm in the run's order."""
    begun = sorted(rows["repeats"], key=lambda row: (run.arms.index(row["arm"]), row["repeat"]))
    return tuple(_timeline(run, rows, row) for row in begun)


def _timeline(run: RunInfo, rows: Rows, window: Row) -> Timeline:
    arm, repeat, zero = window["arm"], window["repeat"], window["start_ms"]
    end_ms = window["end_ms"]
    own = _own(rows, "faults", window, "fault_no")
    plans = run.scenario.planned((row["fault"], row["site"], row["broker"]) for row in own)
    faults = {
        row["fault_no"]: _fault(row, plan.words, zero, end_ms)
        for row, plan in zip(own, plans, strict=True)
    }
    return Timeline(
        arm=arm,
        repeat=repeat,
        start_ms=zero,
        changes=_changes(rows, window),
        length_s=(end_ms - zero) / 1e3,
        complete=window["complete"],
        spans=tuple(
            _span(row, zero, run.scenario.min_insync_replicas)
            for row in _own(rows, "isr_intervals", window, "partition", "start_ms")
        ),
        shrinks=tuple(
            _shrink(row, zero, faults)
            for row in _own(rows, "isr_shrinks", window, "t_ms", "partition")
        ),
        faults=tuple(faults[number] for number in sorted(faults)),
        latency=tuple(
            LatencyPoint(
                row["partition"],
                row["since_ms"] / 1e3,
                row["bin_ms"] / 1e3,
                row["p50_ms"],
                row["max_ms"],
            )
            for row in _own(rows, "latency_over_time", window, "since_ms")
        ),
    )


def _changes(rows: Rows, window: Row) -> tuple[LeaderChange, ...]:
    given = {
        (row["partition"], row["leader_epoch"] + 1)
        for row in _own(rows, "step_downs", window)
        if row["outcome"] == "done"
    }
    return tuple(
        LeaderChange(
            partition=row["partition"],
            at_s=(row["t_ms"] - window["start_ms"]) / 1e3,
            before=row["leader_before"],
            leader=row["leader"],
            planned=row["planned"],
            stepped_down=(row["partition"], row["leader_epoch"]) in given,
        )
        for row in _own(rows, "leader_changes", window, "t_ms", "partition")
    )


def _own(rows: Rows, table: str, window: Row, *order: str) -> list[Row]:
    own = [
        row
        for row in rows[table]
        if row["arm"] == window["arm"] and row["repeat"] == window["repeat"]
    ]
    return sorted(own, key=lambda row: tuple(row[name] for name in order))


def _fault(row: Row, name: str, zero: float, end_ms: float) -> FaultSpan:
    lifted = end_ms if row["lifted_ms"] is None else row["lifted_ms"]
    return FaultSpan(
        name=name,
        broker=row["broker"],
        start_s=(row["injected_ms"] - zero) / 1e3,
        end_s=(lifted - zero) / 1e3,
        partitions=_partitions(row["target"]),
    )


def _partitions(target: Sequence[str]) -> tuple[int, ...] | None:
    """Return the partitions among a fault's targets, such as "topic-0"; None if there are none."""
    numbers = [name.rpartition("-")[2] for name in target]
    found = tuple(int(number) for number in numbers if number.isdigit())
    return found or None


def _span(row: Row, zero: float, min_isr: int) -> IsrSpan:
    isr, replicas = tuple(row["isr"]), len(row["replicas"])
    return IsrSpan(
        partition=row["partition"],
        leader=row["leader"],
        isr=isr,
        replicas=replicas,
        start_s=(row["start_ms"] - zero) / 1e3,
        end_s=(row["end_ms"] - zero) / 1e3,
        state=_state(row["leader"], len(isr), replicas, min_isr),
    )


def _state(leader: int, size: int, replicas: int, min_isr: int) -> State:
    if leader < 0:
        return "offline"
    if size < min_isr:
        return "under"
    return "full" if size == replicas else "reduced"


def _shrink(row: Row, zero: float, faults: Mapping[int, FaultSpan]) -> Shrink:
    return Shrink(
        partition=row["partition"],
        at_s=(row["t_ms"] - zero) / 1e3,
        leader=row["leader"],
        before=tuple(row["isr_before"]),
        after=tuple(row["isr_after"]),
        cause=row["cause"],
        fault=None if row["fault_no"] is None else faults.get(row["fault_no"]),
        moment=row["moment"],
        due_s=None if row["due_ms"] is None else (row["due_ms"] - zero) / 1e3,
        delayed=row["delayed"],
    )


def wait_in_short(wait: Wait) -> str:
    """Describe in one line when acks waited, for the tooltip of the line."""
    return f"partition {wait.partition}: acks waited from {wait.start_s:.1f} to {wait.end_s:.1f} s"


def waits_sentence(acks: Sequence[LatencyPoint]) -> str:
    """Say how long the slowest ack took; empty if none took `WAIT_S`."""
    longest = max((each.max_ms for each in acks), default=0.0)
    return f" The slowest ack took {span(longest)}." if longest >= WAIT_S * 1e3 else ""


def change_in_short(change: LeaderChange) -> str:
    """Describe a leader change in one line, for the tooltip of its mark."""
    why = (
        ", which stepped down" if change.stepped_down else ", as planned" if change.planned else ""
    )
    return (
        f"broker {change.leader} leads from {change.at_s:.2f} s on instead of broker"
        f" {change.before}{why}"
    )


def changes_sentence(changes: Sequence[LeaderChange]) -> str:
    """Count the leader changes that the scenario did not plan; empty if there were none."""
    own = [change for change in changes if not change.planned]
    if not own:
        return ""
    by_choice = sum(change.stepped_down for change in own)
    times = "once" if len(own) == 1 else f"{len(own)} times"
    return f" Leaders changed {times}, {by_choice} of them by stepping down."


MOMENTS = {
    "before": "before any fault",
    "during": "during a fault",
    "on_lift": "when a fault ended",
    "after": "after the faults",
}
"""The moments of the table isr_shrinks, in words."""

_BY_FAULT = {words: why for kind in KINDS.values() for words, why in kind.tags.late_shrinks.items()}
"""Why a shrink comes late while a fault is at the leader, by the fault's words."""

_UNEXPLAINED = "later than the next run of the isr-expiration task"


def moment(shrink: Shrink) -> str:
    """Say when the shrink came relative to the faults; empty without faults."""
    return MOMENTS[shrink.moment] if shrink.moment else ""


def lateness(shrink: Shrink) -> str:
    """Say when the lag limit passed, when the shrink came, and why; empty if not delayed."""
    if not shrink.delayed or shrink.due_s is None:
        return ""
    passed = f"the lag limit passed at {shrink.due_s:.2f} s"
    return f"{passed}, the shrink came at {shrink.at_s:.2f} s: {_why(shrink)}"


def in_short(shrink: Shrink) -> str:
    """Describe a shrink in one line, for the tooltip of its arrow."""
    when = f", {moment(shrink)}" if shrink.moment else ""
    when += ", because the leader stepped down" if shrink.cause == "stepped down" else ""
    late = lateness(shrink)
    return f"shrink at {shrink.at_s:.2f} s{when}" + (f"; {late}" if late else "")


def delayed_sentence(shrinks: list[Shrink]) -> str:
    """Count the delayed shrinks of an arm and say how late they came; empty if none was."""
    late = [s.at_s - s.due_s for s in shrinks if s.delayed and s.due_s is not None]
    if not late:
        return ""
    least, most = span(min(late) * 1e3), span(max(late) * 1e3)
    by = most if least == most else f"{least} to {most}"
    return f" {len(late)} of {len(shrinks)} shrinks came {by} after the lag limit had passed."


def _why(shrink: Shrink) -> str:
    """Name the reason for a delay, as far as the cause of the shrink shows it.

    A leader's stalled read has a partition's read lock. The shrink needs the write lock, and
    the one isr-expiration task visits all partitions in turn.
    """
    end, _, fault = shrink.cause.partition(": ")
    if end == "leader" and shrink.moment in ("during", "on_lift"):
        return _BY_FAULT.get(fault, _UNEXPLAINED)
    return _UNEXPLAINED
