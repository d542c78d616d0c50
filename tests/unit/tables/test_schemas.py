"""The columns of event lines are made of the fields that the harness writes."""

import pytest

from insync.analysis.tables.bronze import schemas
from insync.analysis.tables.bronze.parse import EVENTS_VERSION, EventKind
from insync.events import schema as written


@pytest.mark.parametrize("kind", schemas.ALL, ids=lambda kind: kind.name)
def test_every_required_field_is_a_column_and_no_column_has_the_name_of_an_added_one(
    kind: EventKind,
) -> None:
    assert {*kind.required} <= {*kind.columns}
    assert not {*kind.columns} & {"run", "file", "line", "text", "wrong", "body"}


def test_the_version_of_events_is_that_of_the_harness() -> None:
    assert EVENTS_VERSION == written.SCHEMA_VERSION
