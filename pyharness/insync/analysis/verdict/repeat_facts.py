"""Computes the facts of every repeat of a run from the rows of the tables.

Rows are plain mappings, so this needs no Spark and can be tested with hand-made ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from insync import metrics
from insync.analysis.verdict.facts import (
    AgentFact,
    ControllerFact,
    FaultFact,
    Metrics,
    RepeatFacts,
    RunFacts,
    facts_of,
)
from insync.analysis.verdict.liveness import liveness_metrics, said_of
from insync.events.run_info import RunInfo
from insync.events.schema import is_agents_own
from insync.metrics import METRICS, Metric

_FILE: Final = re.compile(r"(?P<arm>[^/]+)/(?P<kind>[a-z-]+?)(?:-(?P<repeat>\d+))?\.jsonl")
"""An event file's path below events/; `repeat` is None if it is about all repeats."""


@dataclass(frozen=True)
class Completeness:
    """How much of a repeat was recorded.

    `whole` is whether it was neither cut short nor read in part; `unreadable` are the kinds of
    files that have an unreadable line.
    """

    whole: bool
    unreadable: frozenset[str] = frozenset()

    @classmethod
    def of(cls, whole: bool, arm: str, repeat: int, unreadable: Iterable[str]) -> Completeness:
        """Return what was recorded of a repeat; `unreadable` are the files with such lines."""
        found = filter(None, map(_FILE.fullmatch, unreadable))
        own = (
            each["kind"]
            for each in found
            if each["arm"] == arm and each["repeat"] in (None, str(repeat))
        )
        return cls(whole, frozenset(own))

    @property
    def everything(self) -> bool:
        """Whether nothing is missing and every line is readable."""
        return self.whole and not self.unreadable

    def count(self, metric: str, known: Sequence[float | None]) -> float | None:
        """Return how many violations there are, from the numbers of the parts of a repeat.

        That there are none is known only if everything was recorded, and every part is known. A
        violation counts in any case, unless the rest of the recording could explain it.
        """
        found = sum(value for value in known if value is not None)
        if self.everything and known and None not in known:
            return found
        of = METRICS[metric]
        explained = (of.of_whole and not self.whole) or not self.unreadable.isdisjoint(of.hidden_by)
        return found if found and not explained else None


