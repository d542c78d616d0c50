"""The registry of metrics: the figures of one repeat of one arm.

What a scenario may bound, what `verdict.json`, `matrix.json` and the table `repeat_metrics` hold,
and what the reports show is derived from here. To add a metric, add it here and compute it: in
`analysis/verdict/repeat_facts.py`, in `analysis/tables/gold/metrics.py`, or in both.
`python -m insync.metrics` prints it as Markdown.
"""

from dataclasses import dataclass
from typing import Final, Literal

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
CONSUMER: Final = "the consumer's lines of a complete repeat"
GROUPS: Final = "the lines of every consumer group"
READ_GROUPS: Final = f"{GROUPS}, {CONSUMER}"
CHECKED: Final = "the controller's log, the brokers' events, replicas' logs; of a complete repeat"
AGENTS: Final = "the events of the agents of all first leaders"
TRANSACTIONS: Final = "the lines of every transactional producer"
READ_TRANSACTIONS: Final = f"{TRANSACTIONS}, {CONSUMER}"
LOST: Final = "lost"
OF_LOST_ACKS: Final = (
    LOST, "truncated", "missing_from_log", "inconsistent", "reordered", "moved"
)  # fmt: skip
"""The metrics that count what becomes of records whose acks only a leader stood for."""
LIVENESS: Final = "a complete repeat, or a line of liveness.jsonl"
SAMPLES: Final = "samples of every replica from before the race until after it"
ALIVE: Final = f"{LIVENESS}; of nodes that insync started"
OF_NODES: Final = (
    CONTROLLER_LOG,
    f"{PRODUCERS}, {CONTROLLER_LOG}",
    CHECKED,
    AGENTS,
    SAMPLES,
    ALIVE,
)
"""Events that exist only where insync has the files of the nodes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InCell:
    """How a cell of a matrix shows a metric.

    Attributes:
        legend: its name above the table.
        name: its short name in the cell.
        stands_out: whether a value above 0 is emphasised.
        default: whether cells show it unless their group of scenarios names others.

    """

    legend: str
    name: str
    stands_out: bool = False
    default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One metric.

    Attributes:
        name: its name in scenarios, files and tables: a contract.
        says: what it is, for readers.
        label: its name in the report; empty for a metric that only the tables hold.
        unit: what it counts; a name in `_ms` is in milliseconds.
        better: which direction is an improvement; None: neither.
        integrity: whether it counts integrity violations: it must be 0 in every arm, whatever
            the scenario expects.
        liveness: whether it counts what the cluster did not do in time: a finding of every run,
            whatever the scenario expects.
        headline: an integrity violation in words, for the summary of the report.
        did: what an arm did in a repeat with a value above 0, for the report's finding: "stock
            `dropped followers`".
        measured: its value in the report's finding: "`the longest gap between acks was` 2 s".
        requires: the kind of repeat or arm that has it.
        events: what the run must have recorded; without it the value is null.
        optional: why a repeat may have no value although everything was recorded; empty: it
            must have one, or the run is unknown.
        of_whole: whether a repeat that was cut short, or not read to its end, may have a value that
            is too high: what was not recorded would have shown less.
        hidden_by: kinds of event files, such as `consume` for `consume-0.jsonl`, of which an
            unreadable line may cause a value that is too high.
        verdict: whether `verdict.json` and `matrix.json` hold it, and scenarios may bound it.
        gold: whether the table `repeat_metrics` holds it.
        cell: how a matrix shows it; None: it does not.

    """

    name: str
    says: str
    label: str = ""
    unit: Unit
    better: Literal["lower", "higher"] | None
    integrity: bool = False
    liveness: bool = False
    headline: str = ""
    did: str = ""
    measured: str = ""
    requires: Requirement = "workload"
    events: str
    optional: str = ""
    of_whole: bool = False
    hidden_by: tuple[str, ...] = ()
    verdict: bool = True
    gold: bool = False
    cell: InCell | None = None

    @property
    def is_time(self) -> bool:
        """Whether it is a length of time, which is shown in seconds."""
        return self.unit == "ms"

    @property
    def label_alone(self) -> str:
        """Its label without the unit, for texts that write the unit with the value."""
        return self.label.removesuffix(", ms")

    @property
    def of_nodes(self) -> bool:
        """Whether it is known only where insync started the nodes, and has their files."""
        return self.events in OF_NODES


