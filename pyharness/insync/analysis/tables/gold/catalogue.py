"""Defines the schemas of the gold tables."""

from __future__ import annotations

from insync.analysis.checks.history import PARTITION, REPEAT, TOPIC
from insync.analysis.checks.registry import MOST_SHOWN, metrics_checked
from insync.analysis.tables.contracts import Column, Contract, count, flag, ms, text, whole
from insync.analysis.tables.gold.metrics import CELL
from insync.analysis.tables.silver.catalogue import OF_PARTITION, OF_REPEAT, OF_TOPIC

_OR_ALL = (*OF_TOPIC, whole("partition", "the partition; null: the topic as a whole", null=True))
_FATES = (
    count("sent", "records that were due", "records"),
    count("acked", "records that were acked", "records"),
    count("failed", "records that failed", "records"),
    count("unanswered", "records without an answer", "records"),
)
_PERCENTILES = tuple(
    ms(name, says, null=True)
    for name, says in (
        ("p50_ms", "median ack latency, from when a record was due"),
        ("p90_ms", "90 % of the acks took no longer"),
        ("p99_ms", "99 % of the acks took no longer"),
        ("p999_ms", "99.9 % of the acks took no longer"),
        ("max_ms", "the longest ack latency"),
        ("mean_ms", "mean ack latency, from whole microseconds"),
    )
)
_CELL = (
    text("scenario", "the scenario"),
    text("kafka", "the brokers' Kafka version"),
    text("cluster", "local processes or containers"),
    Column("scale", "double", "", "the factor of the scenario's times"),
    text("arm", "the arm"),
)
_METRIC = text("metric", "the metric's name; its unit is its suffix")


_OPERATIONS = "array<struct<what:string,who:int,seq:bigint,offset:bigint,at_ms:double,note:string>>"


def _value(name: str, says: str, *, null: bool = False) -> Column:
    return Column(name, "double", "the metric's", says, null)


