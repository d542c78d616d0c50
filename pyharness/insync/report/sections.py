"""Makes the tables below the pictures of the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from insync.events.run_info import RunInfo
from insync.events.schema import fault_words
from insync.nodes import node_words, repeat_number
from insync.report.tabular import NONE, in_order, table
from insync.report.timeline.timelines import Row, Rows, Timeline
from insync.report.timeline.wording import lateness, moment
from insync.report.words import latency, members, number, operation
from insync.result import Table


def _fault_name(row: Row) -> str:
    mode = f" ({row['mode']})" if row["mode"] else ""
    return fault_words(row["fault"], row["site"]) + mode


def details(run: RunInfo, rows: Rows, pictures: Sequence[Timeline]) -> list[Table]:
    """Return the tables below the pictures, in the order of the page."""
    return [
        _anomalies(run, rows),
        delayed_calls(run, rows),
        _shrinks(pictures),
        _leader_changes(run, rows, pictures),
        _step_downs(run, rows, pictures),
        _latency(run, rows),
        _end_to_end(run, rows),
        *([_transactions(run, rows)] if run.scenario.workload.transactions else []),
        *([_groups(run, rows)] if run.scenario.workload.groups else []),
        _faults(run, rows),
        _agents(run, rows),
        _compared(run, rows),
        _clocks(run, rows),
        _unreadable(rows),
    ]


def delayed_calls(run: RunInfo, rows: Rows) -> Table:
    """Return the calls that faults delayed, summed by site."""
    sites: dict[tuple[str, str], list[Row]] = {}
    for row in in_order(run, rows["faults"], "fault_no"):
        if row["calls_held"]:
            sites.setdefault((row["arm"], _fault_name(row)), []).append(row)
    return table(
        "Calls delayed by faults",
        "arm | site | faults | calls delayed | longest delay, ms | sum of delays, ms",
        (
            [
                arm,
                site,
                number(len(faults)),
                number(sum(row["calls_held"] for row in faults)),
                number(max(row["longest_held_ms"] for row in faults)),
                number(sum(row["held_ms"] for row in faults)),
            ]
            for (arm, site), faults in sites.items()
        ),
        "No fault delayed a call.",
        {0, 1},
    )


def _shrinks(pictures: Sequence[Timeline]) -> Table:
    return table(
        "ISR shrinks and their causes",
        "arm | repeat | partition | at, s | leader | ISR before | ISR after | cause"
        " | time of the fault | when | late, ms | delayed",
        (
            [
                timeline.arm,
                str(repeat_number(timeline.repeat)),
                number(shrink.partition),
                f"{shrink.at_s:.2f}",
                number(shrink.leader),
                members(shrink.before),
                members(shrink.after),
                shrink.cause,
                _when(shrink.fault.start_s, shrink.fault.end_s) if shrink.fault else "",
                moment(shrink),
                number(None if shrink.due_s is None else (shrink.at_s - shrink.due_s) * 1e3),
                lateness(shrink),
            ]
            for timeline in pictures
            for shrink in timeline.shrinks
        ),
        NONE,
        {0, 5, 6, 7, 8, 9, 11},
    )


def _when(start_s: float, end_s: float) -> str:
    return f"{start_s:.2f} to {end_s:.2f} s".replace(" ", "\N{NO-BREAK SPACE}")


def _leader_changes(run: RunInfo, rows: Rows, pictures: Sequence[Timeline]) -> Table:
    zero = _zeros(pictures)
    return table(
        "Leader changes",
        "arm | repeat | partition | at, s | old leader | new leader | epoch | ISR | planned",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                number(row["partition"]),
                _since(row, zero),
                *(number(row[name]) for name in ("leader_before", "leader", "leader_epoch")),
                members(row["isr"]),
                "by the scenario" if row["planned"] else "",
            ]
            for row in in_order(run, rows["leader_changes"], "t_ms", "partition")
        ),
        NONE,
        {0, 7, 8},
    )


def _step_downs(run: RunInfo, rows: Rows, pictures: Sequence[Timeline]) -> Table:
    zero = _zeros(pictures)
    return table(
        "Slow leaders and their step-downs",
        "arm | repeat | partition | at, s | leader | successor | outcome"
        " | way or reason | old leader | fetch overdue, ms | answered after, ms",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                number(row["partition"]),
                _since(row, zero),
                number(row["broker"]),
                number(row["successor"]),
                row["outcome"],
                ", ".join(row[name] for name in ("way", "error", "reason") if row[name]),
                row["isr_policy"] or "",
                number(row["pending_ms"]),
                number(row["asked_ms"]),
            ]
            for row in in_order(run, rows["step_downs"], "t_ms", "partition")
        ),
        NONE,
        {0, 6, 7, 8},
    )


def _zeros(pictures: Sequence[Timeline]) -> dict[tuple[str, int], float]:
    return {(timeline.arm, timeline.repeat): timeline.start_ms for timeline in pictures}


def _since(row: Row, zero: Mapping[tuple[str, int], float]) -> str:
    """Write the time of a row, in seconds since its repeat began."""
    return f"{(row['t_ms'] - zero[row['arm'], row['repeat']]) / 1e3:.2f}"


def _latency(run: RunInfo, rows: Rows) -> Table:
    figures = ("p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms")
    return table(
        "Ack latency of all partitions",
        "arm | repeat | due | acked | failed | unanswered"
        " | p50, ms | p90, ms | p99, ms | p99.9, ms | max, ms",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                *(number(row[name]) for name in ("sent", "acked", "failed", "unanswered")),
                *(latency(row[name]) for name in figures),
            ]
            for row in in_order(run, rows["ack_latency"])
            if row["partition"] is None
        ),
        NONE,
        {0},
    )


def _transactions(run: RunInfo, rows: Rows) -> Table:
    asked = run.scenario.workload.transactions
    brokers = asked.coordinators if asked else ()
    counts = ("committed", "aborted", "meant_to_abort", "unknown", "torn", "aborted_read")
    times = ("commit_p50_ms", "commit_p99_ms", "commit_max_ms", "commit_gap_ms")
    return table(
        "Transactions",
        "arm | repeat | producer | first coordinator | committed | aborted | aborted on purpose"
        " | end unknown | read in part | aborted records read"
        " | commit p50, ms | p99, ms | max, ms | longest gap between commits, ms",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                number(row["producer"]),
                f"broker {brokers[row['producer']]}",
                *(number(row[name]) for name in counts),
                *(latency(row[name]) for name in times),
            ]
            for row in in_order(run, rows["transactions"], "producer")
        ),
        NONE,
        {0, 3},
    )


def _end_to_end(run: RunInfo, rows: Rows) -> Table:
    times = ("p50_ms", "p90_ms", "p99_ms", "p999_ms", "max_ms")
    return table(
        "End-to-end latency, from when a record was due until a consumer had read it",
        "arm | repeat | records read | p50, ms | p90, ms | p99, ms | p99.9, ms | max, ms",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                number(row["read"]),
                *(latency(row[name]) for name in times),
            ]
            for row in in_order(run, rows["end_to_end"])
            if row["partition"] is None
        ),
        NONE,
        {0},
    )


def _groups(run: RunInfo, rows: Rows) -> Table:
    counts = ("members", "rebalances", "processed", "reprocessed", "unread", "max_lag")
    return table(
        "Consumer groups",
        "arm | repeat | group | protocol | members | rebalances | records processed | again"
        " | unread | largest lag | longest time without an owner, ms",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                number(row["group"]),
                row["protocol"],
                *(number(row[name]) for name in counts),
                latency(row["gap_ms"]),
            ]
            for row in in_order(run, rows["groups"], "group")
        ),
        NONE,
        {0, 3},
    )


def _faults(run: RunInfo, rows: Rows) -> Table:
    return table(
        "Faults and their evidence",
        "arm | repeat | fault | broker | target | planned, ms | acted, ms"
        " | calls delayed | longest delay, ms | sum of delays, ms | other figures",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                _fault_name(row),
                number(row["broker"]),
                ", ".join(row["target"]),
                *(
                    number(row[name])
                    for name in (
                        "planned_ms",
                        "acted_ms",
                        "calls_held",
                        "longest_held_ms",
                        "held_ms",
                    )
                ),
                ", ".join(f"{name} {value:g}" for name, value in (row["figures"] or {}).items()),
            ]
            for row in in_order(run, rows["faults"], "fault_no")
        ),
        NONE,
        {0, 2, 4, 10},
    )


def _agents(run: RunInfo, rows: Rows) -> Table:
    counters = (
        "new_holds_granted",
        "longest_hold_ms",
        "marks_total",
        "pending_now",
        "held_now",
        "new_errors",
        "new_events_dropped",
    )
    return table(
        "Counters of the agents",
        "arm | repeat | broker | KIP-501 | holds in the repeat | longest hold since start, ms"
        " | marks since start | pending at the end | held at the end"
        " | errors in the repeat | events dropped",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                number(row["broker"]),
                "on" if row["enabled"] else "off",
                *(number(row[name]) for name in counters),
            ]
            for row in in_order(run, rows["agent_counters"], "broker")
        ),
        NONE,
        {0, 3},
    )


def _anomalies(run: RunInfo, rows: Rows) -> Table:
    return table(
        "Anomalies and their operations",
        "arm | repeat | partition | kind | from offset | to offset | shown by",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                number(row["partition"]),
                f"{row['kind']}: {row['label']}",
                *(number(row[name]) for name in ("offset", "last_offset")),
                "\n".join(operation(each) for each in row["operations"]),
            ]
            for row in in_order(run, rows["first_anomalies"], "partition", "kind", "offset")
        ),
        NONE,
        {0, 3, 6},
    )


def _compared(run: RunInfo, rows: Rows) -> Table:
    return table(
        "Compared logs of replicas",
        "arm | repeat | partition | replicas | logs read | from offset | up to offset | compared",
        (
            [
                row["arm"],
                str(repeat_number(row["repeat"])),
                *(
                    number(row[name])
                    for name in ("partition", "replicas", "logs_read", "from_offset", "to_offset")
                ),
                "yes" if row["whole"] else "no",
            ]
            for row in in_order(run, rows["comparable"], "partition")
        ),
        NONE,
        {0, 7},
    )


def _clocks(run: RunInfo, rows: Rows) -> Table:
    """Return how far the nodes' clocks were ahead."""
    return table(
        "Clocks of the nodes, against the harness's",
        "arm | node | ahead, ms | give or take, ms",
        (
            [row["arm"], node_words(row["broker"]), latency(row["ahead_ms"]),
             latency(row["error_ms"])]
            for row in in_order(run, rows["clocks"], "broker")
        ),
        "Not measured: times of different nodes may differ by more than they seem to.",
        {0, 1},
    )  # fmt: skip


def _unreadable(rows: Rows) -> Table:
    bad = sorted((row for row in rows["input_lines"] if row["unreadable"]), key=lambda r: r["file"])
    return table(
        "Unreadable event lines",
        "file | lines | unreadable",
        ([row["file"], number(row["lines"]), number(row["unreadable"])] for row in bad),
        f"None of {number(sum(row['lines'] for row in rows['input_lines']))} lines.",
        {0},
    )
