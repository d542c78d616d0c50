"""What repeats show together is on the pages and on the console, with the number of repeats."""

from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet
from rich.console import Console

from insync.analysis.tables.gold.compare import differences, medians
from insync.analysis.tables.rows import rows_of_run
from insync.cli.results import show_statistics
from insync.report.statistics import statistics_tables

CELL = {"scenario": "kip-501", "kafka": "4.3.1", "cluster": "local", "scale": 0.2}


def rows(repeats: int, **more: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of both tables of a run in which the plugin removes two shrinks."""
    values = [
        {**CELL, **more, "arm": arm, "run": "r", "repeat": n, "metric": metric, "value": value}
        for n in range(repeats)
        for metric, of_arms in (
            ("isr_shrinks", (2.0, 0.0)), ("p99_ms", (50.0 + n, 52.5 - n)), ("lost", (0.0, 0.0)),
        )
        for arm, value in zip(("stock", "plugin"), of_arms, strict=True)
    ]  # fmt: skip
    metrics = pa.Table.from_pylist(values)
    runs = pa.table({"run": ["r"], "control_arms": [["stock"]]})
    return {"medians": medians(metrics), "differences": differences(metrics, runs)}


def test_one_repeat_claims_nothing() -> None:
    assert statistics_tables(rows(1)) == []


def test_three_repeats_have_medians_and_say_how_many_could_show_it() -> None:
    middle, changes = statistics_tables(rows(3))
    assert middle.title == "Medians over repeats: median (least to most) of 3 repeats"
    assert list(middle.columns) == ["metric", "stock", "plugin"]
    assert middle.rows == [
        ["ISR shrinks", "2", "0"],
        ["ack latency at the 99th percentile", "51 (50 to 52)", "51.5 (50.5 to 52.5)"],
    ]
    assert changes.title == (
        "Differences from control arms: 3 pairs of repeats, too few for any interval or test;"
        " 7 show a difference that every pair has, over 2 comparisons"
    )
    assert list(changes.columns) == ["metric", "arms", "pairs", "median difference"]
    assert changes.rows[0] == ["ISR shrinks", "plugin - stock", "3", "\N{MINUS SIGN}2"]


def test_enough_repeats_have_intervals_and_adjusted_tests() -> None:
    middle, changes = statistics_tables(rows(8))
    assert "median [95 % interval] (least to most) of 8 repeats" in middle.title
    assert middle.rows[0] == ["ISR shrinks", "2 [2; 2]", "0 [0; 0]"]
    assert changes.title == "Differences from control arms: 8 pairs of repeats"
    assert [[each.replace("\N{MINUS SIGN}", "-") for each in row] for row in changes.rows] == [
        ["ISR shrinks", "plugin - stock", "8", "-2 [-2; -2]", "0.008", "0.016"],
        ["ack latency at the 99th percentile", "plugin - stock", "8", "-4.5 [-11.5; +2.5]",
         "0.047", "0.047"],
    ]  # fmt: skip


def test_scenarios_of_a_matrix_are_told_apart() -> None:
    first, second = rows(2), rows(2, scenario="freeze")
    both = {name: [*first[name], *second[name]] for name in first}
    middle, _ = statistics_tables(both, {"isr_shrinks"})
    assert [row[0] for row in middle.rows] == ["kip-501: ISR shrinks", "freeze: ISR shrinks"]


def test_the_console_shows_them_from_the_tables_of_a_folder(tmp_path: Path) -> None:
    for name, table in rows(3).items():
        folder = tmp_path / "tables" / "gold" / name
        folder.mkdir(parents=True)
        parquet.write_table(pa.Table.from_pylist(table), folder / "part-0.parquet")
    with (tmp_path / "out").open("w") as file:
        show_statistics(Console(file=file, width=160), tmp_path)
        show_statistics(Console(file=file, width=160), tmp_path / "nowhere")
    text = " ".join((tmp_path / "out").read_text().split())
    assert "Medians over repeats: median (least to most) of 3 repeats" in text
    assert "too few for any interval or test" in text
    assert "ISR shrinks plugin - stock 3" in text


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
