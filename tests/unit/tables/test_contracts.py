"""A broken contract is reported in one line, with the column, the rows, the key or the rule."""

from collections.abc import Callable

import pytest
from pyspark.sql import SparkSession

from insync import metrics
from insync.analysis.checks.history import REPEAT
from insync.analysis.tables.bronze import lines as schemas
from insync.analysis.tables.bronze.parse import EVENTS_VERSION, EventKind
from insync.analysis.tables.contracts import CONTRACTS, Contract, Rule, columns_of
from insync.analysis.tables.gold.compare import MADE_OF, measured, repeat_metrics
from insync.errors import InsyncError
from insync.events import schema as written
from unit.tables.inline import inline_table, table

SPANS = Contract(
    "spans",
    "Made up.",
    ("name",),
    columns_of("name text: who\nstart_ms ms: from\nend_ms ms?: to"),
    (Rule("it ends after it begins", "end_ms >= start_ms"),),
)
COLUMNS = "name string, start_ms double, end_ms double"


def write(rows: list[tuple[object, ...]]) -> None:
    """Check rows against the contract as those of a table that the engine has stored."""
    SPANS.check_stored(inline_table(rows, COLUMNS))


def collect(rows: list[tuple[object, ...]]) -> None:
    """Check rows against the contract as those of a collected table."""
    SPANS.conformed(inline_table(rows, COLUMNS).toArrow())


@pytest.mark.parametrize("check", [write, collect])
@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([("a", 1.0, None), ("a", 2.0, 3.0)], "more than one row for one name (rows: 2)"),
        ([("a", None, 3.0), ("b", None, 4.0)], "start_ms is null (rows: 2)"),
        ([("a", 3.0, 1.0)], "not true: it ends after it begins (rows: 1)"),
    ],
)
def test_rows_that_break_a_rule_are_counted(
    rows: list[tuple[object, ...]],
    words: str,
    check: Callable[[SparkSession, list[tuple[object, ...]]], None],
) -> None:
    with pytest.raises(InsyncError) as error:
        check(rows)
    assert str(error.value) == f"table spans breaks its contract: {words}"


def test_rows_that_keep_the_rules_pass() -> None:
    for check in (write, collect):
        check([("a", 1.0, None), ("b", 1.0, 1.0)])
        check([])


@pytest.mark.parametrize(
    ("columns", "odd"),
    [
        ("name string, start_ms double", "end_ms double"),
        ("name string, start_ms double, end_ms bigint", "end_ms bigint"),
        ("start_ms double, name string, end_ms double", "another order"),
    ],
)
def test_columns_that_differ_from_the_contract_are_named(columns: str, odd: str) -> None:
    with pytest.raises(InsyncError, match=f"spans breaks its contract: found {odd}, expected name"):
        SPANS.conformed(inline_table([], columns).toArrow())


@pytest.mark.parametrize("contract", CONTRACTS.values(), ids=lambda contract: contract.name)
def test_every_contract_is_consistent(contract: Contract) -> None:
    names = [column.name for column in contract.columns]
    assert len(set(names)) == len(names)
    assert set(contract.key) <= set(names)
    assert all(column.unit == "ms" for column in contract.columns if column.name.endswith("_ms"))


def test_the_metrics_of_the_tables_are_those_of_the_registry() -> None:
    empty = {name: table(name) for name in MADE_OF}
    gold = [name for name, metric in metrics.METRICS.items() if metric.gold]
    assert sorted(measured(empty).columns) == sorted([*REPEAT, *gold])
    CONTRACTS["repeat_metrics"].conformed(repeat_metrics(empty).toArrow())


@pytest.mark.parametrize("kind", schemas.ALL, ids=lambda kind: kind.name)
def test_every_required_field_is_a_column_and_no_column_has_the_name_of_an_added_one(
    kind: EventKind,
) -> None:
    assert {*kind.required} <= {*kind.columns}
    assert not {*kind.columns} & {"run", "file", "line", "text", "wrong", "body"}


def test_the_version_of_events_is_that_of_the_harness() -> None:
    assert EVENTS_VERSION == written.SCHEMA_VERSION
