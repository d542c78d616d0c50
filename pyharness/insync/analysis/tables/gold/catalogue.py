"""The contracts of gold: what it comes to."""

from __future__ import annotations

from insync.analysis.checks.anomalies import KINDS_OF
from insync.analysis.checks.history import PARTITION, REPEAT
from insync.analysis.tables.contracts import Column, Contract, count, flag, ms, text, whole
from insync.analysis.tables.gold.metrics import CELL
from insync.analysis.tables.silver.catalogue import OF_PARTITION, OF_REPEAT, OF_TOPIC, SITE

_OR_ALL = (*OF_TOPIC, whole("partition", "the partition; null: the topic as a whole", null=True))
_LEADER = whole("leader", "who led when the record was due; null: nobody known", null=True)
_FATES = (
    count("sent", "records that were due", "records"),
    count("acked", "those that were acked", "records"),
    count("failed", "those that failed", "records"),
    count("unanswered", "those that were never answered", "records"),
)
_PERCENTILES = tuple(
    ms(name, says, null=True)
    for name, says in (
        ("p50_ms", "median ack latency, from when a record was due"),
        ("p90_ms", "90 % were acked within it"),
        ("p99_ms", "99 %"),
        ("p999_ms", "99.9 %"),
        ("max_ms", "all"),
        ("mean_ms", "the mean, of whole microseconds"),
    )
)
_CELL = (
    text("scenario", "the scenario"),
    text("kafka", "the brokers' version"),
    text("cluster", "what the nodes ran in"),
    Column("scale", "double", "", "what the scenario's times were multiplied by"),
    text("arm", "the arm"),
)
_METRIC = text("metric", "the metric's name; its unit is its suffix")


_KINDS = tuple((name, ", ".join(kinds)) for name, kinds in KINDS_OF.items())
_OPERATIONS = "array<struct<what:string,who:int,seq:bigint,offset:bigint,at_ms:double,note:string>>"


def _value(name: str, says: str, *, null: bool = False) -> Column:
    return Column(name, "double", "the metric's", says, null)


