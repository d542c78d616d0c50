"""Defines the columns of the event lines.

No type is inferred. A unit test compares them with
`insync.events.schema`, which the harness writes with. `*_ms` columns are in milliseconds: points
in time since the epoch, or durations, as their names say.
"""

from __future__ import annotations

from collections.abc import Mapping

from insync.analysis.tables.bronze.parse import EventKind

_TEXT = "string"
_INT = "int"
_LONG = "bigint"
_MS = "double"
_BOOL = "boolean"
_IDS = "array<int>"


def _columns(**types: str) -> Mapping[str, str]:
    """Return the types of columns by name, as Spark's simple strings."""
    return types


PHASES = EventKind(
    "phases",
    "phases.jsonl",
    _columns(
        type=_TEXT,
        t_ms=_MS,
        arm=_TEXT,
        repeat=_INT,
        topic=_TEXT,
        note=_TEXT,
        longest_gap_ms=_MS,
        seed=_LONG,
    ),
    required=("type", "t_ms", "arm", "repeat"),
)

FAULTS = EventKind(
    "faults",
    "faults.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        fault=_TEXT,
        site=_TEXT,
        mode=_TEXT,
        broker=_INT,
        target="array<string>",
        injected_ms=_MS,
        lifted_ms=_MS,
        calls_held=_LONG,
        held_ms=_MS,
        longest_held_ms=_MS,
        planned_ms=_MS,
        acted_ms=_MS,
        figures="map<string,double>",
    ),
    required=("arm", "repeat", "fault", "broker", "injected_ms"),
)

PRODUCE = EventKind(
    "produce",
    "produce-*.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        topic=_TEXT,
        partition=_INT,
        seq=_LONG,
        sent_ms=_MS,
        done_ms=_MS,
        latency_ms=_MS,
        error=_TEXT,
        offset=_LONG,
        producer=_INT,
        idempotent=_BOOL,
        transaction=_LONG,
        client=_TEXT,
    ),
    required=("arm", "repeat", "topic", "partition", "seq", "sent_ms"),
)

TRANSACTIONS = EventKind(
    "transactions",
    "transactions-*.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        topic=_TEXT,
        producer=_INT,
        transaction=_LONG,
        records=_INT,
        begun_ms=_MS,
        asked_ms=_MS,
        ended_ms=_MS,
        took_ms=_MS,
        wanted=_TEXT,
        end=_TEXT,
        error=_TEXT,
        client=_TEXT,
    ),
    required=("arm", "repeat", "topic", "transaction"),
)

TRANSACTION_READS = EventKind(
    "transaction_reads",
    "transaction-reads-*.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        topic=_TEXT,
        producer=_INT,
        transaction=_LONG,
        partition=_INT,
        offset=_LONG,
        seq=_LONG,
        read_ms=_MS,
        nth=_LONG,
    ),
    required=(
        "arm", "repeat", "topic", "producer", "transaction", "partition", "offset", "seq", "nth",
    ),
)  # fmt: skip

CONSUME = EventKind(
    "consume",
    "consume-*.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        topic=_TEXT,
        partition=_INT,
        offset=_LONG,
        seq=_LONG,
        read_ms=_MS,
        nth=_LONG,
        consumer=_INT,
        fresh=_BOOL,
        corrupt=_TEXT,
        client=_TEXT,
    ),
    required=("arm", "repeat", "topic", "partition", "offset", "seq"),
    since="fresh",
    required_since=("nth",),
)

READ_BACK = EventKind(
    "read_back",
    "read-back.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        topic=_TEXT,
        t_ms=_MS,
        partition=_INT,
        consumer=_INT,
        fresh=_BOOL,
        position=_LONG,
        end_offset=_LONG,
    ),
    required=("arm", "repeat", "topic", "partition", "fresh", "position", "end_offset"),
)

GROUP = EventKind(
    "group",
    "group-*.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        topic=_TEXT,
        t_ms=_MS,
        group=_INT,
        protocol=_TEXT,
        member=_INT,
        type=_TEXT,
        partition=_INT,
        offset=_LONG,
        lag=_LONG,
        client=_TEXT,
    ),
    required=("arm", "repeat", "topic", "t_ms", "group", "type", "partition"),
)

ISR = EventKind(
    "isr",
    "isr.jsonl",
    _columns(
        arm=_TEXT,
        t_ms=_MS,
        kind=_TEXT,
        topic=_TEXT,
        partition=_INT,
        leader=_INT,
        leader_epoch=_INT,
        isr=_IDS,
        elr=_IDS,
        replicas=_IDS,
        adding=_IDS,
        broker=_INT,
        fenced=_BOOL,
    ),
    required=("arm", "t_ms", "kind"),
    ordered=True,
)

