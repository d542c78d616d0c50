"""Reads the event lines of run folders into a bronze table for each kind of line.

A line that cannot be read has the reason in the column `wrong`, and its text. `input_lines` counts
all lines and the unreadable ones. It also counts lines whose time is far outside of their run's;
these are kept, because only a clock is wrong.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from itertools import islice
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import pyarrow as pa
from pyarrow import parquet
from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as fn

from insync.analysis.engine import paths
from insync.analysis.engine.files import local_path
from insync.analysis.engine.session import Session
from insync.analysis.engine.types import arrow_type
from insync.analysis.tables.bronze import parse
from insync.analysis.tables.bronze.folders import Folder
from insync.analysis.tables.bronze.parse import WRONG, EventKind, Origin, Parser
from insync.events import schema as lines
from insync.events.schema import EVENTS

FAR_MS = 60_000.0
"""How far outside of its run's time a line's time may be; beyond it, a clock is wrong."""

LINES = ".lines"
"""Ends the names of the tables of event lines, of which some are those of other tables, too."""

_AT_ONCE = 50_000
"""How many lines this process parses at once; a broken one costs time for all of these."""

_COUNTED = "run string, file string, wrong string, at_ms double, of_broker boolean"


@dataclass(frozen=True)
class Bronze:
    """The bronze tables by kind, and the kinds that have readable lines, as far as is known."""

    stored: Mapping[str, DataFrame]
    present: frozenset[str]

    def lines(self, session: Session) -> dict[str, DataFrame]:
        """Return the readable lines of every kind, as `KIND.lines`."""
        return {f"{kind.name}{LINES}": self._readable(session, kind) for kind in ALL}

    def _readable(self, session: Session, kind: EventKind) -> DataFrame:
        if kind.name not in self.stored:
            return session.empty(ddl(kind.readable))
        good = self.stored[kind.name].where(fn.col(WRONG).isNull())
        return good.select(*kind.readable)


def read_lines(session: Session, folders: Sequence[Folder], into: str) -> Bronze:
    """Parse the lines of the folders' event files and store them in the folder `into`."""
    by_kind: dict[EventKind, dict[str, Origin]] = defaultdict(dict)
    for folder in folders:
        for path, kind, origin in _files(session, folder):
            by_kind[kind][path] = origin
    kinds = {kind.name: kind for kind in by_kind}
    writing = _write_here if session.collects else _write_with_spark
    present = {
        name for name, kind in kinds.items()
        if writing(session, kind, by_kind[kind], f"{into}/{name}")
    }  # fmt: skip
    stored = {
        name: session.read(f"{into}/{name}", columns=ddl(kind.stored))
        for name, kind in kinds.items()
    }
    return Bronze(stored, frozenset(present - {FOREIGN.name}))


def _files(session: Session, folder: Folder) -> Iterator[tuple[str, EventKind, Origin]]:
    """Yield the event files of a run, each with its kind."""
    if folder.info is None or folder.run is None or not folder.has_events:
        return
    files = session.files(folder.path)
    for pattern in ("*.jsonl", "*/*.jsonl"):
        for entry in files.matching(folder.path, f"{EVENTS}/{pattern}"):
            *_, above, name = entry.path.split("/")
            arm = above if "/" in pattern else ""
            of_run = arm in folder.info.arms
            kind = next((k for k in ALL if of_run and is_of(k, name)), FOREIGN)
            yield entry.path, kind, Origin(folder.run, arm, name)


def is_of(kind: EventKind, name: str) -> bool:
    """Return whether a file's name is that of a kind; `*` in a pattern stands for a number."""
    pattern = re.escape(kind.pattern).replace(r"\*", r"\d+")
    return re.fullmatch(pattern, name, re.ASCII) is not None