_ALL: Final = (
    Metric(
        name="isr_shrinks",
        says="changes of an ISR that removed a member",
        did="dropped followers from the ISR",
        label="ISR shrinks", unit="count", better="lower", events=CONTROLLER_LOG, gold=True,
        cell=InCell(legend="ISR shrinks", name="ISR shrinks", stands_out=True, default=True),
    ),
    Metric(
        name="first_shrink_ms",
        says="from the first fault to the first shrink after it",
        measured="the first follower left the ISR after",
        label="first shrink after, ms", unit="ms", better=None, events=CONTROLLER_LOG,
        optional="no ISR shrank after the first fault",
    ),
    Metric(
        name="min_isr_size",
        says="the smallest ISR of any partition",
        measured="the smallest ISR had",
        label="smallest ISR", unit="replicas", better="higher", events=CONTROLLER_LOG, gold=True,
    ),
    Metric(
        name="under_min_isr_ms",
        says="time in which a partition had fewer replicas in sync than min.insync.replicas",
        did="had fewer replicas in sync than min.insync.replicas",
        label="under min ISR, ms", unit="ms", better="lower", events=CONTROLLER_LOG, gold=True,
        cell=InCell(legend="seconds under min ISR", name="under min ISR", default=True),
    ),
    Metric(
        name="offline_ms",
        says="time in which a partition had no leader",
        did="had a partition without a leader",
        label="offline, ms", unit="ms", better="lower", events=CONTROLLER_LOG, gold=True,
        cell=InCell(legend="seconds offline", name="offline"),
    ),
    Metric(
        name="under_replicated",
        says="partitions of which the ISR lacked a replica at some time, which is what users alert"
        " on (Kafka's UnderReplicatedPartitions); replicas that are still being added do not count",
        did="had under-replicated partitions",
        label="under-replicated partitions", unit="count", better="lower", events=CONTROLLER_LOG,
        cell=InCell(legend="under-replicated partitions", name="under-replicated", stands_out=True),
    ),
    Metric(
        name="under_replicated_ms",
        says="time in which a partition was under-replicated",
        measured="partitions were under-replicated for",
        label="under-replicated, ms", unit="ms", better="lower", events=CONTROLLER_LOG, gold=True,
        cell=InCell(legend="seconds under-replicated", name="time under-replicated"),
    ),
    Metric(
        name="max_ack_gap_ms",
        says="longest time without an ack in one partition; a repeat's start and end count as acks",
        measured="the longest gap between acks was",
        label="longest gap between acks, ms", unit="ms", better="lower", events=PRODUCERS,
        gold=True,
        cell=InCell(
            legend="longest gap between acks in seconds", name="longest ack gap", default=True
        ),
    ),
    Metric(
        name="mean_ack_ms",
        says="mean time from when a record was due to its ack",
        measured="the mean ack took",
        label="mean ack, ms", unit="ms", better="lower", events=PRODUCERS,
    ),
    Metric(
        name="mean_end_to_end_ms",
        says="mean time from when a record was due until a consumer without a group had read it",
        label="mean end to end, ms", unit="ms", better="lower", events=CONSUMER,
        optional="no record was read",
    ),
    Metric(
        name="max_end_to_end_ms",
        says="longest time from when a record was due until a consumer without a group had read it",
        measured="the longest time until a record was read was",
        label="longest end to end, ms", unit="ms", better="lower", events=CONSUMER,
        optional="no record was read",
    ),
    Metric(
        name="acked",
        says="records that were due in the window of a repeat, from `steady` on, and were acked",
        measured="producers got acks for",
        label="acked", unit="records", better="higher", events=PRODUCERS, gold=True,
        cell=InCell(legend="acked records", name="acked"),
    ),
    Metric(
        name="acked_during_pause",
        says="records that were due while a follower in the ISR was stopped, and acked before it"
        " ran again or was out of the ISR",
        did="acked records while a follower was stopped",
        label="acked during a follower's pause", unit="records", better="lower",
        events=f"{PRODUCERS}, {CONTROLLER_LOG}",
    ),
    Metric(
        name="acked_after_pause",
        says="records that were due while a follower in the ISR was stopped, and acked when it ran"
        " again",
        did="kept acks waiting for a stopped follower",
        label="acked after a follower's pause", unit="records", better=None,
        events=f"{PRODUCERS}, {CONTROLLER_LOG}",
        cell=InCell(legend="records acked only after a follower's pause", name="waited"),
    ),
    Metric(
        name="refused",
        says="records that a leader refused because too few replicas were in sync"
        " (NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND)",
        did="refused records below min.insync.replicas",
        label="refused below min ISR", unit="records", better="lower", requires="no-retries",
        events=PRODUCERS,
        cell=InCell(legend="records refused below min ISR", name="refused", stands_out=True),
    ),
    Metric(
        name=LOST,
        says="records that were acked, or read during the repeat, and could not be read afterwards",
        did="lost acked records",
        label="lost", unit="records", better="lower", integrity=True, events=CONSUMER, gold=True,
        of_whole=True, hidden_by=("consume",),
    ),
    Metric(
        name="duplicated",
        says="records that the consumer read more than once",
        did="had records read twice",
        label="duplicated", unit="records", better="lower", events=CONSUMER, gold=True,
    ),
    Metric(
        name="duplicated_idempotent",
        says="records of idempotent and transactional producers that the consumer read more than"
        " once",
        label="duplicated despite idempotence", unit="records", better="lower", integrity=True,
        headline="duplicates despite idempotence", events=CONSUMER,
    ),
    Metric(
        name="repeated_sequences",
        says="batches with a producer's sequence number that the replica's log already had",
        label="sequence numbers repeated", unit="count", better="lower", integrity=True,
        headline="sequence numbers appended twice", events=CHECKED,
    ),
    Metric(
        name="false_alarms",
        says="healthy followers that were dropped from an ISR",
        did="dropped healthy followers",
        label="healthy followers dropped", unit="count", better="lower", events=CONTROLLER_LOG,
        cell=InCell(legend="false alarms", name="false alarms", stands_out=True),
    ),
    Metric(
        name="detected_ms",
        says="from the last fault at a follower to its removal from the ISR; 0: it was out already",
        measured="the follower at fault was out of the ISR after",
        label="follower at fault out after, ms", unit="ms", better="lower", events=CONTROLLER_LOG,
        optional="no follower was at fault, or one at fault stayed in the ISR",
        cell=InCell(
            legend="seconds until a follower at fault was out", name="one at fault out"
        ),
    ),
    Metric(
        name="let_in_at_fault",
        says="times that a follower joined an ISR during a fault of its own",
        did="let a follower at fault into the ISR",
        label="followers at fault let in", unit="count", better="lower", events=CONTROLLER_LOG,
        cell=InCell(
            legend="times that a follower at fault was let in", name="let in", stands_out=True
        ),
    ),
    Metric(
        name="reordered",
        says="records stored or read in the wrong order: reordered writes, nonmonotonic polls",
        did="stored or read records out of order",
        label="reordered", unit="records", better="lower", integrity=True,
        headline="records out of order", events=CONSUMER,
    ),
    Metric(
        name="gaps",
        says="times that the consumer passed over offsets: skipped polls",
        did="passed over records",
        label="gaps", unit="count", better="lower", integrity=True,
        headline="gaps in what was read", events=CONSUMER,
        hidden_by=("consume",),
    ),
    Metric(
        name="inconsistent",
        says="offsets for which acks and reads name two records",
        did="had two records at one offset",
        label="inconsistent offsets", unit="count", better="lower", integrity=True,
        headline="offsets with two values", events=CONSUMER,
    ),
    Metric(
        name="corrupt",
        says="records whose value does not fit its checksum, topic or partition",
        label="corrupt records", unit="records", better="lower", integrity=True,
        events=CONSUMER, optional="values were recorded without a checksum",
    ),
    Metric(
        name="unexpected",
        says="records that were read and that no producer sent",
        label="records nobody sent", unit="records", better="lower", integrity=True,
        headline="records that nobody sent", events=f"{PRODUCERS}, {CONSUMER}",
        of_whole=True, hidden_by=("produce",),
    ),
    Metric(
        name="moved",
        says="records that are at another offset than that of their ack, or of their first read",
        label="moved records", unit="records", better="lower", integrity=True, events=CONSUMER,
        of_whole=True, hidden_by=("consume",),
    ),
    Metric(
        name="truncated",
        says="partitions whose log ends before an offset that was acked or read",
        label="truncated partitions", unit="count", better="lower", integrity=True,
        headline="partitions that lost their tail", events=f"{CHECKED}; or {CONSUMER}",
    ),
    Metric(
        name="missing_from_log",
        says="acked offsets that are not in the replicas' logs",
        label="acked, not in the logs", unit="records", better="lower", integrity=True,
        headline="acked records missing in logs", events=CHECKED, hidden_by=("batches",),
    ),
    Metric(
        name="split_epochs",
        says="leader epochs in which two brokers led a partition",
        did="had two leaders in one epoch",
        label="epochs with two leaders", unit="count", better="lower", integrity=True,
        headline="epochs with two leaders", events=CHECKED,
    ),
    Metric(
        name="diverged",
        says="partitions whose replicas' logs differ, or hold a batch with a wrong CRC",
        did="had replicas whose logs differ",
        label="diverged partitions", unit="count", better="lower", integrity=True,
        headline="partitions whose replicas differ", events=CHECKED,
        hidden_by=("batches",),
    ),
    Metric(
        name="watermarks_back",
        says="times that a former leader began a role with a lower high watermark than it led with",
        did="moved a high watermark back",
        label="high watermarks gone back", unit="count", better="lower", integrity=True,
        events=CHECKED,
        hidden_by=("roles",),
        optional="Kafka 1.1 does not log the high watermark with which a broker begins a role",
    ),
    Metric(
        name="joined_ms",
        says="from when a reassignment added a replica until it was in the ISR; the longest",
        measured="the added replica was in the ISR after",
        label="added replica in the ISR after, ms", unit="ms", better=None, events=CONTROLLER_LOG,
        optional="no replica was added, or one did not join",
        cell=InCell(legend="seconds until an added replica was in the ISR", name="added one in"),
    ),
    Metric(
        name="isr_not_recovered",
        says="times that an ISR was not full within a minute, with no fault in force",
        did="left an ISR that did not recover",
        label="ISRs not recovered", unit="count", better="lower", liveness=True, events=LIVENESS,
    ),
    Metric(
        name="unplanned_exits",
        says="brokers and controllers that ended although no fault ended them",
        did="had a broker that ended by itself",
        label="nodes ended by themselves", unit="count", better="lower", liveness=True,
        events=ALIVE,
    ),
    Metric(
        name="read_back_unfinished",
        says="times that a read-back did not reach the end: nothing was read for 30 s",
        did="could not be read back to the end",
        label="read-backs not finished", unit="count", better="lower", liveness=True,
        events=LIVENESS,
    ),
    Metric(
        name="leader_changes",
        says="changes of a leader, without the elections that the scenario plans",
        did="changed leaders",
        label="leader changes", unit="count", better="lower", events=CONTROLLER_LOG, gold=True,
        cell=InCell(legend="leader changes", name="leader changes"),
    ),
    Metric(
        name="soonest_return_ms",
        says="shortest time after which a broker led a partition again that it had led before",
        measured="a former leader led again after",
        label="soonest return of a leader, ms", unit="ms", better=None, events=CONTROLLER_LOG,
        optional="no leader came back",
    ),
    Metric(
        name="step_downs",
        says="times that a leader stepped down",
        did="stepped down from leadership",
        label="step-downs", unit="count", better=None, requires="step-down", events=AGENTS,
        gold=True, cell=InCell(legend="step-downs", name="step-downs"),
    ),
    Metric(
        name="step_downs_withheld",
        says="times that a slow leader began to keep a partition although it was due to step down",
        did="kept slow leaders that were due to step down",
        label="step-downs withheld", unit="count", better=None, requires="step-down",
        events=AGENTS, cell=InCell(legend="step-downs withheld", name="withheld"),
    ),
    Metric(
        name="most_step_downs",
        says="the most step-downs of one partition within one cool-down",
        did="stepped down from leadership",
        label="most step-downs of a partition", unit="count", better="lower",
        requires="step-down", events=AGENTS,
    ),
    Metric(
        name="dead_follower_dropped_ms",
        says="from the fault by which a follower stopped fetching to its removal from the last ISR",
        measured="the dead follower was out of the ISR after",
        label="dead follower out after, ms", unit="ms", better="lower", events=CONTROLLER_LOG,
        optional="no follower stopped fetching, or an ISR kept one that did",
        cell=InCell(legend="seconds until a dead follower was out", name="dead one out"),
    ),
    Metric(
        name="aborted_read",
        says="records of aborted transactions that were read",
        did="had aborted records read",
        label="aborted records read", unit="records", better="lower", integrity=True,
        requires="transactions", events=READ_TRANSACTIONS,
    ),
    Metric(
        name="precommitted_read",
        says="records that were read before their transaction's commit was requested, or although"
        " it never was",
        label="uncommitted records read", unit="records", better="lower", integrity=True,
        requires="transactions", events=READ_TRANSACTIONS,
        of_whole=True, hidden_by=("transactions",),
    ),
    Metric(
        name="g1c",
        says="groups of transactions that read from each other in a cycle",
        label="cycles of reads (G1c)", unit="count", better="lower", integrity=True,
        headline="cycles of transactions (G1c)", requires="transactions",
        events=READ_TRANSACTIONS, optional="no transaction read",
        hidden_by=("transactions",),
    ),
    Metric(
        name="g0",
        says="groups of transactions whose writes are in opposite orders in several partitions,"
        " which Kafka allows",
        label="cycles of writes (G0, allowed)", unit="count", better=None,
        requires="transactions", events=TRANSACTIONS,
    ),
    Metric(
        name="torn",
        says="transactions of which only a part was read",
        did="had transactions read in part",
        label="transactions read in part", unit="count", better="lower", integrity=True,
        requires="transactions", events=READ_TRANSACTIONS,
        of_whole=True, hidden_by=("consume",),
    ),
    Metric(
        name="max_commit_gap_ms",
        says="longest time in which a transactional producer had no commit",
        measured="the longest gap between commits was",
        label="longest gap between commits, ms", unit="ms", better="lower",
        requires="transactions", events=TRANSACTIONS,
    ),
    Metric(
        name="group_rebalances",
        says="times that a member of a consumer group gave a partition back, or lost it",
        label="group rebalances", unit="count", better=None, requires="groups", events=GROUPS,
    ),
    Metric(
        name="max_group_gap_ms",
        says="longest time in which a partition had no owner in a consumer group",
        label="longest time without an owner, ms", unit="ms", better="lower", requires="groups",
        events=GROUPS, optional="no partition moved to another member",
    ),
    Metric(
        name="max_group_lag",
        says="the most records that a member of a consumer group was behind the high watermark",
        label="largest group lag", unit="records", better="lower", requires="groups",
        events=GROUPS, optional="no member had fetched from a partition when it looked",
    ),
    Metric(
        name="group_unread",
        says="records that no member of a consumer group processed by the end of the repeat",
        label="unread by groups", unit="records", better="lower", requires="groups",
        events=READ_GROUPS, of_whole=True, hidden_by=("group",),
    ),
    Metric(
        name="group_skipped",
        says="records that a consumer group committed without processing them",
        label="skipped by groups", unit="records", better="lower", integrity=True,
        headline="records skipped by consumer groups", requires="groups", events=READ_GROUPS,
        of_whole=True, hidden_by=("group",),
    ),
    Metric(
        name="fetchers_lost",
        says="replica fetcher threads that died",
        did="lost fetcher threads",
        label="fetcher threads lost", unit="count", better="lower", requires="race",
        events=SAMPLES,
        cell=InCell(legend="fetcher threads lost", name="fetchers lost", stands_out=True),
    ),
    Metric(
        name="partitions_failed",
        says="partitions that a fetcher gave up",
        did="had partitions marked as failed",
        label="partitions given up", unit="count", better="lower", requires="race",
        events=SAMPLES,
        cell=InCell(legend="partitions given up", name="given up", stands_out=True),
    ),
    Metric(
        name="partitions_behind",
        says="partitions with a replica whose log begins or ends before another's",
        did="left replicas behind",
        label="partitions not replicated", unit="count", better="lower", requires="race",
        events=SAMPLES,
        cell=InCell(
            legend="partitions not replicated any more", name="not replicated", stands_out=True
        ),
    ),
    Metric(
        name="start_above_end",
        says="samples in which a log start offset was above the log's end",
        did="had log start offsets above the log's end",
        label="log start above end", unit="count", better="lower", requires="race",
        events=SAMPLES,
        cell=InCell(
            legend="samples with a log start offset above the log's end",
            name="start above end", stands_out=True,
        ),
    ),
    Metric(
        name="start_above_watermark",
        says="samples in which a log start offset was above the high watermark",
        did="had log start offsets above the high watermark",
        label="log start above watermark", unit="count", better="lower", requires="race",
        events=SAMPLES,
        cell=InCell(
            legend="samples with a log start offset above the high watermark",
            name="start above watermark", stands_out=True,
        ),
    ),
    Metric(
        name="starts_put_right",
        says="log start offsets that the agent corrected, in fetch responses and in logs",
        did="corrected log start offsets",
        label="log starts corrected", unit="count", better=None, requires="race", events=SAMPLES,
        cell=InCell(legend="log starts corrected", name="corrected"),
    ),
    Metric(
        name="at_min_isr_ms",
        says="time in which a partition had exactly min.insync.replicas replicas in sync",
        unit="ms", better="lower", events=CONTROLLER_LOG, verdict=False, gold=True,
    ),
    Metric(
        name="p50_ms",
        says="median ack latency",
        unit="ms", better="lower", events=PRODUCERS, verdict=False, gold=True,
    ),
    Metric(
        name="p90_ms",
        says="ack latency at the 90th percentile",
        unit="ms", better="lower", events=PRODUCERS, verdict=False, gold=True,
    ),
    Metric(
        name="p99_ms",
        says="ack latency at the 99th percentile",
        unit="ms", better="lower", events=PRODUCERS, verdict=False, gold=True,
    ),
    Metric(
        name="p999_ms",
        says="ack latency at the 99.9th percentile",
        unit="ms", better="lower", events=PRODUCERS, verdict=False, gold=True,
    ),
    Metric(
        name="max_ms",
        says="longest ack latency: from when a record was due to its commit",
        measured="the longest ack took",
        label="longest ack, ms", unit="ms", better="lower", events=PRODUCERS,
        optional="no record was acked", gold=True,
        cell=InCell(legend="longest ack in seconds", name="longest ack"),
    ),
    Metric(
        name="failed",
        says="records that failed at their producer",
        unit="records", better="lower", events=PRODUCERS, verdict=False, gold=True,
    ),
    Metric(
        name="unanswered",
        says="records that had neither an ack nor an error at the end",
        unit="records", better="lower", events=PRODUCERS, verdict=False, gold=True,
    ),
    Metric(
        name="isr_whole_ms",
        says="from the end of a fault until every ISR was full again; the longest of all faults",
        unit="ms", better="lower", events=CONTROLLER_LOG,
        optional="no fault ended, or an ISR was not full before the next fault or the end",
        verdict=False, gold=True,
    ),
    Metric(
        name="backlog_ms",
        says="from the end of a fault until the records due during it were acked; the longest",
        unit="ms", better="lower", events=PRODUCERS,
        optional="no fault ended, or a record due during one was never acked",
        verdict=False, gold=True,
    ),
)  # fmt: skip

