"""The page of a matrix: it stays small, whatever the number of its cells."""

import pytest

from insync.events.matrix_info import MatrixInfo, MatrixRow
from insync.events.verdict import Cell
from insync.report.matrix.page import render_matrix
from insync.report.render import MOST_BYTES
from insync.report.timeline.timelines import Span, Timeline
from unit.verdict import made_up

ARMS = 4


def cell(scenario: str, arm: str, *, differs: bool) -> Cell:
    return made_up.cell(
        scenario, arm, expected={"isr_shrinks": {"max": 0}},
        outcome="fail" if differs else "pass",
        reason="isr_shrinks was 9, expected at most 0" if differs else "",
        report=f"4.3.1/{scenario}/report.html",
        isr_shrinks=[9 if differs else 0], under_min_isr_ms=[0], max_ack_gap_ms=[9.0],
    )  # fmt: skip


def timeline(arm: str) -> Timeline:
    """Return a busy repeat: each of four partitions loses and regains a follower ten times."""
    spans = [
        Span(partition, 1, (1, 2, 3)[: 3 - n % 2], 3, n / 2, n / 2 + 0.5, "full")
        for partition in range(4)
        for n in range(20)
    ]
    return Timeline(arm, 0, 10.0, True, tuple(spans), (), (), ())


def page_of(count: int, arms: int = ARMS) -> str:
    """Return the page of so many scenarios, of which the last one differs on the first arm."""
    every = tuple(f"arm-{number}" for number in range(arms))
    names = [f"scenario-{number}" for number in range(count)]
    rows = tuple(
        MatrixRow(kafka="4.3.1", scenario=name, summary="", arms=every, folder=name)
        for name in names
    )
    last = names[-1]
    cells = [
        cell(name, arm, differs=(name, arm) == (last, every[0])) for name in names for arm in every
    ]
    pictures = {("4.3.1", name): [timeline(arm) for arm in every] for name in names}
    return render_matrix(MatrixInfo(repeats=1, rows=rows), cells, pictures, [], {})


@pytest.mark.parametrize(("count", "all_drawn"), [(10, True), (50, False)])
def test_pictures_are_left_out_only_where_the_page_would_be_too_large(
    count: int, all_drawn: bool
) -> None:
    page = page_of(count)
    assert len(page.encode()) <= MOST_BYTES
    assert (page.count("<svg") == count * ARMS) == all_drawn
    assert ("Without pictures, to keep the page small" in page) != all_drawn


def test_a_row_with_a_cell_that_differs_keeps_its_pictures() -> None:
    _, _, last_row = page_of(50).partition('<th scope="row">scenario-49')
    assert last_row.count("<svg") == ARMS
