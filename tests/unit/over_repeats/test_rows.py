"""The report of a run gets the rows of its own cell, also from the tables of a matrix."""

from insync.analysis.tables.rows import rows_of_run

FREEZE = {"scenario": "freeze", "kafka": "4.3.1", "cluster": "local", "scale": 0.5}
ROWS = {
    "repeats": [{"run": "a", "repeat": 0}, {"run": "b", "repeat": 0}],
    "medians": [
        {**FREEZE, "median": 1.0},
        {**FREEZE, "scale": 1.0, "median": 2.0},
        {**FREEZE, "kafka": "3.9.2", "median": 3.0},
    ],
}


def test_tables_of_repeats_are_filtered_by_run_and_those_over_repeats_by_cell() -> None:
    found = rows_of_run(ROWS, "a", FREEZE)
    assert found["repeats"] == [{"run": "a", "repeat": 0}]
    assert [row["median"] for row in found["medians"]] == [1.0]


def test_without_a_cell_all_rows_over_repeats_are_kept() -> None:
    assert len(rows_of_run(ROWS, "b")["medians"]) == 3
