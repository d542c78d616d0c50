"""A matrix: its outcome needs enough judged cells and every arm; its page stays small."""

from itertools import product
from typing import Any

import pytest

from insync.events.matrix_info import MatrixInfo, MatrixRow
from insync.events.verdict import Cell
from insync.metrics import DEFAULT_FIGURES
from insync.report.matrix.cells import markdown, outcome, sentence
from insync.report.matrix.page import render_matrix
from insync.report.render import MOST_BYTES
from insync.report.timeline.timelines import IsrSpan, Timeline
from unit.verdict import made_up

STOCK = "the control arm stock was not run"


def cell(arm: str = "request", scenario: str = "read-stall", **keys: Any) -> Cell:
    expected = {"isr_shrinks": {"max": 0}}
    figures = {name: [] for name in DEFAULT_FIGURES}
    known = {"expected": expected, "repeats": 0, **figures}
    return made_up.cell(scenario, arm, **{**known, **keys})


def observed(arm: str, scenario: str = "read-stall") -> Cell:
    return cell(arm, scenario, expected={}, outcome="observed", reason="nothing is expected")


@pytest.mark.parametrize(
    ("found", "word", "words"),
    [
        ([cell("stock"), cell()], "pass", "2 of 2 cells are as expected"),
        (
            [cell("stock"), cell(), observed("read"), observed("read", "freeze")], "unknown",
            "2 of 4 cells judged, 0 skipped; no cell of read could be judged",
        ),
        (
            [cell(), cell(kafka="3.9.2", outcome="skipped", reason="no shim")], "unknown",
            "no cell of request on Kafka 3.9.2 could be judged",
        ),
        (
            [cell(not_run=STOCK), cell(scenario="freeze", not_run=STOCK)], "unknown",
            f"2 of 2 cells are as expected; {STOCK}",
        ),
    ],
    ids=["as expected", "an arm that is only observed", "a version", "without a control arm"],
)  # fmt: skip
def test_a_matrix_passes_if_every_arm_of_every_version_was_judged(
    found: list[Cell], word: str, words: str
) -> None:
    assert outcome(found) == word
    assert sentence(found).endswith(words)


def test_an_observed_cell_is_counted_apart() -> None:
    found = [cell("stock"), cell("off", "freeze"), observed("off")]
    assert outcome(found) == "pass"
    assert sentence(found) == (
        "2 of 3 cells are as expected, 1 were only observed; 2 of 3 cells judged, 0 skipped"
    )
    assert "observed: " in markdown(found)


@pytest.mark.parametrize(("skipped", "word"), [(2, "pass"), (3, "unknown")])
def test_a_matrix_with_more_cells_skipped_than_judged_is_unknown(skipped: int, word: str) -> None:
    left_out = {"outcome": "skipped", "reason": "no cgroup"}
    found = [cell(scenario=f"judged-{n}") for n in range(2)]
    found += [cell(scenario=f"skipped-{n}", **left_out) for n in range(skipped)]
    assert outcome(found) == word
    assert f"2 of {2 + skipped} cells judged, {skipped} skipped" in sentence(found)


def test_a_cell_that_differs_outranks_what_the_matrix_lacks() -> None:
    assert outcome([cell(not_run=STOCK, outcome="fail", reason="isr_shrinks was 2")]) == "fail"


ARMS = 4


def drawn(scenario: str, arm: str, *, differs: bool) -> Cell:
    failed = {"outcome": "fail", "reason": "isr_shrinks was 9, expected at most 0"}
    return cell(
        arm, scenario, report=f"4.3.1/{scenario}/report.html", isr_shrinks=[9 if differs else 0],
        under_min_isr_ms=[0], max_ack_gap_ms=[9.0], **(failed if differs else {}),
    )  # fmt: skip


def timeline(arm: str) -> Timeline:
    spans = [
        IsrSpan(partition, 1, (1, 2, 3)[: 3 - n % 2], 3, n / 2, n / 2 + 0.5, "full")
        for partition in range(4)
        for n in range(20)
    ]
    return Timeline(arm, 0, 10.0, True, tuple(spans), (), (), ())


def page_of(count: int, arms: int = ARMS) -> str:
    every = tuple(f"arm-{number}" for number in range(arms))
    names = [f"scenario-{number}" for number in range(count)]
    row = MatrixRow(kafka="4.3.1", scenario="", summary="", arms=every, folder="")
    rows = tuple(row.model_copy(update={"scenario": each, "folder": each}) for each in names)
    worst = (names[-1], every[0])
    cells = [drawn(*each, differs=each == worst) for each in product(names, every)]
    pictures = {("4.3.1", name): [timeline(arm) for arm in every] for name in names}
    return render_matrix(MatrixInfo(rows=rows), cells, pictures, [], {})


@pytest.mark.parametrize(("count", "all_drawn"), [(10, True), (50, False)])
def test_pictures_are_left_out_only_of_a_page_too_large(count: int, all_drawn: bool) -> None:
    """A row with a cell that differs keeps its own."""
    page = page_of(count)
    assert len(page.encode()) <= MOST_BYTES
    assert (page.count("<svg") == count * ARMS) == all_drawn
    assert ("Without pictures, to keep the page small" in page) != all_drawn
    _, _, last_row = page.partition(f'<th scope="row">scenario-{count - 1}')
    assert last_row.count("<svg") == ARMS
