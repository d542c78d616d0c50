"""Makes the tables below the pictures of the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from insync.events.run_info import RunInfo
from insync.events.verdict import Verdict
from insync.metrics import METRICS, of_verdict
from insync.nodes import node_words, repeat_number
from insync.report.timeline.lanes import tick_step
from insync.report.timeline.timelines import STATE_NAMES, Row, Rows, Timeline, lateness, moment
from insync.report.words import latency, members, number, operation
from insync.result import Table

MOST_ROWS = 200
"""Rows of a table that are shown; the Parquet tables hold the rest."""

NONE = "None recorded."


def table(
    title: str, columns: str, rows: Iterable[Sequence[str]], empty: str, text: set[int]
) -> Table:
    """Make a table, cut to `MOST_ROWS`.

    `columns` are separated by bars; those numbered in `text` hold text, the others numbers.
    """
    names = [name.strip() for name in columns.split("|")]
    numeric = [place for place in range(len(names)) if place not in text]
    made = Table(title=title, columns=names, numeric=numeric, rows=list(rows), empty=empty)
    return made.cut(MOST_ROWS)


def in_order(run: RunInfo, table: Iterable[Row], *then: str) -> list[Row]:
    """Sort rows by arm in the run's order, then repeat, then the named columns, nulls first."""
    return sorted(
        table,
        key=lambda row: (
            run.arms.index(row["arm"]),
            row["repeat"],
            *((row[name] is not None, row[name]) for name in then),
        ),
    )


Text = Callable[[Row], str]
"""Writes a cell of a row."""
AT = "at, s"
"""The heading of a time since a repeat began: a number, although it is not in the rows."""


_TEXTS: Mapping[str, Text] = {
    "kind": lambda row: f"{row['kind']}: {row['label']}",
    "shown by": lambda row: "\n".join(operation(each) for each in row["operations"]),
    "ISR": lambda row: members(row["isr"]),
    "planned": lambda row: "by the scenario" if row["planned"] else "",
    "outcome": lambda row: str(row["outcome"]),
    "way or reason": lambda row: ", ".join(filter(None, map(row.get, ("way", "error", "reason")))),
    "ISR policy": lambda row: row["isr_policy"] or "",
    "protocol": lambda row: str(row["protocol"]),
    "target": lambda row: ", ".join(row["target"]),
    "other figures": lambda row: ", ".join(
        f"{name} {value:g}" for name, value in (row["figures"] or {}).items()
    ),
    "KIP-501": lambda row: "on" if row["enabled"] else "off",
    "compared": lambda row: "yes" if row["whole"] else "no",
}
"""What writes the cells below a heading that hold no number."""

_QUANTILES = (
    "p50, ms = p50_ms | p90, ms = p90_ms | p99, ms = p99_ms | p99.9, ms = p999_ms"
    " | max, ms = max_ms"
)


