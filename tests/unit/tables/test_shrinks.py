"""ISR shrinks with their causes, moments and delays, and what followers did: pauses, removals."""

from collections import defaultdict
from typing import Any

import pytest
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as fn

from insync.analysis.tables.gold.followers import detections, follower_drops
from insync.analysis.tables.silver import shrinks
from insync.analysis.tables.silver.leaders import isr_intervals
from insync.analysis.tables.silver.shrinks import isr_shrinks
from unit.isr_log import END, LAG, Case, Change, Fault, frames
from unit.tables.inline import inline_table, values

FULL = (500.0, 1, [1, 2, 3])
STALL: Fault = ("stall", "read", 1, 3_000.0, 6_000.0)
BY_STALL, BY_LAG = ("leader: read stall", 0), ("lag", None)


def alone(at: float, *injected: Fault) -> Case:
    """The leader removes both followers."""
    return Case([FULL, (at, 1, [1])], injected)


def one_out(removed: int, at: float, *injected: Fault) -> Case:
    return Case([FULL, (at, 1, [each for each in (1, 2, 3) if each != removed])], injected)


ENDED: Fault = ("stall", "read", 1, 3_000.0, 5_500.0)
FROZEN: Fault = ("freeze", "", 3, 3_000.0, 6_000.0)
SEND_STALL: Fault = ("stall", "send", 1, 3_000.0, 6_000.0)
CUT: Fault = ("link", "", 1, 3_000.0, 6_000.0)
ELECTED = Case(
    [FULL, (4_000.0, 2, [1, 2, 3]), (6_900.0, 2, [2, 3])], [("stall", "read", 1, 3_000.0, 9_000.0)]
)


CAUSES: dict[str, list[tuple[Case, tuple[str, int | None]]]] = {
    "a fault of the leader, while it lasts and for a lag": [
        (alone(2_999.0, STALL), BY_LAG),
        (alone(3_000.0, STALL), BY_STALL),
        (alone(6_000.0, STALL), BY_STALL),
        (alone(6_000.0 + LAG, STALL), BY_STALL),
        (alone(6_001.0 + LAG, STALL), BY_LAG),
    ],
    "a fault of the removed follower": [
        (one_out(2, 5_000.0, ("freeze", "", 2, 3_000.0, 6_000.0)), ("follower: freeze", 0)),
    ],
    "a broken link is the fault of neither end": [
        (one_out(2, 5_000.0, ("link", "", each, 2_000.0, 6_000.0)), ("link", 0)) for each in (1, 2)
    ],
    "not a fault of another broker": [
        (one_out(3, 4_000.0, ("stall", "read", 3, 0.0, 1_500.0)), BY_LAG),
        (one_out(3, 4_000.0, ("stall", "read", 2, 3_000.0, 6_000.0)), BY_LAG),
    ],
    "of two faults the later one that was old enough": [
        (alone(6_000.0, ENDED, ("stall", "send", 1, 4_000.0, None)), ("leader: send stall", 1)),
        (alone(6_000.0, ENDED, ("stall", "send", 1, 5_600.0, None)), BY_STALL),
    ],
    "of the leader before, if the shrink costs it the lead": [
        (Case([FULL, (4_000.0, 2, [2, 3])], [SEND_STALL]), ("leader: send stall", 0)),
    ],
    "of the leader before, that is a follower now": [(ELECTED, ("follower: read stall", 0))],
}
SECOND: Fault = ("stall", "read", 1, 6_200.0, 9_000.0)
MOMENTS: dict[str, list[tuple[Case, str | None]]] = {
    "among the faults": [
        (alone(2_999.0, STALL), "before"),
        (alone(3_000.0, STALL), "during"),
        (alone(6_000.0, STALL), "during"),
        (alone(6_001.0, STALL), "on_lift"),
        (alone(7_500.0, STALL), "on_lift"),
        (alone(7_501.0, STALL), "after"),
    ],
    "a fault that has only begun does not hide that another has just ended": [
        (alone(6_300.0, STALL, SECOND), "on_lift"),
        (alone(8_300.0, STALL, SECOND), "during"),
    ],
    "without a fault": [(alone(4_000.0), None)],
}
DELAYS: list[tuple[Case, tuple[float | None, float | None, bool]]] = [
    (alone(4_000.0), (None, None, False)),
    (alone(4_900.0, STALL), (5_000.0, -100.0, False)),
    # isr-expiration runs every half of a lag.
    (alone(6_500.0, STALL), (5_000.0, 1_500.0, False)),
    (alone(6_501.0, STALL), (5_000.0, 1_501.0, True)),
    # A leader that was elected during the fault measures all followers again.
    (ELECTED, (6_000.0, 900.0, False)),
]
FENCED: list[Change] = [
    (400.0, 3, False), FULL, (4_000.0, 3, True), (4_000.0, 1, [1, 2]), (5_000.0, 3, False),
    (5_500.0, 1, [1, 2, 3]), (6_000.0, 1, [1, 2]),
]  # fmt: skip


