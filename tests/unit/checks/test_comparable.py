"""Of which partitions every replica's log was read."""

import pytest

from insync.analysis.checks.comparable import comparable
from insync.analysis.tables.bronze.lines import CONSUME, ISR, READ_BACK, REPLICA_LOGS
from unit.tables.inline import table


@pytest.mark.parametrize(
    ("replicas", "whole"),
    [
        ([[1, 2]], True),
        ([[1, 2, 3], [1, 2]], True),  # a reassignment that was cancelled, or that removed one
        ([[1, 2], [1, 2, 3]], False),
        ([[1, 2], []], True),  # before KRaft a change of the ISR does not say
    ],
)
def test_the_replicas_of_the_last_assignment_count(replicas: list[list[int]], whole: bool) -> None:
    isr = [(10.0 + line, line, each) for line, each in enumerate(replicas)]
    logs = "replica start_offset end_offset"
    found = comparable(
        table("partitions", rows=[()], end_ms=99.0),
        table(REPLICA_LOGS, logs, [(each, 0, 5) for each in (1, 2)]),
        table(CONSUME, rows=[()], offset=4, fresh=True),
        table(ISR, "t_ms line replicas", isr, kind="partition", isr=[1, 2]),
        table(READ_BACK),
    )
    (row,) = found.collect()
    assert (row["logs_read"], row["whole"]) == (2, whole)