def details(run: RunInfo, rows: Rows, pictures: Sequence[Timeline]) -> list[Table]:
    zero = {(timeline.arm, timeline.repeat): timeline.start_ms for timeline in pictures}
    workload = run.scenario.workload
    coordinators = workload.transactions.coordinators if workload.transactions else ()
    names = {(each.arm, each.repeat): [fault.name for fault in each.faults] for each in pictures}
    texts: Mapping[str, Text] = {
        **_TEXTS,
        "fault": lambda row: names[row["arm"], row["repeat"]][row["fault_no"]],
        AT: lambda row: f"{(row['t_ms'] - zero[row['arm'], row['repeat']]) / 1e3:.2f}",
        "first coordinator": lambda row: f"broker {coordinators[row['producer']]}",
    }

    def of_repeats(
        title: str,
        name: str,
        order: str,
        columns: str,
        times: Callable[[float | None], str] = number,
    ) -> Table:
        """Make a table of rows that belong to a repeat of an arm each.

        `order` and `columns` are separated by bars. A column is a heading, or `heading = name` if
        it has another name in the rows. `times` writes those in milliseconds.
        """
        named = [each.strip().rpartition(" = ") for each in columns.split("|")]
        pairs = [(heading or name, name) for heading, _, name in named]

        def cell(row: Row, heading: str, name: str) -> str:
            if heading in texts:
                return texts[heading](row)
            return (times if name.endswith("_ms") else number)(row[name])

        headings = ["arm", "repeat", *(heading for heading, _ in pairs)]
        found = in_order(run, rows[name], *filter(None, order.split(" | ")))
        cells = (
            [row["arm"], str(repeat_number(row["repeat"])), *(cell(row, *pair) for pair in pairs)]
            for row in found
            if name not in _OF_TOPIC or row["partition"] is None
        )
        text = {place for place, each in enumerate(headings) if each in texts and each != AT}
        return table(title, " | ".join(headings), cells, NONE, {0, *text})

    transactions = of_repeats(
        "Transactions", "transactions", "producer",
        "producer | first coordinator | committed | aborted | aborted on purpose = meant_to_abort"
        " | end unknown = unknown | read in part = torn | aborted records read = aborted_read"
        " | commit p50, ms = commit_p50_ms | p99, ms = commit_p99_ms | max, ms = commit_max_ms"
        " | longest gap between commits, ms = commit_gap_ms",
        latency,
    )  # fmt: skip
    groups = of_repeats(
        "Consumer groups", "groups", "group",
        "group | protocol | members | rebalances | records processed = processed"
        " | again = reprocessed | unread | largest lag = max_lag"
        " | longest time without an owner, ms = gap_ms",
        latency,
    )  # fmt: skip
    return [
        of_repeats(
            "Anomalies and their operations", "first_anomalies", "partition | kind | offset",
            "partition | kind | from offset = offset | to offset = last_offset | shown by",
        ),
        _shrinks(pictures),
        of_repeats(
            "Leader changes", "leader_changes", "t_ms | partition",
            "partition | at, s | old leader = leader_before | new leader = leader"
            " | epoch = leader_epoch | ISR | planned",
        ),
        of_repeats(
            "Slow leaders and their step-downs", "step_downs", "t_ms | partition",
            "partition | at, s | leader = broker | successor | outcome | way or reason | ISR policy"
            " | fetch overdue, ms = pending_ms | answered after, ms = asked_ms",
        ),
        of_repeats(
            "Ack latency of all partitions", "ack_latency", "",
            f"due = sent | acked | failed | unanswered | {_QUANTILES}", latency,
        ),
        of_repeats(
            "End-to-end latency, from when a record was due until a consumer had read it",
            "end_to_end", "", f"records read = read | {_QUANTILES}", latency,
        ),
        *([transactions] if workload.transactions else []),
        *([groups] if workload.groups else []),
        of_repeats(
            "Faults and their evidence", "faults", "fault_no",
            "fault | target | planned, ms = planned_ms | acted, ms = acted_ms"
            " | calls delayed = calls_held | longest delay, ms = longest_held_ms"
            " | sum of delays, ms = held_ms | other figures",
        ),
        of_repeats(
            "Counters of the agents", "agent_counters", "broker",
            "broker | KIP-501 | holds in the repeat = new_holds_granted"
            " | longest hold since start, ms = longest_hold_ms | marks since start = marks_total"
            " | pending at the end = pending_now | held at the end = held_now"
            " | errors in the repeat = new_errors | events dropped = new_events_dropped",
        ),
        of_repeats(
            "Compared logs of replicas", "comparable", "partition",
            "partition | replicas | logs read = logs_read | from offset = from_offset"
            " | up to offset = to_offset | compared",
        ),
        _clocks(run, rows),
        _unreadable(rows),
    ]  # fmt: skip


_OF_TOPIC = ("ack_latency", "end_to_end")
"""Tables of which the row of all partitions together is shown."""


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


def _clocks(run: RunInfo, rows: Rows) -> Table:
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


@dataclass(frozen=True)
class ArmFigures:
    """The arms' figures: those in which they differ, and those that are equal in every arm."""

    differ: Table
    equal: Table

    @property
    def count(self) -> int:
        return len(self.differ.rows) + len(self.equal.rows)


def side_by_side(verdict: Verdict) -> ArmFigures:
    """Return a row per metric and a column per arm: the median of its repeats and their range."""
    arms = list(verdict.arms)
    rows = [
        [
            METRICS[metric].label_with_unit,
            *(_over_repeats(verdict.arms[arm][metric]) for arm in arms),
        ]
        for metric in shown(verdict)
    ]
    several = any(found["repeats"] > 1 for found in verdict.arms.values())
    title = "Arms side by side" if len(arms) > 1 else "Figures"
    title += ": median of the repeats (least to most)" if several else ""
    equal = [row for row in rows if len(arms) > 1 and len(set(row[1:])) == 1]
    apart = [row for row in rows if row not in equal]
    columns = " | ".join(["metric", *arms])
    return ArmFigures(
        differ=table(title, columns, apart, "No figure differs.", {0}),
        equal=table("Figures that are equal in every arm", columns, equal, NONE, {0}),
    )