def _write_here(session: Session, kind: EventKind, files: Mapping[str, Origin], into: str) -> bool:
    """Parse in this process; return whether there are readable lines."""
    parser, found = Parser(kind, _schema(kind)), False
    place = local_path(into)
    place.mkdir(parents=True)
    with parquet.ParquetWriter(place / paths.PART, parser.schema) as writer:
        for path, origin in files.items():
            first = 1
            with local_path(path).open("rb") as file:
                while lines := [line.rstrip(b"\r\n") for line in islice(file, _AT_ONCE)]:
                    table = parser.table(origin, lines, first)
                    first += len(lines)
                    writer.write_table(table)
                    found = found or table.column(WRONG).null_count > 0
    return found


def _write_with_spark(
    session: Session, kind: EventKind, files: Mapping[str, Origin], into: str
) -> bool:
    """Parse in Spark's workers; whether lines are readable is not known before they are read."""
    cloudpickle.register_pickle_by_value(parse)  # type: ignore[no-untyped-call]  # not typed
    text = session.spark.read.text([paths.literal(path) for path in files]).select(
        fn.col("value").cast("binary").alias("text"),
        fn.col("_metadata.file_path").alias("path"),
        fn.col("_metadata.file_block_start").alias("block"),
    )
    origins = {parse.with_one_slash(path): origin for path, origin in files.items()}
    parser = Parser(kind, _schema(kind)).from_spark(origins)
    text.mapInArrow(parser, ddl(kind.stored)).write.mode("overwrite").parquet(into)
    return True


def _schema(kind: EventKind) -> pa.Schema:
    return pa.schema([(name, arrow_type(of)) for name, of in kind.stored.items()])


def ddl(columns: Mapping[str, str]) -> str:
    """Return columns as a schema in Spark's DDL."""
    return ", ".join(f"`{name}` {of}" for name, of in columns.items())


def input_lines(session: Session, stored: Mapping[str, DataFrame], runs: DataFrame) -> DataFrame:
    """Count the lines of each file, the unreadable ones, and those with a time far off.

    `stored` are bronze tables by kind; `runs` is the table of that name.
    """
    kinds = {kind.name: kind for kind in (*ALL, FOREIGN)}
    each = (_counted(kinds[name], lines) for name, lines in stored.items())
    lines = reduce(DataFrame.unionByName, each, session.empty(_COUNTED))
    early = fn.col("at_ms") < fn.col("started_ms") - FAR_MS
    late = fn.col("at_ms") > fn.col("finished_ms") + FAR_MS
    skewed = fn.coalesce(~fn.col("of_broker") & (early | late), fn.lit(False))
    return (
        lines.join(fn.broadcast(runs.select("run", "started_ms", "finished_ms")), "run", "inner")
        .groupBy("run", "file")
        .agg(
            fn.count(fn.lit(1)).alias("lines"),
            fn.count_if(fn.col(WRONG).isNotNull()).alias("unreadable"),
            fn.count_if(fn.col(WRONG).isNull() & skewed).alias("skewed"),
        )
    )


def _counted(kind: EventKind, lines: DataFrame) -> DataFrame:
    # Lines about brokers cover the whole life of a cluster, on which other runs may have run.
    of_broker: Column = fn.col("topic").isNull() if kind.name == "isr" else fn.lit(False)
    at_ms = fn.col(kind.time) if kind.time else fn.lit(None).cast("double")
    return lines.select("run", "file", WRONG, at_ms.alias("at_ms"), of_broker.alias("of_broker"))


_SMALL: Final = frozenset({
    "base_sequence", "broker", "bytes", "consumer", "fetchers", "group", "leader_epoch", "life",
    "member", "node", "partition", "producer", "producer_epoch", "records", "repeat", "replica",
    "successor",
})  # fmt: skip
"""Fields with whole numbers that fit into 32 bits; the others have 64."""


def _columns(line: type[lines.EventLine]) -> Mapping[str, str]:
    """Return the types of a line's fields by name, as Spark's simple strings."""
    hints = get_type_hints(line)
    return {each.name: _type(each.name, hints[each.name]) for each in fields(line)[1:]}


def _type(name: str, hint: Any) -> str:
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        (hint,) = (each for each in inside if each is not NoneType)
        return _type(name, hint)
    if origin is Literal or hint is str:
        return "string"
    if origin is Sequence:
        return f"array<{_type(name, inside[0])}>"
    if origin is Mapping:
        return f"map<{_type('', inside[0])},{_type('', inside[1])}>"
    if hint is bool:
        return "boolean"
    if hint is float or name.endswith("_ms"):
        return "double"
    return "int" if name in _SMALL else "bigint"