METRICS: Final[dict[str, Metric]] = {metric.name: metric for metric in _ALL}
"""Every metric by its name, in the order of `verdict.json` and of the reports."""


def of_verdict() -> tuple[str, ...]:
    """Return the names of the metrics in `verdict.json`, which scenarios may bound."""
    return tuple(name for name, metric in METRICS.items() if metric.verdict)


def of_gold() -> tuple[str, ...]:
    """Return the names of the metrics in the table `repeat_metrics`."""
    return tuple(name for name, metric in METRICS.items() if metric.gold)


def integrity(acks: str = "all") -> tuple[str, ...]:
    """Return the names of the metrics that count integrity violations.

    With acks=1 a leader acks what only it has: such a record may be lost, and another one takes its
    offset.
    """
    allowed = () if acks == "all" else OF_LOST_ACKS
    return tuple(
        name for name, metric in METRICS.items() if metric.integrity and name not in allowed
    )


def of_nodes() -> tuple[str, ...]:
    """Return the names of the metrics that need the files of the nodes."""
    return tuple(name for name, metric in METRICS.items() if metric.of_nodes)


def liveness() -> tuple[str, ...]:
    """Return the names of the metrics that count what the cluster did not do in time."""
    return tuple(name for name, metric in METRICS.items() if metric.liveness)


