from pathlib import Path
from typing import Any

import pytest

from commands import invoke_json, invoke_refused
from insync.cli.app import invoke
from insync.past.compare import Compared, compare, read_side
from unit.past.past_folders import write_matrix, write_past

FEW = [100.0, 104.0, 98.0]
MANY = [100.0, 104.0, 98.0, 103.0, 99.0, 101.0, 102.0, 97.0]


def compared(a: Path, b: Path, **how: Any) -> Compared:
    return compare(read_side(a), read_side(b), **how)


def test_the_same_figures_are_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in "ab":
        write_past(tmp_path / name, stock={"isr_shrinks": [2, 2], "lost": [0, 0]})
    assert invoke(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 0
    assert "same: no verdict, anomaly or figure of 1 arm differs" in capsys.readouterr().out


def test_few_repeats_cannot_tell_and_the_number_needed_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_past(tmp_path / "a", stock={"max_ack_gap_ms": FEW})
    write_past(tmp_path / "b", stock={"max_ack_gap_ms": [900 + each for each in FEW]})
    found = invoke_json(capsys, "compare", str(tmp_path / "a"), str(tmp_path / "b"), codes=(3,))
    (figure,) = found["figures"]
    assert (figure["a"], figure["b"], figure["difference"]) == (100, 1000, 900)
    assert (figure["low"], figure["p_value"], figure["p_holm"]) == (None, None, None)
    assert (found["outcome"], found["needed"]) == ("unclear", 4)
    assert invoke(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 3
    assert "4 repeats on each side show a difference that every" in capsys.readouterr().out


def test_enough_repeats_show_a_difference_with_its_interval(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_past(tmp_path / "a", stock={"max_ack_gap_ms": MANY})
    write_past(tmp_path / "b", stock={"max_ack_gap_ms": [50 + each for each in MANY]})
    found = compared(tmp_path / "a", tmp_path / "b")
    (figure,) = found.figures
    assert found.outcome == "differs"
    assert figure.p_holm is not None
    assert figure.p_holm < 0.001
    assert figure.low is not None
    assert figure.high is not None
    assert 45 < figure.low < figure.difference == 50 < figure.high < 55
    assert invoke(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 1
    assert "differs: of 1 arm in common, figure: 1" in capsys.readouterr().out


def test_noise_is_no_difference(tmp_path: Path) -> None:
    write_past(tmp_path / "a", stock={"max_ack_gap_ms": MANY})
    write_past(tmp_path / "b", stock={"max_ack_gap_ms": MANY[::-1]})
    assert compared(tmp_path / "a", tmp_path / "b").outcome == "same"


def test_pairs_are_compared_as_pairs_if_asked(tmp_path: Path) -> None:
    drifting = [100.0 * each for each in range(8)]
    write_past(tmp_path / "a", stock={"max_ack_gap_ms": drifting})
    write_past(tmp_path / "b", stock={"max_ack_gap_ms": [5 + each for each in drifting]})
    assert compared(tmp_path / "a", tmp_path / "b").outcome == "same"
    found = compared(tmp_path / "a", tmp_path / "b", paired=True)
    (figure,) = found.figures
    assert (figure.low, figure.difference, figure.high) == (5, 5, 5)
    assert (figure.p_value, found.outcome) == (2 / 2**8, "differs")


def test_p_values_are_adjusted_over_all_figures(tmp_path: Path) -> None:
    names = ("max_ack_gap_ms", "mean_ack_ms", "max_ms", "first_shrink_ms")
    four = MANY[:4]
    write_past(tmp_path / "a", stock=dict.fromkeys(names, four))
    write_past(tmp_path / "b", stock={name: [each + 50 for each in four] for name in names})
    found = compared(tmp_path / "a", tmp_path / "b")
    assert {each.p_value for each in found.figures} == {2 / 70}
    assert {each.p_holm for each in found.figures} == {4 * 2 / 70}
    assert (found.outcome, found.needed) == ("unclear", 5)


def test_verdicts_set_up_and_anomalies_that_differ_are_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_past(tmp_path / "a", stock={"lost": [0, 0]}, plugin={"lost": [0, 0]})
    write_past(
        tmp_path / "b", kafka="4.4.0", verdict="fail", stock={"lost": [0, 3]}, off={"lost": [0, 0]}
    )
    found = compared(tmp_path / "a", tmp_path / "b")
    (verdict,), (anomaly,) = found.verdicts, found.anomalies
    assert (verdict.arm, verdict.a, verdict.b) == ("stock", "pass", "fail")
    assert (verdict.kafka, verdict.reason_b) == ("4.3.1 / 4.4.0", "why")
    assert (anomaly.metric, anomaly.a, anomaly.b) == ("lost", 0, 3)
    assert ("kafka", "4.3.1", "4.4.0") in found.setup
    assert ("arms", "stock, plugin", "stock, off") in found.setup
    assert (found.only_a, found.only_b) == (
        ["made-up on 4.3.1: plugin"], ["made-up on 4.4.0: off"],
    )  # fmt: skip
    assert invoke(["compare", str(tmp_path / "a"), str(tmp_path / "b")]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "differs: of 1 arm in common, verdict: 1, anomaly: 1" in text
    assert "only in A: made-up on 4.3.1: plugin" in text


def test_runs_of_two_scenarios_are_compared_arm_by_arm(tmp_path: Path) -> None:
    write_past(tmp_path / "a", scenario="one", stock={"acked": [1]}, plugin={"acked": [1]})
    write_past(tmp_path / "b", scenario="two", stock={"acked": [2]}, plugin={"acked": [1]})
    found = compared(tmp_path / "a", tmp_path / "b")
    assert [(each.scenario, each.arm) for each in found.figures] == [("one / two", "stock")]
    assert found.setup[0] == ("scenario", "one", "two")


def test_matrices_are_compared_cell_by_cell_and_with_runs(tmp_path: Path) -> None:
    write_matrix(tmp_path / "a", ["one", "two"], stock={"acked": [1]}, plugin={"acked": [5]})
    write_matrix(tmp_path / "b", ["two", "three"], stock={"acked": [1]}, plugin={"acked": [6]})
    found = compared(tmp_path / "a", tmp_path / "b")
    assert [(each.scenario, each.arm) for each in found.figures] == [("two", "plugin")]
    assert found.compared == 2
    assert len(found.only_a) == len(found.only_b) == 2
    write_past(tmp_path / "run", scenario="two", stock={"acked": [7]})
    with_run = compared(tmp_path / "a", tmp_path / "run")
    assert [(each.scenario, each.arm) for each in with_run.figures] == [("two", "stock")]


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