def _kind(
    name: str, pattern: str, line: type[lines.EventLine], required: str, *, ordered: bool = False
) -> EventKind:
    return EventKind(name, pattern, _columns(line), tuple(required.split()), ordered=ordered)


_AT: Final = "arm repeat topic partition"

PHASES = _kind("phases", lines.PHASES, lines.PhaseLine, "type t_ms arm repeat")
FAULTS = _kind("faults", lines.FAULTS, lines.FaultLine, "arm repeat fault broker injected_ms")
PRODUCE = _kind("produce", "produce-*.jsonl", lines.ProduceLine, f"{_AT} seq sent_ms")
TRANSACTIONS = _kind(
    "transactions", "transactions-*.jsonl", lines.TransactionLine, "arm repeat topic transaction"
)
TRANSACTION_READS = _kind(
    "transaction_reads",
    "transaction-reads-*.jsonl",
    lines.TransactionReadLine,
    "arm repeat topic producer transaction partition offset seq nth",
)
CONSUME = _kind("consume", "consume-*.jsonl", lines.ConsumeLine, f"{_AT} offset seq nth")
READ_BACK = _kind(
    "read_back", lines.READ_BACK, lines.ReadBackLine, f"{_AT} fresh position end_offset"
)
GROUP = _kind(
    "group", "group-*.jsonl", lines.GroupLine, "arm repeat topic t_ms group type partition"
)
ISR = EventKind(
    "isr",
    lines.ISR,
    {
        "arm": "string", "t_ms": "double", "kind": "string", "topic": "string", "partition": "int",
        "leader": "int", "leader_epoch": "int", "isr": "array<int>", "elr": "array<int>",
        "replicas": "array<int>", "adding": "array<int>", "broker": "int", "fenced": "boolean",
    },
    required=("arm", "t_ms", "kind"),
    ordered=True,
)  # fmt: skip
COUNTERS = _kind("counters", lines.COUNTERS, lines.CountersLine, "arm repeat t_ms broker")
SAMPLES = _kind(
    "samples", lines.SAMPLES, lines.SampleLine, "arm repeat t_ms moment broker topic partition"
)
CONTROLLER = _kind("controller", lines.CONTROLLER, lines.ControllerLine, "arm repeat t_ms")
LIVENESS = _kind("liveness", lines.LIVENESS, lines.LivenessLine, "type t_ms arm repeat")
CLOCKS = _kind("clocks", lines.CLOCKS, lines.ClockLine, "arm repeat t_ms broker ahead_ms error_ms")
STEP_DOWNS = _kind("step_downs", lines.STEP_DOWNS, lines.StepDownLine, "arm t_ms broker type")
ROLES = _kind(
    "roles", lines.ROLES, lines.RoleLine, "arm t_ms broker topic partition role", ordered=True
)
REPLICA_LOGS = _kind("replica_logs", lines.REPLICA_LOGS, lines.ReplicaLogLine, f"{_AT} replica")
BATCHES = _kind("batches", "batches-*.jsonl", lines.BatchLine, f"{_AT} replica base_offset")
BROKER = EventKind(
    "broker_events", "broker-*.jsonl", {"t_ms": "double", "type": "string"}, ("t_ms", "type")
)
"""What the agents wrote themselves; no table is computed from these lines, they are counted."""

ALL = (
    PHASES, FAULTS, PRODUCE, TRANSACTIONS, TRANSACTION_READS, CONSUME, READ_BACK, GROUP, ISR,
    COUNTERS, SAMPLES, CONTROLLER, LIVENESS, CLOCKS, STEP_DOWNS, ROLES, REPLICA_LOGS,
    BATCHES, BROKER,
)  # fmt: skip

FOREIGN = EventKind("foreign", "*", {}, (), of_no_kind="not a file of a run with these arms")
"""The lines of other files, or of an arm that their run does not have."""