def found(*cases: Case) -> list[list[Row]]:
    """Return the shrinks of each case; one pass of the engine finds those of all."""
    changes, injected, repeats = frames(cases)
    rows: list[list[Row]] = [[] for _ in cases]
    for row in isr_shrinks(changes, repeats, injected).orderBy("t_ms").collect():
        rows[int(row["run"])].append(row)
    return rows


@pytest.fixture(scope="module")
def only() -> dict[int, Row]:
    """The one shrink of each case of the tables, by the case's identity."""
    groups: list[list[tuple[Case, Any]]] = [*CAUSES.values(), *MOMENTS.values(), DELAYS]
    cases = [case for group in groups for case, _ in group]
    return {id(case): row for case, (row,) in zip(cases, found(*cases), strict=True)}


@pytest.mark.parametrize("why", CAUSES)
def test_the_cause_of_a_shrink_is(only: dict[int, Row], why: str) -> None:
    for case, cause in CAUSES[why]:
        row = only[id(case)]
        assert (row["cause"], row["fault_no"]) == cause, case


@pytest.mark.parametrize("where", MOMENTS)
def test_a_shrink_is_placed(only: dict[int, Row], where: str) -> None:
    assert [only[id(case)]["moment"] for case, _ in MOMENTS[where]] == [
        name for _, name in MOMENTS[where]
    ]


def test_a_shrink_after_the_next_run_of_isr_expiration_is_delayed(only: dict[int, Row]) -> None:
    for case, expected in DELAYS:
        row = only[id(case)]
        assert (row["due_ms"], row["late_ms"], row["delayed"]) == expected, case


def test_who_was_removed_when() -> None:
    """Fencing precedes any fault; growth, another order and what is outside do not count."""
    order = [(600.0, 1, [1]), (2_000.0, 1, [1, 2, 3]), (3_000.0, 1, [3, 2, 1])]
    fenced, at_once, none = found(
        Case(FENCED, [("stall", "read", 1, 3_000.0, 4_500.0)]),
        Case([FULL, (4_000.0, 1, [1]), (4_000.0, 1, [1, 2])]),
        Case([FULL, *order, (12_000.0, 1, [1])]),
    )
    assert [(row["t_ms"], row["removed"], row["cause"]) for row in fenced] == [
        (4_000.0, [3], "fenced"), (6_000.0, [3], "leader: read stall"),
    ]  # fmt: skip
    assert [row["removed"] for row in at_once] == [[2, 3]]
    assert none == []


@pytest.mark.parametrize(
    ("arm", "stepped_down"), [("step-down-unthrottled", True), ("stock", False)]
)
def test_a_leader_steps_down_only_in_an_arm_that_allows_it(arm: str, stepped_down: bool) -> None:
    columns = "arm string, handed_over boolean, removed array<int>, leader int"
    row: Any = inline_table([(arm, True, [1], 1)], columns)
    assert row.select(shrinks._stepped_down().alias("it")).first() == (stepped_down,)