LATENCY_HISTOGRAM = Contract(
    "latency_histogram",
    "Operations counted by bucket of ack latency; the percentiles are computed from it.",
    (*PARTITION, "outcome", "bucket_us"),
    (
        *OF_PARTITION,
        text("outcome", "acked, failed or unanswered"),
        Column(
            "bucket_us", "bigint", "us", "the lower bound of the bucket; null: no ack", null=True
        ),
        count("records", "operations in the bucket", "records"),
        ms("top_ms", "the largest latency in the bucket", null=True),
        Column("total_us", "bigint", "us", "the sum of the latencies", null=True),
    ),
    bulk=True,
)
ACK_LATENCY = Contract(
    "ack_latency",
    "Ack latency of the records due in a repeat's window.",
    tuple(PARTITION),
    (*_OR_ALL, *_FATES, *_PERCENTILES),
)
END_TO_END = Contract(
    "end_to_end",
    "From when a record was due until a consumer had read it, of records due in a repeat's window.",
    tuple(PARTITION),
    (
        *_OR_ALL,
        count("read", "records that were read", "records"),
        *(
            ms(column.name, column.says.replace("ack latency", "latency").replace("acks", "reads"))
            for column in _PERCENTILES
        ),
    ),
)
GROUPS = Contract(
    "groups",
    "What consumer groups processed, and how their partitions moved.",
    (*REPEAT, "group"),
    (
        *OF_REPEAT,
        whole("group", "the number of the group in the scenario"),
        text("protocol", "classic or consumer"),
        count("members", "members that did anything"),
        count("rebalances", "times that a member lost a partition to another one or left it"),
        ms("gap_ms", "longest time in which a partition had no owner; null: none moved", null=True),
        count("max_lag", "the most records that a member was behind", "records", null=True),
        count("processed", "records processed, as often as they were", "records"),
        count("reprocessed", "of these, those processed before", "records"),
        count("unread", "records that only consumers without a group read", "records"),
    ),
)
LATENCY_OVER_TIME = Contract(
    "latency_over_time",
    "Ack latency over the time at which records were due, in up to 240 bins of a repeat.",
    (*PARTITION, "since_ms"),
    (
        *_OR_ALL,
        ms("since_ms", "the start of the bin, from the repeat's start"),
        ms("bin_ms", "the length of the bin"),
        count("acked", "records due in the bin that were acked", "records"),
        ms("p50_ms", "their median ack latency, at most 1 % too large"),
        ms("max_ms", "their longest ack latency"),
    ),
)
ACK_GAPS = Contract(
    "ack_gaps",
    "The longest time without an ack.",
    tuple(PARTITION),
    (
        *OF_PARTITION,
        ms("gap_ms", "the length of the gap"),
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
        count("records", "how many failed with it", "records"),
        ms("first_ms", "when the first of them was due (epoch)"),
        ms("last_ms", "when the last of them was due (epoch)"),
    ),
)
DETECTIONS = Contract(
    "detections",
    "Faults at followers, and how long it took until they were in no ISR.",
    (*REPEAT, "fault_no"),
    (
        *OF_REPEAT,
        whole("fault_no", "the fault"),
        whole("broker", "the broker with the fault"),
        whole("partitions", "partitions with the fault of which the broker was a follower"),
        ms(
            "detected_ms",
            "until the broker was in no ISR of these; null: it stayed in one",
            null=True,
        ),
        whole("let_in", "times that the broker joined an ISR of these during the fault"),
    ),
)
PAUSES = Contract(
    "pauses",
    "Faults that stopped a follower in an ISR, and the acks of records that were due meanwhile.",
    (*REPEAT, "fault_no"),
    (
        *OF_REPEAT,
        whole("fault_no", "the fault"),
        whole("broker", "the follower"),
        count("due", "records that were due while it was stopped and in their ISR", "records"),
        count("early", "of these, acked while it was; Kafka commits none of them", "records"),
        count("waited", "of these, acked after the pause, with it in the ISR", "records"),
    ),
)
ADDED_REPLICAS = Contract(
    "added_replicas",
    "Replicas that were added to a partition, and when they joined the ISR.",
    (*PARTITION, "replica", "added_ms"),
    (
        *OF_PARTITION,
        whole("replica", "the broker that was added"),
        ms("added_ms", "when it was in the assignment (epoch)"),
        ms("joined_ms", "from then until it was in the ISR; null: it never was", null=True),
    ),
)
READBACK = Contract(
    "readback",
    "The records that were acked, compared with those that were read back.",
    tuple(PARTITION),
    (
        *OF_PARTITION,
        count("acked", "records acked", "records"),
        count("read", "records read", "records"),
        count("lost", "acked or read before, and gone", "records"),
        count("duplicated", "read at more than one offset", "records"),
        count("duplicated_idempotent", "of these, of idempotent producers", "records"),
        flag("transactional", "whether some of its records are in transactions"),
        whole("read_to", "the highest offset that was read", null=True, of="bigint"),
        flag(
            "read_to_end",
            "whether both consumers read to the end; null: not recorded",
            null=True,
        ),
    ),
)
DEPENDENCIES = Contract(
    "dependencies",
    "Dependencies between transactions that may be part of a cycle (docs/understand/checker.md).",
    (*TOPIC, "kind", "transaction", "then"),
    (
        *OF_TOPIC,
        text("kind", "ww: the other one wrote behind it; wr: the other one read it"),
        whole("transaction", "the transaction that wrote", of="bigint"),
        whole("then", "the transaction that depends on it", of="bigint"),
        whole("partition", "a partition that shows it"),
        whole("offset", "the offset of its record there", of="bigint"),
        whole("seq", "the record", of="bigint"),
        whole("then_offset", "the offset that the other one wrote or read", of="bigint"),
        whole("then_seq", "the record there", of="bigint"),
    ),
)
CYCLES = Contract(
    "cycles",
    "Transactions that depend on each other in a cycle (docs/understand/checker.md).",
    (*TOPIC, "kind", "first_transaction"),
    (
        *OF_TOPIC,
        text("kind", "g0: by writes, which Kafka allows; g1c: by reads"),
        count("transactions", "how many are connected by cycles"),
        whole("first_transaction", "the lowest of their numbers", of="bigint"),
        whole("partition", "the partition of the first operation"),
        whole("offset", "its offset", of="bigint"),
        Column("operations", _OPERATIONS, "", "the steps of a short cycle, at most 10"),
    ),
)
_ANOMALY = (
    *OF_PARTITION,
    text("kind", "the anomaly's name"),
    Column("offset", "bigint", "", "the first offset that it is about; null: none", null=True),
    Column("last_offset", "bigint", "", "the last one", null=True),
    Column("operations", _OPERATIONS, "", "the operations that show it, at most 10"),
)
ANOMALIES = Contract(
    "anomalies",
    "Anomalies, with the operations that show them (docs/understand/checker.md).",
    (),
    _ANOMALY,
    bulk=True,
)
FIRST_ANOMALIES = Contract(
    "first_anomalies",
    f"The first {MOST_SHOWN} anomalies of each kind in a repeat, which reports show.",
    (),
    _ANOMALY,
)
CHECKED = Contract(
    "checked",
    "Anomalies of each partition, counted by metric (docs/understand/checker.md); null: not known.",
    tuple(PARTITION),
    (
        *OF_PARTITION,
        *(count(metric, "anomalies of this metric", null=True) for metric in metrics_checked()),
    ),
)
COMPARABLE = Contract(
    "comparable",
    "What can be checked of each partition: which offsets of the logs, where they end.",
    tuple(PARTITION),
    (
        *OF_PARTITION,
        whole(
            "replicas", "the partition's replicas in the controller's log", "replicas", null=True
        ),
        count("logs_read", "logs that were read to their end"),
        Column("from_offset", "bigint", "", "the first offset that all logs have", null=True),
        Column("to_offset", "bigint", "", "the offset after the last one that was read", null=True),
        flag("whole", "whether every log was read and something was consumed"),
        Column("log_end", "bigint", "", "the lowest end of the log that is known", null=True),
        Column("position", "bigint", "", "how far the live consumer had read", null=True),
        flag(
            "read_to_end", "whether both consumers read to the end; null: not recorded", null=True
        ),
        flag("verifiable", "whether the values had a checksum"),
    ),
)
TRANSACTIONS = Contract(
    "transactions",
    "How the transactions of each producer ended, how long commits took, what was read.",
    (*REPEAT, "producer"),
    (
        *OF_REPEAT,
        whole("producer", "the producer"),
        count("committed", "transactions that were committed"),
        count("aborted", "transactions that were aborted"),
        count("unknown", "transactions whose end the producer never learned"),
        count("meant_to_abort", "transactions that the producer meant to abort"),
        ms("commit_p50_ms", "median time that a commit took", null=True),
        ms("commit_p99_ms", "99 % of the commits took no longer", null=True),
        ms("commit_max_ms", "the longest commit", null=True),
        ms("commit_gap_ms", "longest time without a commit", null=True),
        ms("gap_from_ms", "when that time began (epoch)", null=True),
        ms("gap_to_ms", "when that time ended (epoch)", null=True),
        count("torn", "transactions that were read in part"),
        count(
            "aborted_read", "records of aborted transactions that were read", "records", null=True
        ),
    ),
)
AVAILABILITY = Contract(
    "availability",
    "How long partitions were in states that matter to users; for a topic overlaps count once.",
    tuple(PARTITION),
    (
        *_OR_ALL,
        ms("observed_ms", "how long the state was known"),
        ms("under_min_isr_ms", "how long the ISR was smaller than min.insync.replicas"),
        ms(
            "at_min_isr_ms",
            "how long it was exactly as large: without one more member produce fails",
        ),
        ms("offline_ms", "how long there was no leader"),
        ms(
            "under_replicated_ms",
            "how long the ISR lacked a replica; null: the replicas are not known",
            null=True,
        ),
        whole("min_isr_size", "the smallest ISR", "replicas"),
    ),
)
RECOVERY = Contract(
    "recovery",
    "How soon a repeat's topic had recovered after a fault was lifted.",
    (*REPEAT, "fault_no"),
    (
        *OF_REPEAT,
        whole("fault_no", "the fault"),
        text("fault", "its kind"),
        text("site", "where it stalled; empty where its kind has no site", null=True),
        whole("broker", "the broker with the fault"),
        ms("lifted_ms", "when it was lifted (epoch)"),
        ms(
            "isr_whole_ms",
            "from then until every ISR was full; null: not before the next fault",
            null=True,
        ),
        ms(
            "backlog_ms",
            "until every record due during the fault was acked; null: never",
            null=True,
        ),
    ),
)
REPEAT_METRICS = Contract(
    "repeat_metrics",
    "The metrics of each repeat, one per row.",
    (*CELL, "run", "repeat", "metric"),
    (
        *_CELL,
        text("run", "the run"),
        whole("repeat", "the repeat, from 0"),
        _METRIC,
        _value("value", "null: the run did not record what it needs", null=True),
    ),
)
MEDIANS = Contract(
    "medians",
    "Each metric over all repeats of a scenario, version and arm, of all runs.",
    (*CELL, "metric"),
    (
        *_CELL,
        _METRIC,
        count("repeats", "repeats with a value"),
        count("runs", "runs of these repeats"),
        _value("median", "the median of the values"),
        _value("least", "the smallest value"),
        _value("most", "the largest value"),
        _value("low", "lower end of the median's interval (95 %); null below 6 repeats", null=True),
        _value("high", "upper end of it", null=True),
    ),
)
DIFFERENCES = Contract(
    "differences",
    "Each metric of an arm compared with a control arm, paired by run and repeat.",
    (*CELL, "control", "metric"),
    (
        *_CELL,
        text("control", "the control arm"),
        _METRIC,
        whole("pairs", "repeats in which both arms have a value"),
        _value("median_difference", "median of arm minus control", null=True),
        _value("low", "lower end of its interval (95 %); null below 6 pairs", null=True),
        _value("high", "upper end of it", null=True),
        Column(
            "p_value",
            "double",
            "",
            "p-value of the sign-flip test, two-sided; null: fewer than 6 pairs differ",
            null=True,
        ),
        Column(
            "p_holm",
            "double",
            "",
            "the p-value adjusted by Holm's method over all tests of the scenario, version, cluster"
            " and scale",
            null=True,
        ),
        whole("comparisons", "how many comparisons of these have a pair that differs"),
        whole(
            "pairs_needed",
            "pairs with which each of them can show a difference that all pairs have",
        ),
    ),
)

GOLD = (
    LATENCY_HISTOGRAM,
    ACK_LATENCY,
    END_TO_END,
    LATENCY_OVER_TIME,
    ACK_GAPS,
    ERRORS,
    DETECTIONS,
    PAUSES,
    ADDED_REPLICAS,
    READBACK,
    DEPENDENCIES,
    CYCLES,
    ANOMALIES,
    FIRST_ANOMALIES,
    CHECKED,
    COMPARABLE,
    TRANSACTIONS,
    GROUPS,
    AVAILABILITY,
    RECOVERY,
    REPEAT_METRICS,
    MEDIANS,
    DIFFERENCES,
)
