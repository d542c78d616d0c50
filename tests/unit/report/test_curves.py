"""The curves of a matrix: metrics against the key in which its scenarios differ."""

from collections.abc import Iterable, Sequence

import pytest

from insync.events.matrix_info import Along, MatrixInfo, MatrixRow
from insync.events.verdict import Cell
from insync.report.matrix.cells import grids
from insync.report.matrix.curves import HEIGHT, WIDTH, Curves, curves_of
from insync.report.matrix.page import render_matrix
from insync.report.timeline.timelines import Row
from unit.verdict.made_up import cell

DELAYS = {"slow-1": 1.0, "slow-10": 10.0, "slow-100": 100.0}
ACKED = {"stock": (1_000, 800, 100), "step-down": (1_000, 850, 900)}


def rows(kafka: str = "4.3.1", *, along: bool = True) -> list[MatrixRow]:
    return [
        MatrixRow(
            kafka=kafka, scenario=name, summary="", arms=tuple(ACKED), folder=name,
            along=Along(key="delay_ms", value=each, metrics=("acked", "p99_ms")) if along else None,
        )
        for name, each in DELAYS.items()
    ]  # fmt: skip


def cells(names: Iterable[str] = DELAYS) -> list[Cell]:
    return [
        cell(name, arm, figures=["acked"], acked=[values[list(DELAYS).index(name)]])
        for name in names
        for arm, values in ACKED.items()
    ]


def p99(scenario: str, arm: str, value: float, kafka: str = "4.3.1") -> Row:
    return {
        "scenario": scenario, "kafka": kafka, "cluster": "local", "scale": 1.0, "arm": arm,
        "metric": "p99_ms", "repeats": 1, "median": value, "least": value, "most": value,
    }  # fmt: skip


def curves(medians: Sequence[Row] = ()) -> Curves:
    (grid,) = grids(cells())
    found = curves_of(grid, rows(), medians)
    assert found is not None
    return found


def test_a_point_is_a_scenario_and_a_line_is_an_arm() -> None:
    (picture,) = curves().pictures
    assert [curve.arm for curve in picture.curves] == list(ACKED)
    assert [[dot.title for dot in curve.dots] for curve in picture.curves] == [
        ["stock, 1: 1000", "stock, 10: 800", "stock, 100: 100"],
        ["step-down, 1: 1000", "step-down, 10: 850", "step-down, 100: 900"],
    ]
    assert [text for _, text in picture.ticks] == ["1", "10", "100"]
    assert picture.highest == "1000"


def test_the_axis_of_the_key_is_logarithmic_and_that_of_the_metric_begins_at_0() -> None:
    (picture,) = curves().pictures
    first, second, third = picture.curves[0].dots
    assert second.x - first.x == pytest.approx(third.x - second.x)
    assert 0 <= first.x < third.x <= WIDTH
    base = max(dot.y for curve in picture.curves for dot in curve.dots)
    assert first.y < second.y < third.y == base < HEIGHT
    # 1,000, 800 and 100 are in proportion above 0.
    assert (second.y - first.y) / (third.y - first.y) == pytest.approx(200 / 900)


def test_a_metric_that_only_the_tables_have_is_drawn_from_them() -> None:
    known = [p99(name, "stock", 10.0 * value) for name, value in DELAYS.items()]
    other = [p99("slow-1", "stock", 99.0, kafka="3.9.2"), p99("else", "stock", 99.0)]
    acked, latency = curves([*known, *other]).pictures
    assert acked.title != latency.title
    (curve,) = latency.curves
    shown = [dot.title.partition(": ")[0] for dot in curve.dots]
    assert shown == ["stock, 1", "stock, 10", "stock, 100"]


def test_scenarios_that_differ_in_more_than_a_key_have_no_curves() -> None:
    (grid,) = grids(cells())
    assert curves_of(grid, rows(along=False), []) is None
    assert curves_of(grid, rows(kafka="3.9.2"), []) is None
    (one,) = grids(cells(["slow-1"]))
    assert curves_of(one, rows(), []) is None


def test_the_page_draws_the_curves_above_the_cells() -> None:
    page, plain = (
        render_matrix(MatrixInfo(rows=tuple(rows(along=along))), cells(), {}, [], {})
        for along in (True, False)
    )
    assert page.count("<figure>") == 1
    assert "against delay_ms" in page
    assert "<title>step-down, 100: 900</title>" in page
    assert "<figure>" not in plain