COUNTERS = EventKind(
    "counters",
    "counters.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        t_ms=_MS,
        broker=_INT,
        enabled=_BOOL,
        errors=_LONG,
        holds_granted=_LONG,
        marks_total=_LONG,
        released_total=_LONG,
        pending_now=_LONG,
        held_now=_LONG,
        longest_hold_ms=_MS,
        events_dropped=_LONG,
        lag_policy=_TEXT,
    ),
    required=("arm", "repeat", "t_ms", "broker"),
)

SAMPLES = EventKind(
    "samples",
    "samples.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        t_ms=_MS,
        moment=_TEXT,
        broker=_INT,
        topic=_TEXT,
        partition=_INT,
        log_start_offset=_LONG,
        high_watermark=_LONG,
        leo=_LONG,
        fetchers=_INT,
        failed_partitions=_LONG,
        put_right=_LONG,
    ),
    required=("arm", "repeat", "t_ms", "moment", "broker", "topic", "partition"),
)

CONTROLLER = EventKind(
    "controller",
    "controller.jsonl",
    _columns(arm=_TEXT, repeat=_INT, t_ms=_MS, woven=_BOOL, errors=_LONG),
    required=("arm", "repeat", "t_ms"),
)

LIVENESS = EventKind(
    "liveness",
    "liveness.jsonl",
    _columns(type=_TEXT, t_ms=_MS, arm=_TEXT, repeat=_INT, node=_INT, note=_TEXT),
    required=("type", "t_ms", "arm", "repeat"),
)

CLOCKS = EventKind(
    "clocks",
    "clocks.jsonl",
    _columns(arm=_TEXT, repeat=_INT, t_ms=_MS, broker=_INT, ahead_ms=_MS, error_ms=_MS),
    required=("arm", "repeat", "t_ms", "broker", "ahead_ms", "error_ms"),
)

STEP_DOWNS = EventKind(
    "step_downs",
    "step-downs.jsonl",
    _columns(
        arm=_TEXT,
        t_ms=_MS,
        broker=_INT,
        type=_TEXT,
        topic=_TEXT,
        partition=_INT,
        leader_epoch=_INT,
        reason=_TEXT,
        pending_ms=_MS,
        score="double",
        successor=_INT,
        isr_policy=_TEXT,
        outcome=_TEXT,
        way=_TEXT,
        error=_TEXT,
        asked_ms=_MS,
    ),
    required=("arm", "t_ms", "broker", "type"),
)

ROLES = EventKind(
    "roles",
    "roles.jsonl",
    _columns(
        arm=_TEXT,
        t_ms=_MS,
        broker=_INT,
        life=_INT,
        topic=_TEXT,
        partition=_INT,
        role=_TEXT,
        leader_epoch=_INT,
        from_offset=_LONG,
        high_watermark=_LONG,
    ),
    required=("arm", "t_ms", "broker", "topic", "partition", "role"),
    ordered=True,
)

REPLICA_LOGS = EventKind(
    "replica_logs",
    "replica-logs.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        topic=_TEXT,
        partition=_INT,
        replica=_INT,
        start_offset=_LONG,
        end_offset=_LONG,
        batches=_LONG,
        problem=_TEXT,
    ),
    required=("arm", "repeat", "topic", "partition", "replica"),
)

BATCHES = EventKind(
    "batches",
    "batches-*.jsonl",
    _columns(
        arm=_TEXT,
        repeat=_INT,
        topic=_TEXT,
        partition=_INT,
        replica=_INT,
        base_offset=_LONG,
        last_offset=_LONG,
        leader_epoch=_INT,
        producer_id=_LONG,
        producer_epoch=_INT,
        base_sequence=_INT,
        crc=_LONG,
        bytes=_INT,
        transactional=_BOOL,
        control=_TEXT,
        valid=_BOOL,
    ),
    required=("arm", "repeat", "topic", "partition", "replica", "base_offset"),
)

BROKER = EventKind(
    "broker_events",
    "broker-*.jsonl",
    _columns(
        t_ms=_MS,
        type=_TEXT,
        topic=_TEXT,
        partition=_INT,
        replica=_INT,
        leader_epoch=_INT,
        role=_TEXT,
        reason=_TEXT,
        held_ms=_MS,
    ),
    required=("t_ms", "type"),
    ordered=True,
    of_agent=True,
)
"""What the agents wrote themselves. The whole line is kept beside these columns: each type of
event has fields of its own (`insync.core.events.EventLog`)."""

ALL = (
    PHASES, FAULTS, PRODUCE, TRANSACTIONS, TRANSACTION_READS, CONSUME, READ_BACK, GROUP, ISR,
    COUNTERS, SAMPLES, CONTROLLER, LIVENESS, CLOCKS, STEP_DOWNS, ROLES, REPLICA_LOGS,
    BATCHES, BROKER,
)  # fmt: skip

FOREIGN = EventKind("foreign", "*", {}, (), of_no_kind="not a file of a run with these arms")
"""The lines of other files, or of an arm that their run does not have."""
