"""The columns of event lines are made of the fields that the harness writes."""

import pytest

from insync.analysis.tables.bronze import schemas
from insync.analysis.tables.bronze.parse import EVENTS_VERSION, EventKind
from insync.events import schema as written


def test_a_column_has_the_type_of_its_field() -> None:
    assert schemas.FAULTS.columns == {
        "arm": "string", "repeat": "int", "fault": "string", "site": "string", "mode": "string",
        "broker": "int", "target": "array<string>", "injected_ms": "double", "lifted_ms": "double",
        "calls_held": "bigint", "held_ms": "double", "longest_held_ms": "double",
        "planned_ms": "double", "acted_ms": "double", "figures": "map<string,double>",
    }  # fmt: skip
    produced = schemas.PRODUCE.columns
    assert [produced[name] for name in ("seq", "offset", "partition", "idempotent", "client")] == [
        "bigint", "bigint", "int", "boolean", "string",
    ]  # fmt: skip


@pytest.mark.parametrize("kind", schemas.ALL, ids=lambda kind: kind.name)
def test_every_required_field_is_a_column(kind: EventKind) -> None:
    assert {*kind.required} <= {*kind.columns}


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
