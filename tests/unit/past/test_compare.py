from pathlib import Path

import pytest

from commands import invoke_json, invoke_refused
from insync.cli.app import invoke
from insync.past.compare import ComparedSide, Figure, changed, compare, figures, matched, read_side
from insync.result import Result
from unit.past.past_folders import write_matrix, write_past

FEW = [100.0, 104.0, 98.0]
MANY = [100.0, 104.0, 98.0, 103.0, 99.0, 101.0, 102.0, 97.0]


def compared(a: Path, b: Path) -> tuple[Result, list[Figure]]:
    sides = read_side(a), read_side(b)
    return compare(*sides), figures(matched(*sides))


def table(found: Result, title: str) -> list[tuple[str, ...]]:
    rows = next((each.rows for each in found.tables if each.title.startswith(title)), ())
    return [tuple(row) for row in rows]


def test_the_same_figures_are_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "ab":
        write_past(tmp_path / name, stock={"isr_shrinks": [2, 2], "lost": [0, 0]})
    assert invoke(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert "pass: 1 check passed" in capsys.readouterr().out


def test_few_repeats_cannot_tell_and_the_number_needed_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_past(tmp_path / "a", stock={"max_ack_gap_ms": FEW})
    write_past(tmp_path / "b", stock={"max_ack_gap_ms": [900 + each for each in FEW]})
    found = invoke_json(capsys, "compare", str(tmp_path / "a"), str(tmp_path / "b"), codes=(3,))
    verdict, figure = found["children"][0]["children"]
    assert (verdict["of"], verdict["outcome"]) == ("verdict", "pass")
    assert figure["facts"] == {"a": "100", "b": "1000", "difference": "900"}
    assert (found["verdict"], figure["outcome"]) == ("unknown", "unknown")
    assert figure["found"].endswith("; 4 repeats on each side show a difference")


def test_enough_repeats_show_a_difference_with_its_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_past(tmp_path / "a", stock={"max_ack_gap_ms": MANY})
    write_past(tmp_path / "b", stock={"max_ack_gap_ms": [50 + each for each in MANY]})
    found, (figure,) = compared(tmp_path / "a", tmp_path / "b")
    assert found.outcome == "fail"
    assert figure.p_holm is not None
    assert figure.p_holm < 0.001
    change = figure.change
    assert change.low is not None
    assert change.high is not None
    assert change.difference == 50
    assert 45 < change.low < 50 < change.high < 55
    assert invoke(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "fail: made-up on 4.3.1: stock, longest gap between acks, ms: 150 (+50 [" in text


def test_noise_is_no_difference(tmp_path: Path) -> None:
    write_past(tmp_path / "a", stock={"max_ack_gap_ms": MANY})
    write_past(tmp_path / "b", stock={"max_ack_gap_ms": MANY[::-1]})
    assert compared(tmp_path / "a", tmp_path / "b")[0].outcome == "pass"


def test_p_values_are_adjusted_over_all_figures(tmp_path: Path) -> None:
    names = ("max_ack_gap_ms", "mean_ack_ms", "max_ms", "first_shrink_ms")
    four = MANY[:4]
    write_past(tmp_path / "a", stock=dict.fromkeys(names, four))
    write_past(tmp_path / "b", stock={name: [each + 50 for each in four] for name in names})
    found, four_figures = compared(tmp_path / "a", tmp_path / "b")
    assert {each.change.p_value for each in four_figures} == {2 / 70}
    assert {each.p_holm for each in four_figures} == {4 * 2 / 70}
    assert found.outcome == "unknown"
    assert "; 5 repeats on each side" in found.reason


def test_verdicts_set_up_and_anomalies_that_differ_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_past(tmp_path / "a", stock={"lost": [0, 0]}, plugin={"lost": [0, 0]})
    write_past(
        tmp_path / "b", kafka="4.4.0", verdict="fail", stock={"lost": [0, 3]}, off={"lost": [0, 0]}
    )
    found, _ = compared(tmp_path / "a", tmp_path / "b")
    (arm,) = found.children
    verdict, anomaly = arm.children
    assert arm.of == "made-up on 4.3.1 / 4.4.0: stock"
    assert (verdict.baseline, verdict.found, verdict.outcome) == ("pass", "fail: why", "fail")
    assert (anomaly.of, anomaly.baseline, anomaly.found) == ("lost", "0", "3 in all repeats")
    assert table(found, "Set-up") == [("arms",), ("kafka",)]
    assert table(found, "Arms of one side") == [
        ("A", "made-up on 4.3.1: plugin"), ("B", "made-up on 4.4.0: off"),
    ]  # fmt: skip
    assert invoke(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "made-up on 4.3.1 / 4.4.0: stock, verdict: fail: why (and 1 more)" in text


def test_runs_of_two_scenarios_are_compared_arm_by_arm(tmp_path: Path) -> None:
    write_past(tmp_path / "a", scenario="one", stock={"acked": [1]}, plugin={"acked": [1]})
    write_past(tmp_path / "b", scenario="two", stock={"acked": [2]}, plugin={"acked": [1]})
    found, (figure,) = compared(tmp_path / "a", tmp_path / "b")
    assert figure.cell == "one / two on 4.3.1: stock"
    assert table(found, "Set-up") == [("scenario_name",)]


def test_matrices_are_compared_cell_by_cell_and_with_runs(tmp_path: Path) -> None:
    write_matrix(tmp_path / "a", ["one", "two"], stock={"acked": [1]}, plugin={"acked": [5]})
    write_matrix(tmp_path / "b", ["two", "three"], stock={"acked": [1]}, plugin={"acked": [6]})
    found, (figure,) = compared(tmp_path / "a", tmp_path / "b")
    assert figure.cell == "two on 4.3.1: plugin"
    assert len(found.children) == 2
    assert [side for side, _ in table(found, "Arms of one side")] == ["A", "A", "B", "B"]
    write_past(tmp_path / "run", scenario="two", stock={"acked": [7]})
    _, (with_run,) = compared(tmp_path / "a", tmp_path / "run")
    assert with_run.cell == "two on 4.3.1: stock"


def test_what_a_scenario_sets_is_set_up_and_what_it_expects_is_not() -> None:
    a = {
        "scenario_name": "s",
        "started_ms": 1,
        "scenario": {"workload": {"acks": "1"}, "expect": 1},
    }
    b = {"scenario_name": "s", "started_ms": 2, "scenario": {"workload": {"acks": "all"}}}
    sides = [ComparedSide(Path(), [], {"s": each, "other": {"scenario": {}}}) for each in (a, b)]
    assert changed(*sides) == ["workload"]


def test_bad_input_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = str(write_past(tmp_path / "a", stock={"acked": [1]}, off={"acked": [1]}))
    raw = write_past(tmp_path / "raw", verdict=None)
    other = write_past(tmp_path / "b", plugin={"acked": [1]}, read={"acked": [1]})
    for folder, problem in (
        (tmp_path / "nowhere", "nowhere: not a run folder"),
        (raw, "raw: not a run folder with a verdict (verdict.json"),
        (other, "b: no arm of a scenario in common with"),
    ):
        assert problem in invoke_refused(capsys, "compare", good, str(folder))
