"""Defines the columns of the event lines for Spark.

Spark reads the lines with these types and infers none. A unit test compares them with
`insync.events.schema`, which the harness writes with. `*_ms` columns are in milliseconds: points
in time since the epoch, or durations, as their names say.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

EVENTS_VERSION = 1
"""The newest schema version `v`; a line of a newer one is unreadable."""

KIND = "line_kind"
"""The column with the name of a line's kind."""

CORRUPT = "_corrupt"
"""The column in which Spark puts the text of a line that it could not parse."""

TIMES = ("t_ms", "injected_ms", "sent_ms", "begun_ms", "read_ms")
"""Fields with the time of an event; the first one that a kind of line has is its time."""

_TEXT = StringType()
_INT = IntegerType()
_LONG = LongType()
_MS = DoubleType()
_BOOL = BooleanType()
_IDS = ArrayType(IntegerType())


@dataclass(frozen=True)
class EventKind:
    """One kind of event file: the pattern of its file names and the schema of its lines.

    Every line must have the `required` fields; one without them is unreadable. A line that has the
    field `since`, which old recordings lack, must have those in `required_since` as well. `ordered`
    kinds have many lines in one millisecond, so a `line` number gives their order. A kind
    `of_records` has a line for each record of the workload, so most lines of a run.
    """

    name: str
    pattern: str
    schema: StructType
    required: tuple[str, ...]
    since: str = ""
    required_since: tuple[str, ...] = ()
    ordered: bool = False
    of_records: bool = False

    @property
    def time(self) -> str | None:
        """Return the field with the time of a line's event (epoch, ms), if the kind has one."""
        return next((name for name in TIMES if name in self.schema.names), None)


def _line(**columns: DataType) -> StructType:
    fields = {"v": _INT, **columns, CORRUPT: _TEXT}
    return StructType([StructField(name, kind, nullable=True) for name, kind in fields.items()])


PHASES = EventKind(
    "phases",
    "phases.jsonl",
    _line(
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
    _line(
        arm=_TEXT,
        repeat=_INT,
        fault=_TEXT,
        site=_TEXT,
        mode=_TEXT,
        broker=_INT,
        target=ArrayType(StringType()),
        injected_ms=_MS,
        lifted_ms=_MS,
        calls_held=_LONG,
        held_ms=_MS,
        longest_held_ms=_MS,
        planned_ms=_MS,
        acted_ms=_MS,
        figures=MapType(StringType(), DoubleType()),
    ),
    required=("arm", "repeat", "fault", "broker", "injected_ms"),
)

PRODUCE = EventKind(
    "produce",
    "produce-*.jsonl",
    _line(
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
    of_records=True,
)

TRANSACTIONS = EventKind(
    "transactions",
    "transactions-*.jsonl",
    _line(
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
    _line(
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
    of_records=True,
)  # fmt: skip

CONSUME = EventKind(
    "consume",
    "consume-*.jsonl",
    _line(
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
    of_records=True,
)

READ_BACK = EventKind(
    "read_back",
    "read-back.jsonl",
    _line(
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
    _line(
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
    of_records=True,
)

ISR = EventKind(
    "isr",
    "isr.jsonl",
    _line(
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
    _line(
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
    _line(
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
    _line(arm=_TEXT, repeat=_INT, t_ms=_MS, woven=_BOOL, errors=_LONG),
    required=("arm", "repeat", "t_ms"),
)

LIVENESS = EventKind(
    "liveness",
    "liveness.jsonl",
    _line(type=_TEXT, t_ms=_MS, arm=_TEXT, repeat=_INT, node=_INT, note=_TEXT),
    required=("type", "t_ms", "arm", "repeat"),
)

HEARD = EventKind(
    "heard",
    "heard-*.jsonl",
    _line(arm=_TEXT, repeat=_INT, topic=_TEXT, t_ms=_MS, broker=_INT, silent_ms=_MS),
    required=("arm", "repeat", "topic", "t_ms", "broker", "silent_ms"),
)

ANSWERS = EventKind(
    "answers",
    "answers.jsonl",
    _line(arm=_TEXT, repeat=_INT, t_ms=_MS, broker=_INT, way=_TEXT, waited_ms=_MS, got=_TEXT),
    required=("arm", "repeat", "t_ms", "broker", "way", "waited_ms", "got"),
)

CLOCKS = EventKind(
    "clocks",
    "clocks.jsonl",
    _line(arm=_TEXT, repeat=_INT, t_ms=_MS, broker=_INT, ahead_ms=_MS, error_ms=_MS),
    required=("arm", "repeat", "t_ms", "broker", "ahead_ms", "error_ms"),
)

STEP_DOWNS = EventKind(
    "step_downs",
    "step-downs.jsonl",
    _line(
        arm=_TEXT,
        t_ms=_MS,
        broker=_INT,
        type=_TEXT,
        topic=_TEXT,
        partition=_INT,
        leader_epoch=_INT,
        reason=_TEXT,
        pending_ms=_MS,
        score=DoubleType(),
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
    _line(
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
    _line(
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
    _line(
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
    _line(
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
)
"""What the agents wrote themselves. The whole line is kept beside these columns: each type of
event has fields of its own (`insync.core.events.EventLog`)."""

ALL = (
    PHASES, FAULTS, PRODUCE, TRANSACTIONS, TRANSACTION_READS, CONSUME, HEARD, READ_BACK, GROUP, ISR,
    COUNTERS, SAMPLES, CONTROLLER, LIVENESS, ANSWERS, CLOCKS, STEP_DOWNS, ROLES, REPLICA_LOGS,
    BATCHES, BROKER,
)  # fmt: skip


def fields_of(kind: EventKind) -> list[str]:
    """Return the fields of a kind of line, without its version."""
    return [name for name in kind.schema.names if name not in ("v", CORRUPT)]


EVERY_FIELD = {name: kind.schema[name].dataType for kind in ALL for name in fields_of(kind)}
"""The types of the fields of all kinds; kinds that share a field share its type."""