REFUSALS: Final = ("NOT_ENOUGH_REPLICAS", "NOT_ENOUGH_REPLICAS_AFTER_APPEND")
"""Kafka's errors for a record that finds fewer replicas in sync than min.insync.replicas."""

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
    own = {name: _of(table, arm, repeat) for name, table in rows.items()}
    complete = bool(own["repeats"] and own["repeats"][0]["complete"])
    live = liveness_metrics(own["liveness"], complete=complete)
    if not own["repeats"]:
        return RepeatFacts(complete=False, metrics=_all_of(live), stuck=said_of(own["liveness"]))
    whole = complete and all(row["read_to_end"] is not False for row in own["readback"])
    recorded = Completeness.of(whole, arm, repeat, _counted(rows, "unreadable"))
    return RepeatFacts(
        complete=complete,
        metrics=_all_of(_known(run, {**_metrics(run, own, recorded), **live})),
        faults=facts_of(FaultFact, sorted(own["faults"], key=lambda row: row["fault_no"])),
        agents=facts_of(AgentFact, own["agent_counters"]),
        controller=next(iter(facts_of(ControllerFact, own["controller_agent"])), None),
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


def _metrics(run: RunInfo, own: Rows, recorded: Completeness) -> Metrics:
    """Return the known metrics of one repeat, without those of liveness."""
    there = {
        events
        for events, tests in _IS_THERE.items()
        if all(each(run, own, recorded) for each in tests)
    }
    return {
        name: _value(metric, own, recorded)
        for name in metrics.of_verdict()
        if (metric := metrics.METRICS[name]).events in there
        and not (metric.requires == "no-retries" and run.scenario.workload.client_retries)
    }


def _value(metric: Metric, own: Rows, recorded: Completeness) -> float | None:
    """Compute a metric as the registry says, None if it has no value."""
    if (of := metric.source) is None:
        return _COMPUTED[metric.name](own)
    rows = own[of.table]
    if of.how == "topic":
        return next((row[of.column] for row in rows if row["partition"] is None), None)
    if of.how == "count":
        return sum(not of.value or str(row[of.column]).lower() == of.value for row in rows)
    found = [row[of.column] for row in rows]
    if of.how == "found":
        return recorded.count(metric.name, found)
    if of.how == "slowest" and None in found:
        return None
    known: list[float] = [value for value in found if value is not None]
    if of.how == "sum":
        return sum(known)
    return max(known, default=None if metric.is_time or metric.optional else 0)


def _of(table: Sequence[Row], arm: str, repeat: int) -> list[Row]:
    return [row for row in table if (row.get("arm"), row.get("repeat")) == (arm, repeat)]


def _log_is_whole(run: RunInfo, own: Rows, _: Completeness) -> bool:
    """Whether the controller's log has every partition."""
    seen = [row for row in own["availability"] if row["partition"] is not None]
    return len(seen) >= run.partitions


def _has_agents(run: RunInfo, own: Rows, _: Completeness) -> bool:
    """Whether the agents of all first leaders left events."""
    return {row["broker"] for row in own["step_down_sources"]} >= {*run.scenario.workload.leaders}


def _has_acks(run: RunInfo, own: Rows, _: Completeness) -> bool:
    return bool(own["ack_latency"])


def _read_something(run: RunInfo, own: Rows, _: Completeness) -> bool:
    """Whether something was read, nothing was acked, or there is evidence that consumers worked."""
    acked, read = (sum(row[name] for row in own["readback"]) for name in ("acked", "read"))
    worked = own["readback"] and all(row["read_to_end"] for row in own["readback"])
    return bool(read or not acked or worked)


def _has_transactions(run: RunInfo, own: Rows, _: Completeness) -> bool:
    asked = run.scenario.workload.transactions
    return asked is not None and len(own["transactions"]) >= len(asked.coordinators)


def _has_groups(run: RunInfo, own: Rows, _: Completeness) -> bool:
    asked = run.scenario.workload.groups
    return bool(asked) and len(own["groups"]) >= len(asked)


def _was_read(run: RunInfo, own: Rows, _: Completeness) -> bool:
    return any(row["read"] for row in own["readback"])


def _has_samples(run: RunInfo, own: Rows, recorded: Completeness) -> bool:
    """Whether every replica was sampled before and after a race."""
    after = [row["fetchers_after"] for row in own["raced_replicas"]]
    return bool(after) and recorded.everything and None not in after


_IS_THERE: Final[Mapping[str, Sequence[Callable[[RunInfo, Rows, Completeness], bool]]]] = {
    metrics.CONTROLLER_LOG: [_log_is_whole],
    metrics.PRODUCERS: [_has_acks],
    metrics.PAUSES: [_has_acks, _log_is_whole],
    metrics.CONSUMER: [_read_something],
    metrics.BOTH_ENDS: [_read_something],
    metrics.READ_TIMES: [lambda run, own, recorded: recorded.everything],
    metrics.CHECKED: [],
    metrics.LOG_ENDS: [],
    metrics.AGENTS: [_has_agents],
    metrics.TRANSACTIONS: [_has_transactions],
    metrics.READ_TRANSACTIONS: [_has_transactions, _was_read],
    metrics.GROUPS: [_has_groups],
    metrics.READ_GROUPS: [_has_groups, _was_read],
    metrics.SAMPLES: [_has_samples],
}
"""What must hold so that the events of metrics were recorded; of `found`: `Completeness`."""


def _under_replicated(own: Rows) -> int:
    parts = (row for row in own["availability"] if row["partition"] is not None)
    return sum(bool(row["under_replicated_ms"]) for row in parts)


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


def _soonest_return_ms(own: Rows) -> float | None:
    """Return the shortest time after which a leader led its partition again; None if none did."""
    left: dict[tuple[int, int], float] = {}
    away = []
    for row in sorted(own["leader_changes"], key=lambda row: row["t_ms"]):
        now, back = row["t_ms"], (row["partition"], row["leader"])
        if back in left:
            away.append(now - left[back])
        left[row["partition"], row["leader_before"]] = now
    return min(away, default=None)


def _refused(own: Rows) -> int:
    return sum(row["records"] for row in own["errors"] if row["error"] in REFUSALS)


def _brokers(own: Rows) -> Iterable[Row]:
    """Return a row for each broker of a race: fetchers and failures are the broker's."""
    return {row["broker"]: row for row in own["raced_replicas"]}.values()


def _fetchers_lost(own: Rows) -> int:
    return sum(max(0, row["fetchers_before"] - row["fetchers_after"]) for row in _brokers(own))


def _partitions_failed(own: Rows) -> int:
    return sum(row["failed"] or 0 for row in _brokers(own))


def _starts_put_right(own: Rows) -> int:
    return sum(row["put_right"] for row in _brokers(own))


def _partitions_behind(own: Rows) -> int:
    """Count the partitions with a replica whose log begins or ends before another's."""
    ends: dict[int, list[tuple[int, int]]] = {}
    for row in own["raced_replicas"]:
        ends.setdefault(row["partition"], []).append((row["log_start_offset"], row["leo"]))
    return sum(len(set(of_partition)) > 1 for of_partition in ends.values())


_COMPUTED: Final[Mapping[str, Callable[[Rows], float | None]]] = {
    function.__name__.removeprefix("_"): function
    for function in (
        _first_shrink_ms, _under_replicated, _detected_ms, _soonest_return_ms, _refused,
        _fetchers_lost, _partitions_failed, _partitions_behind, _starts_put_right,
    )
}  # fmt: skip
"""The metrics that the registry does not say how to compute."""