LATENCY_HISTOGRAM = Contract(
    "latency_histogram",
    "Operations counted by bucket of ack latency: what the percentiles are made of.",
    (*PARTITION, "leader", "outcome", "bucket_us"),
    (
        *OF_PARTITION,
        _LEADER,
        text("outcome", "acked, failed or unanswered"),
        Column("bucket_us", "bigint", "us", "where the bucket begins; null: no ack", null=True),
        count("records", "operations in it", "records"),
        ms("top_ms", "the largest latency in it", null=True),
        Column("total_us", "bigint", "us", "their sum", null=True),
    ),
    bulk=True,
)
ACK_LATENCY = Contract(
    "ack_latency",
    "Ack latency of the records due in a repeat's window.",
    tuple(PARTITION),
    (*_OR_ALL, *_FATES, *_PERCENTILES),
)
ACK_LATENCY_BY_LEADER = Contract(
    "ack_latency_by_leader",
    "The same, by the broker that led when a record was due.",
    (*REPEAT, "leader"),
    (*OF_REPEAT, _LEADER, *_FATES, *_PERCENTILES),
)
LATENCY_OVER_TIME = Contract(
    "latency_over_time",
    "Ack latency by when a record was due, in up to 240 bins of a repeat.",
    (*PARTITION, "since_ms"),
    (
        *_OR_ALL,
        ms("since_ms", "where the bin begins, from the repeat's start"),
        ms("bin_ms", "how long the bin is"),
        count("acked", "records due in it that were acked", "records"),
        ms("p50_ms", "their median latency (to 1 %)"),
        ms("max_ms", "the longest"),
    ),
)
ACK_GAPS = Contract(
    "ack_gaps",
    "The longest time without an ack.",
    tuple(PARTITION),
    (
        *OF_PARTITION,
        ms("gap_ms", "how long"),
        ms("from_ms", "the ack before it, or the repeat's start (epoch)"),
        ms("to_ms", "the ack after it, or the repeat's end (epoch)"),
    ),
)
ERRORS = Contract(
    "errors",
    "Failed records by kind of error.",
    (*PARTITION, "error"),
    (
        *OF_PARTITION,
        text("error", "Kafka's name of the error"),
        count("records", "how many failed so", "records"),
        ms("first_ms", "when the first of them was due (epoch)"),
        ms("last_ms", "when the last was (epoch)"),
    ),
)
BURSTS = Contract(
    "bursts",
    "Bursts of records, and the healthy followers that were dropped meanwhile.",
    (*REPEAT, "partition"),
    (
        *OF_REPEAT,
        whole("partition", "the partition"),
        whole("records", "records of a burst", "records"),
        count("bursts", "bursts of which every record was acked"),
        count("false_alarms", "healthy followers that were dropped"),
    ),
)
DETECTIONS = Contract(
    "detections",
    "Faults at followers, and when their leaders had dropped them.",
    (*REPEAT, "fault_no"),
    (
        *OF_REPEAT,
        whole("fault_no", "the fault"),
        whole("broker", "whom it befell"),
        whole("partitions", "partitions that it followed and that the fault was about"),
        ms("detected_ms", "until it was in no ISR of theirs; null: one kept it", null=True),
    ),
)
READBACK = Contract(
    "readback",
    "What was acked against what was read back.",
    tuple(PARTITION),
    (
        *OF_PARTITION,
        count("acked", "records acked", "records"),
        count("read", "records read", "records"),
        count("lost", "acked and never read", "records"),
        count("duplicated", "read more than once", "records"),
    ),
)
ANOMALIES = Contract(
    "anomalies",
    "What must not be in a history, with the operations that show it (docs/checker.md).",
    (),
    (
        *OF_PARTITION,
        text("kind", "the kind of anomaly"),
        Column("offset", "bigint", "", "where in the log it begins; null: nowhere", null=True),
        Column("last_offset", "bigint", "", "where it ends", null=True),
        Column("operations", _OPERATIONS, "", "the operations that show it, at most 10"),
    ),
)
CHECKED = Contract(
    "checked",
    "How many anomalies of each metric a partition has; null where it is not known.",
    tuple(PARTITION),
    (*OF_PARTITION, *(count(name, f"anomalies of {kinds}", null=True) for name, kinds in _KINDS)),
)
COMPARABLE = Contract(
    "comparable",
    "What of the replicas' logs can be compared.",
    tuple(PARTITION),
    (
        *OF_PARTITION,
        whole("replicas", "how many the controller's log names", "replicas", null=True),
        count("logs_read", "logs that were read to their end"),
        Column("from_offset", "bigint", "", "where all logs have begun", null=True),
        Column("to_offset", "bigint", "", "behind the last that was read", null=True),
        flag("whole", "whether every log was read and something was consumed"),
    ),
)
TRANSACTIONS = Contract(
    "transactions",
    "How the transactions of each producer ended, how long commits took, what was read of them.",
    (*REPEAT, "producer"),
    (
        *OF_REPEAT,
        whole("producer", "the producer"),
        count("committed", "transactions"),
        count("aborted", "transactions"),
        count("unknown", "transactions whose end it never learned"),
        count("meant_to_abort", "transactions that were to be aborted"),
        ms("commit_p50_ms", "median time that a commit took", null=True),
        ms("commit_p99_ms", "99 % took no longer", null=True),
        ms("commit_max_ms", "the longest", null=True),
        ms("commit_gap_ms", "longest time without a commit", null=True),
        ms("gap_from_ms", "when that began (epoch)", null=True),
        ms("gap_to_ms", "when it ended (epoch)", null=True),
        count("torn", "transactions of which a part was read"),
        count("aborted_read", "records of aborted ones that were read", "records", null=True),
    ),
)
AVAILABILITY = Contract(
    "availability",
    "How long partitions were under or at min ISR, or offline; overlaps of a topic count once.",
    tuple(PARTITION),
    (
        *_OR_ALL,
        ms("observed_ms", "how long the state was known"),
        ms("under_min_isr_ms", "how long the ISR was smaller than min.insync.replicas"),
        ms("at_min_isr_ms", "how long it was just as large: one more loss and produce fails"),
        ms("offline_ms", "how long nobody led"),
        whole("min_isr_size", "the smallest ISR", "replicas"),
    ),
)
ISR_CHANGES = Contract(
    "isr_changes",
    "Shrinks and expands by cause and by site of the stall.",
    (*REPEAT, "change", "cause", "site"),
    (
        *OF_REPEAT,
        text("change", "shrink or expand"),
        text("cause", "what the shrink, or the one healed, is put down to", null=True),
        SITE,
        count("changes", "how many"),
        count("members", "replicas that left, or joined", "replicas"),
        count("partitions", "partitions that it befell"),
        ms("first_ms", "when the first was (epoch)"),
    ),
)
HOLDS_BY_SITE = Contract(
    "holds_by_site",
    "Long-pending fetches by leader and by site of the stall.",
    (*REPEAT, "broker", "site"),
    (
        *OF_REPEAT,
        whole("broker", "the leader"),
        text("site", "the broker's fault that overlaps them; null: none", null=True),
        count("holds", "how many"),
        ms("median_ms", "their median length"),
        ms("longest_ms", "the longest"),
        ms("total_ms", "their sum"),
    ),
)
BROKERS = Contract(
    "brokers",
    "How each broker fared.",
    (*REPEAT, "broker"),
    (
        *OF_REPEAT,
        whole("broker", "the broker"),
        ms("led_ms", "how long it led, summed over partitions"),
        count("led_partitions", "partitions that it led"),
        count("dropped", "how often an ISR lost it"),
        count("holds", "fetches that stood in its hands; null: none told of", null=True),
        ms("longest_hold_ms", "the longest of them", null=True),
    ),
)
RECOVERY = Contract(
    "recovery",
    "How soon a repeat's topic was itself again after a fault was lifted.",
    (*REPEAT, "fault_no"),
    (
        *OF_REPEAT,
        whole("fault_no", "the fault"),
        text("fault", "its kind"),
        text("site", "where it stalled; empty where its kind has no site", null=True),
        whole("broker", "whom it befell"),
        ms("lifted_ms", "when it was lifted (epoch)"),
        ms("isr_whole_ms", "from then until every ISR was whole; null: not in time", null=True),
        ms("backlog_ms", "until all that was due meanwhile was acked; null: never", null=True),
    ),
)
REPEAT_METRICS = Contract(
    "repeat_metrics",
    "What each repeat comes to, a row per metric.",
    (*CELL, "run", "repeat", "metric"),
    (
        *_CELL,
        text("run", "the run"),
        whole("repeat", "the repeat, from 0"),
        _METRIC,
        _value("value", "null: the run left nothing to tell it by", null=True),
    ),
)
MEDIANS = Contract(
    "medians",
    "Each metric over all repeats of a scenario, version and arm, of all runs.",
    (*CELL, "metric"),
    (
        *_CELL,
        _METRIC,
        count("repeats", "repeats that it is known of"),
        count("runs", "runs that they are of"),
        _value("median", "their median"),
        _value("least", "the smallest"),
        _value("most", "the largest"),
    ),
)
DIFFERENCES = Contract(
    "differences",
    "Each metric of an arm against a control arm, paired by run and repeat.",
    (*CELL, "control", "metric"),
    (
        *_CELL,
        text("control", "the control arm"),
        _METRIC,
        whole("pairs", "repeats that both have"),
        _value("median_difference", "arm minus control, median", null=True),
        _value("low", "its bootstrap interval (95 %): from", null=True),
        _value("high", "to; null below 3 pairs", null=True),
        Column("p_value", "double", "", "Mann-Whitney, two-sided; null: no test", null=True),
    ),
)

GOLD = (
    LATENCY_HISTOGRAM,
    ACK_LATENCY,
    ACK_LATENCY_BY_LEADER,
    LATENCY_OVER_TIME,
    ACK_GAPS,
    ERRORS,
    BURSTS,
    DETECTIONS,
    READBACK,
    ANOMALIES,
    CHECKED,
    COMPARABLE,
    TRANSACTIONS,
    AVAILABILITY,
    ISR_CHANGES,
    HOLDS_BY_SITE,
    BROKERS,
    RECOVERY,
    REPEAT_METRICS,
    MEDIANS,
    DIFFERENCES,
)
