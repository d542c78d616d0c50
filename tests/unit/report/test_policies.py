"""The picture and the table of the lag policies: followers at fault, and those dropped."""

from dataclasses import replace

import pytest

from insync.events.matrix_info import MatrixInfo, MatrixRow
from insync.report.matrix.cells import Bursts, Grid, MatrixCell, grids
from insync.report.matrix.page import render_matrix
from insync.report.policies.lanes import Stretch, follower_lanes
from insync.report.policies.picture import LEAST_WIDTH, WIDTH, draw
from insync.report.policies.story import SITUATIONS, Finding, compares_policies, finding
from insync.report.policies.text import policy_markdown, policy_table
from insync.report.timeline.timelines import Fault, Span, Timeline

FROZEN = Fault("freeze at broker 3", 3, 2.0, 6.0)
ARMS = ("time", "messages-4", "messages-4000", "request")


def span(isr: tuple[int, ...], start_s: float, end_s: float, partition: int = 0) -> Span:
    return Span(partition, 1, isr, 3, start_s, end_s, "full" if len(isr) == 3 else "reduced")


def timeline(*spans: Span, faults: tuple[Fault, ...] = (), arm: str = "time") -> Timeline:
    return Timeline(arm, 0, 10.0, True, spans, (), faults, (), lag_s=2.0)


def cell(scenario: str, arm: str, **figures: object) -> MatrixCell:
    whole: dict[str, object] = {
        "scenario": scenario, "arm": arm, "kafka": "4.3.1", "expected": {}, "differs": None,
        "unknown": None, "skipped": None, "report": f"4.3.1/{scenario}/report.html", "repeats": 1,
        "isr_shrinks": [0], "under_min_isr_ms": [1_500.0], "max_ack_gap_ms": [10.0],
        "false_alarms": [0], "detected_ms": [None],
    }  # fmt: skip
    return MatrixCell.model_validate({**whole, **figures})


def grid_of(*cells: MatrixCell) -> Grid:
    (grid,) = grids(cells)
    return grid


def policies_page() -> str:
    """Return the page of a made-up matrix of all policies and situations."""
    spans = (span((1, 2, 3), 0, 4), span((1, 3), 4, 5), span((1, 2, 3), 5, 10))
    drawn = [timeline(*spans, faults=(FROZEN,), arm=arm) for arm in ARMS]
    names = [each.scenario for each in SITUATIONS]
    rows = tuple(
        MatrixRow(kafka="4.3.1", scenario=name, summary="", arms=ARMS, folder=name)
        for name in names
    )
    cells = [cell(name, arm) for name in names for arm in ARMS]
    pictures = {("4.3.1", name): drawn for name in names}
    return render_matrix(MatrixInfo(repeats=1, rows=rows), cells, pictures, [], {})


def standings(made: Timeline) -> dict[int, list[tuple[float, float, str]]]:
    return {
        lane.follower: [(each.start_s, each.end_s, each.standing) for each in lane.stretches]
        for lane in follower_lanes(made)
    }


def test_a_removed_healthy_follower_is_a_false_alarm_until_it_rejoins() -> None:
    made = timeline(span((1, 2, 3), 0, 4), span((1, 3), 4, 5), span((1, 2, 3), 5, 10))
    assert standings(made) == {
        2: [(0, 4, "fine"), (4, 5, "alarm"), (5, 10, "fine")],
        3: [(0, 10, "fine")],
    }


def test_a_faulty_follower_is_undetected_until_removed_and_detected_until_it_rejoins() -> None:
    made = timeline(
        span((1, 2, 3), 0, 4.5), span((1, 2), 4.5, 7), span((1, 2, 3), 7, 10), faults=(FROZEN,)
    )
    assert standings(made)[3] == [
        (0, 2.0, "fine"), (2.0, 4.5, "unnoticed"), (4.5, 7, "noticed"), (7, 10, "fine"),
    ]  # fmt: skip
    assert standings(made)[2] == [(0, 10, "fine")]


def test_a_faulty_follower_that_stays_is_undetected_until_the_fault_ends() -> None:
    made = timeline(span((1, 2, 3), 0, 10), faults=(FROZEN,))
    assert standings(made)[3] == [(0, 2.0, "fine"), (2.0, 6.0, "unnoticed"), (6.0, 10, "fine")]


def test_a_fault_of_other_partitions_or_of_the_leader_leaves_a_follower_healthy() -> None:
    elsewhere = replace(FROZEN, partitions=(1,))
    at_leader = replace(FROZEN, broker=1)
    for fault in (elsewhere, at_leader):
        made = timeline(span((1, 2, 3), 0, 4), span((1,), 4, 10), faults=(fault,))
        assert standings(made)[3] == [(0, 4, "fine"), (4, 10, "alarm")]


def test_spans_have_no_gaps() -> None:
    again = replace(FROZEN, start_s=7.0, end_s=9.0)
    made = timeline(span((1, 2, 3), 0, 10), faults=(FROZEN, again))
    (lane,) = [each for each in follower_lanes(made) if each.follower == 3]
    edges = [0.0, *(each.end_s for each in lane.stretches)]
    assert [each.start_s for each in lane.stretches] == edges[:-1]
    assert lane.stretches[-1] == Stretch(9.0, 10, "fine")


