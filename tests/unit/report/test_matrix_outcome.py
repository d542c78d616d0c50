"""The outcome of a matrix: a pass needs enough judged cells, and the arms that scenarios need."""

from typing import Any

import pytest

from insync.events.verdict import Cell
from insync.metrics import DEFAULT_FIGURES
from insync.report.matrix.cells import markdown, outcome, sentence
from unit.verdict import made_up

STOCK = "the control arm stock was not run"


def cell(arm: str = "request", scenario: str = "read-stall", **keys: Any) -> Cell:
    """Return a cell; as expected unless `keys` say otherwise."""
    expected = {"isr_shrinks": {"max": 0}}
    figures = {name: [] for name in DEFAULT_FIGURES}
    known = {"expected": expected, "repeats": 0, **figures}
    return made_up.cell(scenario, arm, **{**known, **keys})


def observed(arm: str, scenario: str = "read-stall") -> Cell:
    return cell(arm, scenario, expected={}, outcome="observed", reason="nothing is expected")


def test_a_matrix_of_cells_as_expected_passes() -> None:
    found = [cell("stock"), cell()]
    assert (outcome(found), sentence(found)) == ("pass", "2 of 2 cells are as expected")


def test_an_observed_cell_is_counted_apart() -> None:
    found = [cell("stock"), cell("off", "freeze"), observed("off")]
    assert outcome(found) == "pass"
    assert sentence(found) == (
        "2 of 3 cells are as expected, 1 were only observed; 2 of 3 cells judged, 0 skipped"
    )
    assert "observed: " in markdown(found)


def test_an_arm_without_a_judged_cell_makes_the_matrix_unknown() -> None:
    found = [cell("stock"), cell(), observed("read"), observed("read", "freeze")]
    assert outcome(found) == "unknown"
    assert sentence(found).endswith(
        "2 of 4 cells judged, 0 skipped; no cell of read could be judged"
    )


def test_an_arm_must_be_judged_on_every_version() -> None:
    found = [cell(), cell(kafka="3.9.2", outcome="skipped", reason="no shim")]
    assert outcome(found) == "unknown"
    assert "no cell of request on Kafka 3.9.2 could be judged" in sentence(found)


@pytest.mark.parametrize(("skipped", "word"), [(2, "pass"), (3, "unknown")])
def test_a_matrix_with_more_cells_skipped_than_judged_is_unknown(skipped: int, word: str) -> None:
    found = [cell(scenario=f"judged-{n}") for n in range(2)]
    found += [
        cell(scenario=f"skipped-{n}", outcome="skipped", reason="no cgroup") for n in range(skipped)
    ]
    assert outcome(found) == word
    assert f"2 of {2 + skipped} cells judged, {skipped} skipped" in sentence(found)


def test_a_control_arm_that_was_not_run_makes_the_matrix_unknown_and_no_cell() -> None:
    found = [cell(not_run=STOCK), cell(scenario="freeze", not_run=STOCK)]
    assert {each.outcome for each in found} == {"pass"}
    assert outcome(found) == "unknown"
    assert sentence(found) == f"2 of 2 cells are as expected; {STOCK}"


def test_a_cell_that_differs_outranks_what_the_matrix_lacks() -> None:
    assert outcome([cell(not_run=STOCK, outcome="fail", reason="isr_shrinks was 2")]) == "fail"
