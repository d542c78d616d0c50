"""The registry of metrics: the figures of one repeat of one arm.

What a scenario may bound, what `verdict.json`, `matrix.json` and the table `repeat_metrics` hold,
and what the reports show is derived from here. `of` says how a metric is computed; one without it
is a function of that name in `analysis/verdict/repeat_facts.py`. `python -m insync.metrics` prints
all of them.
"""

import re
from dataclasses import KW_ONLY, dataclass
from typing import Final, Literal, NamedTuple

Unit = Literal["count", "ms", "records", "replicas"]
Requirement = Literal["workload", "no-retries", "transactions", "groups", "step-down", "race"]

REQUIREMENTS: Final[dict[Requirement, str]] = {
    "workload": "any repeat but a race",
    "no-retries": "a workload without retries",
    "transactions": "a workload with transactions",
    "groups": "a workload with consumer groups",
    "step-down": "an arm whose leaders may step down",
    "race": "a race",
}

CONTROLLER_LOG: Final = "the controller's log, with every partition"
PRODUCERS: Final = "the producers' lines"
PAUSES: Final = f"{PRODUCERS}, {CONTROLLER_LOG}"
CONSUMER: Final = "the consumer's lines of a complete repeat"
BOTH_ENDS: Final = f"{PRODUCERS}, {CONSUMER}"
READ_TIMES: Final = f"{CONSUMER}, all readable"
GROUPS: Final = "the lines of every consumer group"
READ_GROUPS: Final = f"{GROUPS}, {CONSUMER}"
CHECKED: Final = "the controller's log, the brokers' events, replicas' logs; of a complete repeat"
LOG_ENDS: Final = f"{CHECKED}; or {CONSUMER}"
AGENTS: Final = "the events of the agents of all first leaders"
TRANSACTIONS: Final = "the lines of every transactional producer"
READ_TRANSACTIONS: Final = f"{TRANSACTIONS}, {CONSUMER}"
LIVENESS: Final = "a complete repeat, or a line of liveness.jsonl"
SAMPLES: Final = "samples of every replica from before the race until after it"
ALIVE: Final = f"{LIVENESS}; of nodes that insync started"
OF_NODES: Final = (CONTROLLER_LOG, PAUSES, CHECKED, AGENTS, SAMPLES, ALIVE)
"""Events that exist only where insync has the files of the nodes."""

LOST: Final = "lost"
LOST_AT_UNCLEAN: Final = "lost_at_unclean"
OF_LOST_ACKS: Final = (
    LOST, "truncated", "missing_from_log", "inconsistent", "reordered", "moved"
)  # fmt: skip
"""The metrics that count what becomes of records that only a leader had which leads no more."""
DEFAULT_FIGURES: Final = ("isr_shrinks", "under_min_isr_ms", "max_ack_gap_ms")
"""The metrics that cells of a matrix show unless their group of scenarios names others."""


class MetricSource(NamedTuple):
    """How a metric is computed from the rows of a repeat in a table.

    `how` is `topic`: the value in the row of all partitions; `count`: the rows, with a `value` only
    those that have it in `column`; `sum`; `max`; `slowest`: the largest, if every row has a value;
    `found`: the sum, if the recording shows it (`verdict/repeat_facts.py`).
    """

    how: str
    table: str
    column: str
    value: str


