"""Defines the columns of the event lines, from the lines that the harness writes.

No type is inferred from what was recorded. `*_ms` columns are in milliseconds: points in time since
the epoch, or durations, as their names say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from insync.analysis.tables.bronze.parse import EventKind
from insync.events import schema as lines

_SMALL: Final = frozenset({
    "base_sequence", "broker", "bytes", "consumer", "fetchers", "group", "leader_epoch", "life",
    "member", "node", "partition", "producer", "producer_epoch", "records", "repeat", "replica",
    "successor",
})  # fmt: skip
"""Fields with whole numbers that fit into 32 bits; the others have 64."""


def _columns(line: type[lines.Line]) -> Mapping[str, str]:
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
    name: str, pattern: str, line: type[lines.Line], required: str, *, ordered: bool = False
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
