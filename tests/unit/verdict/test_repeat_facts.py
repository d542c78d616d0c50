"""Computes figures from a table's rows, without Spark."""

from typing import Any

import pytest

from insync.analysis.verdict.repeat_facts import _soonest_return_ms


def change(t_ms: float, partition: int, before: int, after: int) -> dict[str, Any]:
    return {"t_ms": t_ms, "partition": partition, "leader_before": before, "leader": after}


@pytest.mark.parametrize(
    ("changes", "soonest"),
    [
        ([], None),
        ([change(100, 0, 1, 2), change(200, 1, 2, 1)], None),
        ([change(100, 0, 1, 2), change(900, 0, 2, 1)], 800),
        ([change(900, 0, 2, 1), change(100, 0, 1, 2)], 800),
        ([change(0, 0, 1, 2), change(300, 0, 2, 3), change(500, 0, 3, 1)], 500),
        ([change(0, 0, 1, 2), change(700, 0, 2, 1), change(1_000, 0, 1, 2)], 300),
    ],
)
def test_the_soonest_return_is_the_shortest_absence_of_a_leader(
    changes: list[dict[str, Any]], soonest: float | None
) -> None:
    assert _soonest_return_ms(changes) == soonest
