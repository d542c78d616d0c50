"""The columns of event lines equal the fields that the harness writes."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Literal, Union, get_args, get_origin, get_type_hints

import pytest

from insync.analysis.tables.bronze import schemas
from insync.analysis.tables.bronze.parse import EVENTS_VERSION, EventKind
from insync.events import schema as written
from insync.events.group import GroupLine


def fits(hint: object, column: str) -> bool:
    """Whether values of a written field always fit the column's type."""
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return all(fits(part, column) for part in get_args(hint) if part is not type(None))
    if origin is Literal:
        return column == "string"
    if origin is Sequence:
        return column.startswith("array<") and fits(get_args(hint)[0], column[6:-1])
    if origin is Mapping:
        key, value = get_args(hint)
        of_key, _, of_value = column[len("map<") : -1].partition(",")
        return column.startswith("map<") and fits(key, of_key) and fits(value, of_value)
    allowed: dict[object, tuple[str, ...]] = {
        str: ("string",),
        bool: ("boolean",),
        float: ("double",),
        int: ("int", "bigint", "double"),
    }
    return column in allowed[hint]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (written.PhaseLine, schemas.PHASES),
        (written.FaultLine, schemas.FAULTS),
        (written.ProduceLine, schemas.PRODUCE),
        (written.TransactionLine, schemas.TRANSACTIONS),
        (written.TransactionReadLine, schemas.TRANSACTION_READS),
        (written.ConsumeLine, schemas.CONSUME),
        (written.ReadBackLine, schemas.READ_BACK),
        (GroupLine, schemas.GROUP),
        (written.CountersLine, schemas.COUNTERS),
        (written.SampleLine, schemas.SAMPLES),
        (written.ControllerLine, schemas.CONTROLLER),
        (written.ClockLine, schemas.CLOCKS),
        (written.LivenessLine, schemas.LIVENESS),
        (written.StepDownLine, schemas.STEP_DOWNS),
        (written.RoleLine, schemas.ROLES),
        (written.ReplicaLogLine, schemas.REPLICA_LOGS),
        (written.BatchLine, schemas.BATCHES),
    ],
)
def test_columns_are_the_written_fields(line: type[written.Line], kind: EventKind) -> None:
    columns = {"v": "int", **kind.columns}
    hints = get_type_hints(line)
    assert list(columns) == [field.name for field in fields(line)]
    assert [name for name, column in columns.items() if not fits(hints[name], column)] == []


@pytest.mark.parametrize("kind", schemas.ALL, ids=lambda kind: kind.name)
def test_no_field_has_the_name_of_an_added_column(kind: EventKind) -> None:
    assert not {*kind.columns} & {"run", "file", "line", "text", "wrong", "body"}


def test_versions_and_file_names_agree() -> None:
    assert EVENTS_VERSION == written.SCHEMA_VERSION
    ours = [kind for kind in schemas.ALL if kind is not schemas.BROKER]  # the agent's own
    assert [kind.pattern.replace("*", "0") for kind in ours] == [
        written.PHASES,
        written.FAULTS,
        written.produce_file(0),
        written.transactions_file(0),
        written.transaction_reads_file(0),
        written.consume_file(0),
        written.READ_BACK,
        written.group_file(0),
        written.ISR,
        written.COUNTERS,
        written.SAMPLES,
        written.CONTROLLER,
        written.LIVENESS,
        written.CLOCKS,
        written.STEP_DOWNS,
        written.ROLES,
        written.REPLICA_LOGS,
        written.batches_file(0),
    ]
