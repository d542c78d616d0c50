import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from analysed import MATRIX
from insync import metrics
from insync.analysis import job
from insync.analysis.verdict.decide import _recorded_nothing, cell_of, decide
from insync.analysis.verdict.facts import RepeatFacts, RunFacts
from insync.errors import InputError
from insync.events.matrix_info import MatrixInfo, load_matrix, save_matrix
from insync.events.run_info import Bound, RunInfo
from insync.events.verdict import read_cells
from insync.outcome import Outcome
from insync.report.matrix.cells import outcome, wanted
from unit.matrix_folder import ARMS, COMMAND, row


@pytest.fixture(scope="module")
def matrix(analysed_folders: Path) -> Path:
    return analysed_folders / MATRIX


@pytest.fixture(scope="module")
def cells(matrix: Path) -> dict[tuple[str, str], dict[str, Any]]:
    found = json.loads((matrix / "matrix.json").read_text())
    return {(cell["scenario"], cell["arm"]): cell for cell in found}


def test_the_matrix_has_one_set_of_tables_for_all_runs(matrix: Path) -> None:
    assert (matrix / "tables" / "gold" / "medians").is_dir()
    assert not list((matrix / "4.3.1").glob("*/tables"))


def test_a_matrix_is_analysed_again_without_spark_and_gives_the_same_cells(
    matrix: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = shutil.copytree(matrix, tmp_path / "matrix")
    (copy / "matrix.json").unlink()
    assert job.main([str(copy)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        *(str(copy / "4.3.1" / name / "report.html") for name in ("good", "bad", "cut")),
        str(copy / "matrix.html"),
    ]
    assert (copy / "matrix.json").read_text() == (matrix / "matrix.json").read_text()
    assert not (copy / "spark.log").exists()


def test_every_scenario_and_arm_has_its_cell_in_order(
    cells: dict[tuple[str, str], dict[str, Any]],
) -> None:
    names = ("good", "bad", "cut", "none", "no-cgroup")
    assert list(cells) == [(name, arm) for name in names for arm in ARMS]
    assert list(cells["good", "stock"])[:11] == [
        "scenario", "arm", "kafka", "outcome", "reason", "expected", "figures", "not_run", "report",
        "findings", "repeats",
    ]  # fmt: skip


def test_a_cell_has_the_same_figures_as_its_arm_in_the_verdict(
    matrix: Path, cells: dict[tuple[str, str], dict[str, Any]]
) -> None:
    arms = json.loads((matrix / "4.3.1" / "good" / "verdict.json").read_text())["arms"]
    for arm in ARMS:
        cell = cells["good", arm]
        assert {name: cell[name] for name in arms[arm]} == arms[arm]
        assert (cell["outcome"], cell["reason"]) == ("pass", "")
    assert cells["good", "stock"]["expected"] == {"isr_shrinks": {"min": 1, "max": None}}
    assert cells["good", "plugin"]["expected"] == {"isr_shrinks": {"min": None, "max": 0}}
    assert cells["good", "stock"]["report"] == "4.3.1/good/report.html"


def test_only_the_arm_that_differs_fails(cells: dict[tuple[str, str], dict[str, Any]]) -> None:
    assert cells["bad", "stock"]["outcome"] == "pass"
    assert cells["bad", "plugin"]["outcome"] == "fail"
    assert cells["bad", "plugin"]["reason"].startswith(
        "repeat 1: isr_shrinks was 2, expected at most 0"
    )


def test_a_finished_arm_counts_even_if_its_run_was_interrupted(
    cells: dict[tuple[str, str], dict[str, Any]],
) -> None:
    assert cells["cut", "stock"]["outcome"] == "pass"
    assert cells["cut", "plugin"]["outcome"] == "unknown"
    assert "was cut short" in cells["cut", "plugin"]["reason"]
    assert cells["none", "stock"]["outcome"] == "unknown"
    assert cells["none", "stock"]["reason"] == (
        "recorded nothing: not begun, or cut short; see 4.3.1/tasks/stock.progress.jsonl"
    )


def test_an_arm_without_recorded_events_was_not_started(run: RunInfo) -> None:
    nothing = RepeatFacts(complete=False, metrics=dict.fromkeys(metrics.of_verdict()))
    facts = RunFacts(finished=False, arms=dict.fromkeys(ARMS, (nothing,)), unreadable={})
    of_run = row("made-up")
    cells = [cell_of(of_run, run, facts, decide(run, facts), arm) for arm in run.arms]
    assert [(cell.outcome, cell.reason) for cell in cells] == [
        ("unknown", _recorded_nothing(of_run, arm)) for arm in ARMS
    ]


def test_a_skipped_cell_has_a_reason_only(cells: dict[tuple[str, str], dict[str, Any]]) -> None:
    cell = cells["no-cgroup", "plugin"]
    assert (cell["outcome"], cell["report"], cell["repeats"]) == ("skipped", None, 0)
    assert cell["reason"] == "no cgroup that this user may write"


def test_the_worst_cell_is_the_matrixs_outcome(matrix: Path) -> None:
    found = read_cells(matrix)
    assert outcome(found) == "fail"
    assert outcome([cell for cell in found if cell.scenario != "bad"]) == "unknown"
    assert outcome([cell for cell in found if cell.scenario == "good"]) == "pass"
    good = [cell for cell in found if cell.scenario in ("good", "no-cgroup")]
    assert outcome(good) == "pass"
    assert outcome([cell for cell in found if cell.outcome == "skipped"]) == "unknown"


def test_the_table_as_markdown_marks_what_differs_and_says_why(matrix: Path) -> None:
    lines = (matrix / "matrix.md").read_text().splitlines()
    assert "| scenario | stock | plugin |" in lines
    assert any(line.startswith("| `good` | 2 (2) / 0.6 (0.6) / 5.") for line in lines)
    assert any("✗ fail: 2 (2) / 0.6" in line for line in lines)
    assert "| `no-cgroup` | skipped | skipped |" in lines
    assert any("bad, plugin: fail: repeat 1: isr_shrinks was 2, expected" in s for s in lines)
    assert lines[-1] == (
        "fail: 4 of 8 cells are as expected, 1 fail, 3 prove nothing;"
        " 5 of 10 cells judged, 2 skipped."
    )


def test_the_page_links_each_cell_to_its_arm_in_the_runs_report(matrix: Path) -> None:
    page = (matrix / "matrix.html").read_text(encoding="utf-8")
    outside = re.findall(r'href="([^#"]+)(#[^"]*)?"', page)
    assert outside == [
        (f"4.3.1/{name}/report.html", f"#arm-{arm}")
        for name in ("good", "bad", "cut")
        for arm in ARMS
    ]
    assert "src=" not in page
    assert "what no-cgroup is" in page
    assert "expected at most 0" in page


def test_the_page_shows_how_to_reproduce_the_matrix_and_where_it_ran(matrix: Path) -> None:
    page = (matrix / "matrix.html").read_text(encoding="utf-8")
    assert COMMAND in page
    assert "17.0.15" in page


def test_the_junit_results_agree_with_the_cells(
    matrix: Path, cells: dict[tuple[str, str], dict[str, Any]]
) -> None:
    root = ElementTree.parse(matrix / "matrix-junit.xml").getroot()  # noqa: S314 - our own
    worst: dict[tuple[str, str], str] = {}
    for case in root.iter("testcase"):
        of_run, arm = case.attrib["classname"].rsplit(".", 1)
        scenario, _, _ = of_run.partition(" on Kafka ")
        tags = {child.tag for child in case}
        found = next((tag for tag in ("failure", "error", "skipped") if tag in tags), "pass")
        if worst.get((scenario, arm), "pass") == "pass":
            worst[scenario, arm] = found
    assert worst == {key: Outcome(cell["outcome"]).tag or "pass" for key, cell in cells.items()}
    for name in ("good", "bad", "cut"):
        assert (matrix / "4.3.1" / name / "junit.xml").is_file()


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        ({"isr_shrinks": {"max": 0}}, "ISR shrinks at most 0"),
        (
            {"first_shrink_ms": {"max": 4_000}, "min_isr_size": {"min": 2}},
            "first shrink after at most 4.0 s, smallest ISR at least 2",
        ),
        ({}, ""),
    ],
)
def test_a_cells_expectation_is_described_in_words(
    matrix: Path, expected: dict[str, dict[str, float]], words: str
) -> None:
    (cell, *_) = read_cells(matrix)
    bounds = {metric: Bound(**bound) for metric, bound in expected.items()}
    assert wanted(cell.model_copy(update={"expected": bounds})) == words


def test_a_matrix_is_refused_beside_other_folders(
    matrix: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from insync.analysis import job

    assert job.main([str(matrix), str(matrix / "4.3.1" / "good")]) == 2
    assert "a matrix, expected only matrices besides it" in capsys.readouterr().err


@pytest.mark.parametrize("text", [None, "{", '{"schema": 2, "repeats": 1, "rows": []}'])
def test_a_folder_without_a_valid_plan_is_bad_input(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "matrix-plan.json").write_text(text)
    with pytest.raises(InputError, match=r"^[^\n]*matrix-plan\.json[^\n]+$"):
        load_matrix(tmp_path)


def test_a_plan_survives_writing_and_reading(tmp_path: Path) -> None:
    info = MatrixInfo(rows=(row("a"), row("b", "why not")))
    save_matrix(tmp_path, info)
    assert load_matrix(tmp_path) == info
    assert info.run_folders(tmp_path) == [tmp_path / "4.3.1" / "a"]
