"""`insync check`: what a run of a scenario would do, told without a broker."""

from pathlib import Path

import pytest

from commands import invoke_json, invoke_refused
from insync.cli.app import invoke
from insync.scenario.load import source


def test_a_scenario_is_told_with_its_faults_and_what_is_expected_of_each_arm(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert invoke(["check", "fenced-disk"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "fault: disk-stall at broker 1 at 6 s for 25 s" in lines
    assert "stock: max_ack_gap_ms at least 19000; leader_changes at most 0" in lines
    assert lines[-1] == "fenced-disk: can run"


def test_what_would_prove_nothing_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    found = invoke_json(capsys, "check", "kip-501", "--arms", "request", codes=(3,))
    assert found["outcome"] == "unknown"
    (control,) = (each for each in found["children"] if each["of"] == "stock")
    assert control["found"] == "a control arm that does not run: the verdict would be unknown"


def test_an_expectation_of_an_arm_that_needs_a_build_of_its_own_is_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert invoke(["check", "step-down-read"]) == 0
    told = "○ observed patched-fencing: [expect.patched-fencing] counts only if the arm runs"
    assert told in capsys.readouterr().out


def test_of_an_arm_that_does_not_run_nothing_may_be_expected(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    more = "[expect.off]\nisr_shrinks = { max = 0 }\n"
    (tmp_path / "own.toml").write_text(f"{source('kip-501')}\n{more}")
    for command in ("check", "run"):
        refused = invoke_refused(capsys, command, str(tmp_path / "own.toml"))
        assert "expect.off: 'off', expected one of the arms that run: stock, read" in refused
    text = (tmp_path / "own.toml").read_text().replace('"request"]', '"request", "off"]', 1)
    (tmp_path / "own.toml").write_text(text)
    assert invoke(["check", str(tmp_path / "own.toml"), "--arms", "stock,off"]) == 0
    assert "\noff: isr_shrinks at most 0\n" in capsys.readouterr().out