def shown(verdict: Verdict) -> list[str]:
    """Return the metrics that some repeat of some arm has: few runs have transactions."""
    return [
        name
        for name in of_verdict()
        if any(value is not None for arm in verdict.arms.values() for value in arm[name])
    ]


def _over_repeats(values: Sequence[float | None]) -> str:
    """Write the median and the range of the known values, and how many are not known."""
    known = [value for value in values if value is not None]
    if not known:
        return number(None)
    missing = len(values) - len(known)
    least, most = min(known), max(known)
    span = "" if least == most else f" ({number(least)} to {number(most)})"
    return f"{number(median(known))}{span}" + (f", {missing} not known" if missing else "")


def expectations(verdict: Verdict) -> Table:
    return table(
        "Expectations and findings",
        "arm | expected | outcome | found",
        (
            [each.arm or "all", each.expected, each.outcome.mark, each.words]
            for each in verdict.findings
        ),
        NONE,
        {0, 1, 2, 3},
    )


def results(verdict: Verdict) -> Table:
    """Return a row per arm and repeat, with the metrics that the verdict rests on."""
    rows = []
    names = shown(verdict)
    for arm, found in verdict.arms.items():
        longest = _longest_delays(found["evidence"], found["repeats"])
        errors = found["agent_errors"] or [None] * found["repeats"]
        for repeat in range(found["repeats"]):
            metrics = [number(found[metric][repeat]) for metric in names]
            rows.append(
                [arm, str(repeat_number(repeat)), *metrics, longest[repeat], number(errors[repeat])]
            )
    return table(
        "Every repeat",
        f"arm | repeat | {' | '.join(METRICS[name].label_with_unit for name in names)}"
        " | longest delayed call, ms | agent errors",
        rows,
        NONE,
        {0},
    )


def _longest_delays(evidence: Sequence[Row], repeats: int) -> list[str]:
    """Return each repeat's longest delayed call, if all repeats have as many faults."""
    each, rest = divmod(len(evidence), repeats)
    if not each or rest:
        return [number(None)] * repeats
    return [
        number(max(row["longest_held_ms"] for row in evidence[n * each : (n + 1) * each]))
        for n in range(repeats)
    ]


_MOST_SLICES = 30
"""The most rows that a repeat's latency is divided into."""


def isr_table(pictures: Sequence[Timeline]) -> Table:
    """Return every stretch in which a partition's leader and ISR did not change."""
    return table(
        "The in-sync replicas over time",
        "arm | repeat | partition | from, s | to, s | leader | ISR | state",
        (
            [
                timeline.arm,
                str(repeat_number(timeline.repeat)),
                number(each.partition),
                f"{each.start_s:.2f}",
                f"{each.end_s:.2f}",
                "none" if each.leader < 0 else number(each.leader),
                members(each.isr),
                STATE_NAMES[each.state],
            ]
            for timeline in pictures
            for each in timeline.spans
        ),
        NONE,
        {0, 6, 7},
    )


def latency_table(pictures: Sequence[Timeline]) -> Table:
    """Return the slowest ack (ms) of each slice of time: a row per slice, a column per arm."""
    arms = list(dict.fromkeys(timeline.arm for timeline in pictures))
    repeats = sorted({timeline.repeat for timeline in pictures})
    step = tick_step(max((timeline.length_s for timeline in pictures), default=1.0), _MOST_SLICES)
    longest = max((timeline.length_s for timeline in pictures), default=0.0)
    edges = [count * step for count in range(int(longest / step) + 2)]
    drawn = {(timeline.arm, timeline.repeat): timeline for timeline in pictures}
    return table(
        "The slowest ack over time, ms",
        " | ".join(["repeat", "from, s", "to, s", *arms]),
        (
            [
                str(repeat_number(repeat)),
                f"{begin:g}",
                f"{end:g}",
                *(latency(_slowest(drawn.get((arm, repeat)), begin, end)) for arm in arms),
            ]
            for repeat in repeats
            for begin, end in pairwise(edges)
        ),
        NONE,
        set(),
    )


def _slowest(timeline: Timeline | None, begin_s: float, end_s: float) -> float | None:
    """Return the slowest ack of the records due in a slice; None without any."""
    points = timeline.latency if timeline is not None else ()
    own = (
        point.max_ms
        for point in points
        if point.partition is None and begin_s <= point.since_s < end_s
    )
    return max(own, default=None)