_SOURCE: Final = re.compile(r"(topic|count|sum|max|slowest|found) (\w+)(?:\.(\w+))?(?:=(\w+))?")


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric.

    Attributes:
        name: its name in scenarios, files and tables: a contract. One in `_ms` is a time.
        events: what the run must have recorded; without it the value is null.
        says: what it is.
        label: its name in the report; empty for a metric that only the tables hold.
        of: how it is computed: HOW TABLE.COLUMN=VALUE, see `MetricSource`. The column is the
            metric's name by default.
        gold: whether the table `repeat_metrics` holds it.
        counts: the records or replicas that it counts.
        better: which direction is an improvement; None: neither.
        integrity: whether it counts integrity violations: it must be 0 in every arm, whatever
            the scenario expects.
        liveness: whether it counts what the cluster did not do in time: a finding of every run,
            whatever the scenario expects.
        did: what an arm did in a repeat with a value above 0, for the report's finding: "stock
            `dropped followers`".
        measured: its value in the report's finding: "`the longest gap between acks was` 2 s".
        requires: the kind of repeat or arm that has it.
        optional: why a repeat may have no value although everything was recorded; empty: it
            must have one, or the run is unknown.
        of_whole: whether a repeat that was cut short, or not read to its end, may have a value that
            is too high: what was not recorded would have shown less.
        hidden_by: kinds of event files, such as `consume` for `consume-0.jsonl`, of which an
            unreadable line may cause a value that is too high.
        cell: its short name in a cell of a matrix; empty: a group of scenarios may not name it.

    """

    name: str
    events: str
    _: KW_ONLY
    says: str
    label: str = ""
    of: str = ""
    gold: bool = False
    counts: Literal["", "records", "replicas"] = ""
    better: Literal["lower", "higher"] | None = "lower"
    integrity: bool = False
    liveness: bool = False
    did: str = ""
    measured: str = ""
    requires: Requirement = "workload"
    optional: str = ""
    of_whole: bool = False
    hidden_by: tuple[str, ...] = ()
    cell: str = ""

    @property
    def source(self) -> MetricSource | None:
        """How it is computed; None if a function does it."""
        found = _SOURCE.fullmatch(self.of)
        if found is None:
            return None
        how, table, column, value = found.groups("")
        return MetricSource(how, table, column or self.name, value)

    @property
    def is_time(self) -> bool:
        """Whether it is a length of time, which is shown in seconds."""
        return self.name.endswith("_ms")

    @property
    def unit(self) -> Unit:
        """What its value is a number of."""
        return "ms" if self.is_time else self.counts or "count"

    @property
    def label_with_unit(self) -> str:
        """Its label, for texts that write values in ms without a unit."""
        return f"{self.label}, ms" if self.label and self.is_time else self.label

    @property
    def stands_out(self) -> bool:
        """Whether a cell of a matrix emphasises a value above 0."""
        return self.better == "lower" and not self.is_time

    @property
    def of_nodes(self) -> bool:
        """Whether it is known only where insync started the nodes, and has their files."""
        return self.events in OF_NODES


_ALL: Final = (
    Metric("isr_shrinks", CONTROLLER_LOG, of="count isr_shrinks", gold=True, label="ISR shrinks",
        cell="ISR shrinks", did="dropped followers from the ISR",
        says="changes of an ISR that removed a member"),
    Metric("first_shrink_ms", CONTROLLER_LOG, better=None, label="first shrink after",
        measured="the first follower left the ISR after",
        optional="no ISR shrank after the first fault",
        says="from the first fault to the first shrink after it"),
    Metric("min_isr_size", CONTROLLER_LOG, counts="replicas", better="higher",
        of="topic availability", gold=True, label="smallest ISR", measured="the smallest ISR had",
        says="the smallest ISR of any partition"),
    Metric("under_min_isr_ms", CONTROLLER_LOG, of="topic availability", gold=True,
        label="under min ISR", cell="under min ISR",
        did="had fewer replicas in sync than min.insync.replicas",
        says="time in which a partition had fewer replicas in sync than min.insync.replicas"),
    Metric("offline_ms", CONTROLLER_LOG, of="topic availability", gold=True, label="offline",
        cell="offline", did="had a partition without a leader",
        says="time in which a partition had no leader"),
    Metric("under_replicated", CONTROLLER_LOG, label="under-replicated partitions",
        cell="under-replicated", did="had under-replicated partitions",
        says="partitions of which the ISR lacked a replica at some time, which is what users alert "
        "on (Kafka's UnderReplicatedPartitions); replicas that are still being added do not count"),
    Metric("under_replicated_ms", CONTROLLER_LOG, of="topic availability", gold=True,
        label="under-replicated", cell="time under-replicated",
        measured="partitions were under-replicated for",
        says="time in which a partition was under-replicated"),
    Metric("max_ack_gap_ms", PRODUCERS, of="max ack_gaps.gap_ms", gold=True,
        label="longest gap between acks", cell="longest ack gap",
        measured="the longest gap between acks was",
        says="longest time without an ack in one partition; a repeat's start and end count as acks",
    ),
    Metric("long_ack_gaps", PRODUCERS, of="sum ack_gaps.long_gaps", label="long gaps between acks",
        cell="long ack gaps", did="had gaps between acks of more than half a second",
        says="times without an ack in one partition that are longer than half a second"),
    Metric("mean_ack_ms", PRODUCERS, of="topic ack_latency.mean_ms", label="mean ack",
        measured="the mean ack took", says="mean time from when a record was due to its ack"),
    Metric("mean_end_to_end_ms", READ_TIMES, of="topic end_to_end.mean_ms", label="mean end to end",
        optional="no record was read",
        says="mean time from when a record was due until a consumer without a group had read it"),
    Metric("max_end_to_end_ms", READ_TIMES, of="topic end_to_end.max_ms",
        label="longest end to end", measured="the longest time until a record was read was",
        optional="no record was read",
        says="longest time from when a record was due until a consumer without a group had read it",
    ),
    Metric("acked", PRODUCERS, counts="records", better="higher", of="topic ack_latency", gold=True,
        label="acked", cell="acked", measured="producers got acks for",
        says="records that were due in the window of a repeat, from `steady` on, and were acked"),
    Metric("acked_during_pause", PAUSES, counts="records", of="sum pauses.early",
        label="acked during a follower's pause", did="acked records while a follower was stopped",
        says="records that were due while a follower in the ISR was stopped, and acked before it "
        "ran again or was out of the ISR"),
    Metric("acked_after_pause", PAUSES, counts="records", better=None, of="sum pauses.waited",
        label="acked after a follower's pause", cell="waited",
        did="kept acks waiting for a stopped follower",
        says="records that were due while a follower in the ISR was stopped, and acked when it ran "
        "again"),
    Metric("refused", PRODUCERS, counts="records", requires="no-retries",
        label="refused below min ISR", cell="refused",
        did="refused records below min.insync.replicas",
        says="records that a leader refused because too few replicas were in sync "
        "(NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND)"),
    Metric("lost", CONSUMER, counts="records", integrity=True, of="found readback", gold=True,
        label="lost", did="lost acked records", of_whole=True, hidden_by=("consume",),
        says="records that were acked, or read during the repeat, and could not be read afterwards",
    ),
    Metric("lost_at_moves", PAUSES, counts="records", of="found readback",
        label="lost at planned moves", did="lost acked records when leadership moved as planned",
        of_whole=True, hidden_by=("consume",),
        says="lost records that were acked before an election that the scenario asked for; with "
        "acks=1 Kafka allows that (KAFKA-20554)"),
    Metric("lost_at_unclean", PAUSES, counts="records", of="found readback",
        label="lost at unclean elections", did="lost records at an unclean election",
        of_whole=True, hidden_by=("consume",),
        says="lost records that were acked or read before an unclean election that the scenario "
        "asked for; integrity violations unless the scenario bounds this metric"),
    Metric("duplicated", CONSUMER, counts="records", of="found readback", gold=True,
        label="duplicated", did="had records read twice",
        says="records that the consumer read more than once"),
    Metric("duplicated_idempotent", CONSUMER, counts="records", integrity=True, of="found readback",
        label="duplicates despite idempotence",
        says="records of idempotent and transactional producers that the consumer read more than "
        "once"),
    Metric("repeated_sequences", CHECKED, integrity=True, of="found checked",
        label="sequence numbers appended twice",
        says="batches with a producer's sequence number that the replica's log already had"),
    Metric("false_alarms", CONTROLLER_LOG, of="sum follower_drops.healthy",
        label="healthy followers dropped", cell="false alarms", did="dropped healthy followers",
        says="healthy followers that were dropped from an ISR"),
    Metric("detected_ms", CONTROLLER_LOG, label="follower at fault out after",
        cell="one at fault out", measured="the follower at fault was out of the ISR after",
        optional="no follower was at fault, or one at fault stayed in the ISR",
        says="from the last fault at a follower to its removal from the ISR; 0: it was out already",
    ),
    Metric("let_in_at_fault", CONTROLLER_LOG, of="sum detections.let_in",
        label="followers at fault let in", cell="let in",
        did="let a follower at fault into the ISR",
        says="times that a follower joined an ISR during a fault of its own"),
    Metric("reordered", CONSUMER, counts="records", integrity=True, of="found checked",
        label="records out of order", did="stored or read records out of order",
        says="records stored or read in the wrong order: reordered writes, nonmonotonic polls"),
    Metric("gaps", CONSUMER, integrity=True, of="found checked", label="gaps in what was read",
        did="passed over records", hidden_by=("consume",),
        says="times that the consumer passed over offsets: skipped polls"),
    Metric("inconsistent", CONSUMER, integrity=True, of="found checked",
        label="offsets with two values", did="had two records at one offset",
        says="offsets for which acks and reads name two records"),
    Metric("corrupt", CONSUMER, counts="records", integrity=True, of="found checked",
        label="corrupt records", optional="values were recorded without a checksum",
        says="records whose value does not fit its checksum, topic or partition"),
    Metric("unexpected", BOTH_ENDS, counts="records", integrity=True, of="found checked",
        label="records that nobody sent", of_whole=True, hidden_by=("produce",),
        says="records that were read and that no producer sent"),
    Metric("moved", CONSUMER, counts="records", integrity=True, of="found checked",
        label="moved records", of_whole=True, hidden_by=("consume",),
        says="records that are at another offset than that of their ack, or of their first read"),
    Metric("truncated", LOG_ENDS, integrity=True, of="found checked",
        label="partitions that lost their tail",
        says="partitions whose log ends before an offset that was acked or read"),
    Metric("missing_from_log", CHECKED, counts="records", integrity=True, of="found checked",
        label="acked records missing in logs", hidden_by=("batches",),
        says="acked offsets that are not in the replicas' logs"),
    Metric("split_epochs", CHECKED, integrity=True, of="found checked",
        label="epochs with two leaders", did="had two leaders in one epoch",
        says="leader epochs in which two brokers led a partition"),
    Metric("diverged", CHECKED, integrity=True, of="found checked",
        label="partitions whose replicas differ", did="had replicas whose logs differ",
        hidden_by=("batches",),
        says="partitions whose replicas' logs differ, or hold a batch with a wrong CRC"),
    Metric("watermarks_back", CHECKED, integrity=True, of="found checked",
        label="high watermarks gone back", did="moved a high watermark back",
        optional="Kafka 1.1 does not log the high watermark with which a broker begins a role",
        hidden_by=("roles",),
        says="times that a former leader began a role with a lower high watermark than it led with",
    ),
    Metric("joined_ms", CONTROLLER_LOG, better=None, of="slowest added_replicas",
        label="added replica in the ISR after", cell="added one in",
        measured="the added replica was in the ISR after",
        optional="no replica was added, or one did not join",
        says="from when a reassignment added a replica until it was in the ISR; the longest"),
    Metric("isr_not_recovered", LIVENESS, liveness=True,
        label="ISRs not recovered", did="left an ISR that did not recover",
        says="times that an ISR was not full within a minute, with no fault in force; that of the"
        " topic `[beside]`, too"),
    Metric("unplanned_exits", ALIVE, liveness=True,
        label="nodes ended by themselves", did="had a broker that ended by itself",
        says="brokers and controllers that ended although no fault ended them"),
    Metric("nodes_not_stopped", ALIVE, liveness=True,
        label="nodes not stopped", did="had a broker that did not shut down",
        says="brokers that a fault had asked to shut down, and that had to be killed"),
    Metric("nodes_not_back", ALIVE, liveness=True,
        label="nodes not back", did="had a node that did not come back",
        says="nodes that a fault had ended, and that did not serve at the end of the repeat"),
    Metric("hanging_transactions", LIVENESS, liveness=True,
        label="hanging transactions", did="had a transaction that did not end",
        says="times that a transaction was decided and not over 30 s after the producers' end"),
    Metric("read_back_unfinished", LIVENESS, liveness=True,
        label="read-backs not finished",
        did="could not be read back to the end",
        says="times that a read-back did not reach the end: nothing was read for 30 s"),
    Metric("leader_changes", CONTROLLER_LOG, of="count leader_changes.planned=false", gold=True,
        label="leader changes", cell="leader changes", did="changed leaders",
        says="changes of a leader, without the elections that the scenario plans"),
    Metric("soonest_return_ms", CONTROLLER_LOG, better=None, label="soonest return of a leader",
        measured="a former leader led again after", optional="no leader came back",
        says="shortest time after which a broker led a partition again that it had led before"),
    Metric("step_downs", AGENTS, better=None, requires="step-down",
        of="count step_downs.outcome=done", gold=True, label="step-downs", cell="step-downs",
        did="stepped down from leadership", says="times that a leader stepped down"),
    Metric("step_downs_withheld", AGENTS, better=None, requires="step-down",
        of="count step_downs.outcome=withheld", label="step-downs withheld", cell="withheld",
        did="kept slow leaders that were due to step down",
        says="times that a slow leader began to keep a partition although it was due to step down"),
    Metric("most_step_downs", AGENTS, requires="step-down", of="max step_downs.in_cooldown",
        label="most step-downs of a partition", did="stepped down from leadership",
        says="the most step-downs of one partition within one cool-down"),
    Metric("dead_follower_dropped_ms", CONTROLLER_LOG, of="slowest dead_followers.took_ms",
        label="dead follower out after", cell="dead one out",
        measured="the dead follower was out of the ISR after",
        optional="no follower stopped fetching, or an ISR kept one that did",
        says="from the fault by which a follower stopped fetching to its removal from the last ISR",
    ),
    Metric("aborted_read", READ_TRANSACTIONS, counts="records", integrity=True,
        requires="transactions", of="found transactions", label="aborted records read",
        did="had aborted records read", says="records of aborted transactions that were read"),
    Metric("precommitted_read", READ_TRANSACTIONS, counts="records", integrity=True,
        requires="transactions", of="found checked", label="uncommitted records read",
        of_whole=True, hidden_by=("transactions",),
        says="records that were read before their transaction's commit was requested, or although "
        "it never was"),
    Metric("g1c", READ_TRANSACTIONS, integrity=True, requires="transactions", of="found checked",
        label="cycles of transactions (G1c)", optional="no transaction read",
        hidden_by=("transactions",),
        says="groups of transactions that read from each other in a cycle"),
    Metric("g0", TRANSACTIONS, better=None, requires="transactions", of="count cycles.kind=g0",
        label="cycles of writes (G0, allowed)",
        says="groups of transactions whose writes are in opposite orders in several partitions, "
        "which Kafka allows"),
    Metric("torn", READ_TRANSACTIONS, integrity=True, requires="transactions",
        of="found transactions", label="transactions read in part",
        did="had transactions read in part", of_whole=True, hidden_by=("consume",),
        says="transactions of which only a part was read"),
    Metric("max_commit_gap_ms", TRANSACTIONS, requires="transactions",
        of="max transactions.commit_gap_ms", label="longest gap between commits",
        measured="the longest gap between commits was",
        says="longest time in which a transactional producer had no commit"),
    Metric("group_rebalances", GROUPS, better=None, requires="groups", of="sum groups.rebalances",
        label="group rebalances",
        says="times that a member of a consumer group gave a partition back, or lost it"),
    Metric("max_group_gap_ms", GROUPS, requires="groups", of="max groups.gap_ms",
        label="longest time without an owner", optional="no partition moved to another member",
        says="longest time in which a partition had no owner in a consumer group"),
    Metric("max_group_lag", GROUPS, counts="records", requires="groups", of="max groups.max_lag",
        label="largest group lag", optional="no member had fetched from a partition when it looked",
        says="the most records that a member of a consumer group was behind the high watermark"),
    Metric("group_unread", READ_GROUPS, counts="records", requires="groups",
        of="found groups.unread", label="unread by groups", of_whole=True, hidden_by=("group",),
        says="records that no member of a consumer group processed by the end of the repeat"),
    Metric("group_skipped", READ_GROUPS, counts="records", integrity=True, requires="groups",
        of="found checked", label="records skipped by consumer groups", of_whole=True,
        hidden_by=("group",),
        says="records that a consumer group committed without processing them"),
    Metric("fetchers_lost", SAMPLES, requires="race", label="fetcher threads lost",
        cell="fetchers lost", did="lost fetcher threads", says="replica fetcher threads that died"),
    Metric("partitions_failed", SAMPLES, requires="race", label="partitions given up",
        cell="given up", did="had partitions marked as failed",
        says="partitions that a fetcher gave up"),
    Metric("partitions_behind", SAMPLES, requires="race", label="partitions not replicated",
        cell="not replicated", did="left replicas behind",
        says="partitions with a replica whose log begins or ends before another's"),
    Metric("start_above_end", SAMPLES, requires="race", of="sum raced_replicas",
        label="log start above end",
        cell="start above end", did="had log start offsets above the log's end",
        says="samples in which a log start offset was above the log's end"),
    Metric("start_above_watermark", SAMPLES, requires="race", of="sum raced_replicas",
        label="log start above watermark",
        cell="start above watermark", did="had log start offsets above the high watermark",
        says="samples in which a log start offset was above the high watermark"),
    Metric("starts_put_right", SAMPLES, better=None, requires="race", label="log starts corrected",
        cell="corrected", did="corrected log start offsets",
        says="log start offsets that the agent corrected, in fetch responses and in logs"),
    Metric("at_min_isr_ms", CONTROLLER_LOG, of="topic availability", gold=True,
        says="time in which a partition had exactly min.insync.replicas replicas in sync"),
    Metric("p50_ms", PRODUCERS, of="topic ack_latency", gold=True, says="median ack latency"),
    Metric("p90_ms", PRODUCERS, of="topic ack_latency", gold=True,
        says="ack latency at the 90th percentile"),
    Metric("p99_ms", PRODUCERS, of="topic ack_latency", gold=True,
        says="ack latency at the 99th percentile"),
    Metric("p999_ms", PRODUCERS, of="topic ack_latency", gold=True,
        says="ack latency at the 99.9th percentile"),
    Metric("max_ms", PRODUCERS, of="topic ack_latency", gold=True, label="longest ack",
        cell="longest ack", measured="the longest ack took", optional="no record was acked",
        says="longest ack latency: from when a record was due to its commit"),
    Metric("failed", PRODUCERS, counts="records", of="topic ack_latency", gold=True,
        says="records that failed at their producer"),
    Metric("unanswered", PRODUCERS, counts="records", of="topic ack_latency", gold=True,
        says="records that had neither an ack nor an error at the end"),
    Metric("isr_whole_ms", CONTROLLER_LOG, of="max recovery", gold=True,
        optional="no fault ended, or an ISR was not full before the next fault or the end",
        says="from the end of a fault until every ISR was full again; the longest of all faults"),
    Metric("backlog_ms", PRODUCERS, of="max recovery", gold=True,
        optional="no fault ended, or a record due during one was never acked",
        says="from the end of a fault until the records due during it were acked; the longest"),
)  # fmt: skip

METRICS: Final[dict[str, Metric]] = {metric.name: metric for metric in _ALL}
"""Every metric by its name, in the order of `verdict.json` and of the reports."""


def of_verdict() -> tuple[str, ...]:
    """Return the names of the metrics in `verdict.json`, which scenarios may bound."""
    return tuple(name for name, metric in METRICS.items() if metric.label)


def integrity(acks: str = "all", *, unclean: bool = False) -> tuple[str, ...]:
    """Return the names of the metrics that count integrity violations.

    With acks=1 a leader acks what only it has: such a record may be lost, and another one takes its
    offset. If `unclean`, the scenario allows the same at an unclean election.
    """
    allowed = OF_LOST_ACKS if unclean or acks != "all" else ()
    return tuple(
        name for name, metric in METRICS.items() if metric.integrity and name not in allowed
    )


def liveness() -> tuple[str, ...]:
    """Return the names of the metrics that count what the cluster did not do in time."""
    return tuple(name for name, metric in METRICS.items() if metric.liveness)


def as_markdown() -> str:
    """Return all metrics as Markdown."""
    rows = [_row(metric) for metric in METRICS.values()]
    head = "| metric | unit | better | in | what it is | computed from | needs | has no value if |"
    return "\n".join(["### Metrics", "", _NOTE, "", head, "|---" * 8 + "|", *rows, ""])


_NOTE: Final = (
    "Integrity violations must be 0 in every arm, whatever a scenario expects. A metric of liveness"
    " must be 0 in an arm under test that has the agent, unless stock Kafka has it in the same run."
    " A metric without the events that it needs is null, and the run is unknown. A race has only"
    " the metrics that need one, all other repeats have none of those."
)


def _row(metric: Metric) -> str:
    places = {"verdict": metric.label, "`repeat_metrics`": metric.gold}
    of = "" if metric.requires == "workload" else f"{REQUIREMENTS[metric.requires]}: "
    liveness = "must be 0, or stock has it" if metric.liveness else metric.better or ""
    cells = (
        f"`{metric.name}`",
        metric.unit,
        "must be 0" if metric.integrity else liveness,
        ", ".join(place for place, there in places.items() if there),
        metric.says,
        metric.of,
        of + metric.events,
        metric.optional,
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(as_markdown(), end="")