def of_cells() -> tuple[str, ...]:
    """Return the names of the metrics that a matrix can show."""
    return tuple(name for name, metric in METRICS.items() if metric.cell)


def default_figures() -> tuple[str, ...]:
    """Return the names of the metrics that a matrix shows unless a group names others."""
    return tuple(name for name in of_cells() if (cell := METRICS[name].cell) and cell.default)


def as_markdown() -> str:
    """Return the registry as Markdown."""
    rows = [_row(metric) for metric in METRICS.values()]
    head = "| metric | unit | better | in | what it is | needs | has no value if |"
    return "\n".join(["### Metrics", "", _NOTE, "", head, "|---" * 7 + "|", *rows, ""])


_NOTE: Final = (
    "Integrity violations must be 0 in every arm, whatever a scenario expects. A metric of liveness"
    " must be 0 in an arm under test that has the agent, unless stock Kafka has it in the same run."
    " A metric without the events that it needs is null, and the run is unknown. A race has only"
    " the metrics that need one, all other repeats have none of those."
)


def _row(metric: Metric) -> str:
    places = {"verdict": metric.verdict, "`repeat_metrics`": metric.gold}
    of = "" if metric.requires == "workload" else f"{REQUIREMENTS[metric.requires]}: "
    cells = (
        f"`{metric.name}`",
        metric.unit,
        "must be 0"
        if metric.integrity
        else "must be 0, or stock has it"
        if metric.liveness
        else metric.better or "",
        ", ".join(place for place, there in places.items() if there),
        metric.says,
        of + metric.events,
        metric.optional,
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(as_markdown(), end="")