def test_a_removed_follower_was_healthy_unless_fenced_or_at_fault() -> None:
    """It is at fault from the fault's beginning until a lag after its end."""
    both_out: list[tuple[float, bool]] = [
        (2_999.0, True), (3_000.0, False), (6_000.0 + LAG, False), (6_001.0 + LAG, True),
    ]  # fmt: skip
    expected: list[tuple[Case, list[tuple[float, int, bool]]]] = [
        (alone(4_000.0), [(4_000.0, 2, True), (4_000.0, 3, True)]),
        *((alone(at, FROZEN), [(at, 2, True), (at, 3, healthy)]) for at, healthy in both_out),
        (Case([FULL, (5_000.0, 1, [1, 2])], [SEND_STALL]), [(5_000.0, 3, True)]),
        (Case([FULL, (5_000.0, 1, [1, 3])], [CUT]), [(5_000.0, 2, False)]),
        (Case([FULL, (4_000.0, 3, True), (4_000.0, 1, [1, 2])]), [(4_000.0, 3, False)]),
    ]
    changes, injected, repeats = frames([case for case, _ in expected])
    drops = follower_drops(isr_shrinks(changes, repeats, injected), injected)
    found = by_case(drops, "t_ms replica healthy", "t_ms replica")
    for number, (case, dropped) in enumerate(expected):
        assert found[number] == dropped, case


def by_case(table: DataFrame, names: str, order: str) -> dict[int, list[tuple[Any, ...]]]:
    found = defaultdict(list)
    for run, *figures in values(table, f"run {names}", order):
        found[int(run)].append(tuple(figures))
    return found


def detected(cases: list[Case], target: tuple[str, ...] = ()) -> dict[int, list[tuple[Any, ...]]]:
    changes, injected, repeats = frames(cases)
    names = fn.array(*map(fn.lit, target)).cast("array<string>")
    table = detections(isr_intervals(changes, repeats), injected.withColumn("target", names))
    return by_case(table, "broker partitions detected_ms let_in", "fault_no")


def test_detection_counts_from_the_fault_to_the_isr_without_its_broker() -> None:
    """A follower that joins the ISR during its own fault was let in."""
    out, back = (2_000.0, 1, [1, 2]), (4_000.0, 1, [1, 2, 3])
    again = [(5_000.0, 1, [1, 2]), (5_500.0, 1, [1, 2, 3])]
    expected: list[tuple[list[Change], float | None, int]] = [
        ([FULL, (5_400.0, 1, [1, 2]), (7_000.0, 1, [1, 2, 3])], 2_400.0, 0),
        # It was out when the fault began, so that it is detected at once whatever happens later.
        ([FULL, out], 0.0, 0),
        ([FULL, out, back], 0.0, 1),
        ([FULL, out, back, *again], 0.0, 2),
        *(
            ([FULL, out, (at, 1, [1, 2, 3])], None if at <= 3_000 else 0.0, 0)
            for at in (2_500.0, 3_000.0, 6_000.0, 6_500.0)
        ),
        # It stays to the end of the fault.
        ([FULL], None, 0),
        ([FULL, (6_500.0, 1, [1, 2])], None, 0),
        ([FULL, (4_000.0, 1, [1, 3]), (5_000.0, 1, [1, 2, 3])], None, 0),
    ]
    found = detected([Case(changes, [FROZEN]) for changes, _, _ in expected])
    for number, (changes, detected_ms, let_in) in enumerate(expected):
        assert found[number] == [(3, 1, detected_ms, let_in)], changes


def test_a_fault_of_a_leader_or_of_another_partition_has_no_detection() -> None:
    changes = [FULL, (5_000.0, 1, [1])]
    assert detected([Case(changes, [("freeze", "", 1, 3_000.0, END)])])[0] == []
    assert detected([Case(changes, [FROZEN])], ("t-1",))[0] == []
    assert detected([Case(changes, [FROZEN])], ("t-0",))[0] == [(3, 1, 2_000.0, 0)]