@pytest.mark.parametrize(
    ("scenario", "figures", "expected"),
    [
        ("burst", {}, Finding(True, "none dropped")),
        (
            "burst",
            {
                "false_alarms": [9],
                "bursts": [
                    {"records": 4, "bursts": 100, "false_alarms": 0},
                    {"records": 5, "bursts": 400, "false_alarms": 9},
                ],
            },
            Finding(False, "18 per 1,000 bursts"),
        ),
        ("slow-replica", {"detected_ms": [2_400.0]}, Finding(True, "out after 2.4 s")),
        ("slow-replica", {"detected_ms": [2_400.0, None]}, Finding(False, "never dropped")),
        (
            "stuck-replica",
            {"detected_ms": [600.0], "false_alarms": [1]},
            Finding(False, "out after 600 ms; 1 healthy dropped"),
        ),
        ("bootstrapping-replica", {"detected_ms": [0.0]}, Finding(True, "out at the beginning")),
        (
            "bootstrapping-replica",
            {"detected_ms": [0.0], "let_in_at_fault": [0]},
            Finding(True, "never in sync"),
        ),
        (
            "bootstrapping-replica",
            {"detected_ms": [0.0, 0.0], "let_in_at_fault": [0, 2]},
            Finding(False, "let in 2 times"),
        ),
        ("slow-leader", {"false_alarms": [2]}, Finding(False, "2 healthy dropped")),
        ("slow-leader", {"unknown": "no evidence"}, Finding(None, "not known")),
        ("slow-leader", {"false_alarms": [None]}, Finding(None, "not known")),
    ],
)
def test_the_worst_repeat_decides_a_finding(
    scenario: str, figures: dict[str, object], expected: Finding
) -> None:
    (found,) = [each for each in SITUATIONS if each.scenario == scenario]
    assert finding(found, cell(scenario, "time", **figures)) == expected


def test_a_matrix_with_one_policy_has_no_policy_section() -> None:
    plain = [cell("read-stall", arm) for arm in ("stock", "request")]
    assert not compares_policies(plain)
    assert policy_markdown(grid_of(*plain)) == ""
    assert compares_policies([*plain, cell("burst", "messages-4")])


def test_the_table_has_a_row_per_policy_and_a_column_per_burst_and_situation() -> None:
    sizes = [{"records": 5, "bursts": 1_000, "false_alarms": 3}]
    cells = [
        *(cell("burst", arm, bursts=sizes if arm == "messages-4" else []) for arm in ARMS),
        *(cell("slow-replica", arm, detected_ms=[900.0]) for arm in ARMS if arm != "request"),
    ]
    found = policy_table(grid_of(*cells))
    assert found.columns == [
        "policy", "false alarms per 1,000 bursts of 5", "slow replica", "under min ISR in total, s",
    ]  # fmt: skip
    assert found.rows == [
        ["messages:4", "3.0 (3 in 1,000)", "out after 900 ms", "3.0"],
        ["messages:4000", "-", "out after 900 ms", "3.0"],
        ["time", "-", "out after 900 ms", "3.0"],
        ["time + KIP-501", "-", "-", "1.5"],
    ]


def test_the_picture_has_every_cell_and_draws_short_drops_wide_enough() -> None:
    cells = [cell("burst", "time"), cell("burst", "messages-4"), cell("slow-leader", "time")]
    dip = timeline(
        span((1, 2, 3), 0, 9.999), span((1, 3), 9.999, 10), arm="messages-4"
    )  # at the very end
    found = draw(grid_of(*cells), {"burst": [dip]})
    assert found.columns == ("bursts", "slow leader")
    assert [count for _, count in found.groups] == [1, 1]
    assert [row.name for row in found.rows] == ["messages:4", "time"]
    assert [[place is not None for place in row.places] for row in found.rows] == [
        [True, False], [True, True],
    ]  # fmt: skip
    drawn = found.rows[0].places[0]
    assert drawn is not None
    (alarm,) = [bar for bar in drawn.bars if bar.standing == "alarm"]
    assert drawn.bars[-1] == alarm
    assert alarm.width == LEAST_WIDTH
    assert 0 <= alarm.x <= alarm.x + alarm.width <= WIDTH
    assert all(bar.height < alarm.height for bar in drawn.bars if bar.standing == "fine")


def test_the_page_has_every_policy_in_every_situation_and_counts_where_each_is_right() -> None:
    page = policies_page()
    assert page.count('<svg viewBox="0 0 186.0 56.0"') == len(ARMS) * len(SITUATIONS)
    assert "right in" in page.partition("<h1>")[2].partition("</h1>")[0]


def test_bursts_of_a_cell_survive_conversion_to_json() -> None:
    sizes = [{"records": 5, "bursts": 10, "false_alarms": 1}]
    assert cell("burst", "time", bursts=sizes).bursts == [
        Bursts(records=5, bursts=10, false_alarms=1)
    ]
