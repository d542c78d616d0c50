"""Batches, resumption and reduction of a fuzz, on made-up brokers."""

from __future__ import annotations

from pathlib import Path

import pytest

from insync.engines import AnalysisOptions
from insync.events.fuzz_info import FuzzInfo, load_fuzz
from insync.fuzz.plan import prepare_fuzz
from insync.fuzz.request import FuzzRequest
from insync.fuzz.runner import run_fuzz
from insync.progress import Progress
from insync.scenario.load import load
from insync.scenario.model import Scenario
from unit.fuzz.made_up import MadeUpBrokers


def nothing(_: Scenario) -> int:
    return 0


def needs_a_kill(scenario: Scenario) -> int:
    """Say that an acked record is lost by a kill, if acks=all."""
    return int(scenario.workload.acks == "all" and "kill" in kinds(scenario))


def kinds(scenario: Scenario) -> list[str]:
    return [fault.kind for fault in scenario.faults]


def fuzzed(
    out: Path, seeds: str, *, resume: bool = False, minutes: float | None = None
) -> FuzzInfo:
    request = FuzzRequest(
        seeds=seeds, out=out, resume=resume, arms=("stock", "request"), minutes=minutes
    )
    return run_fuzz(prepare_fuzz(request), AnalysisOptions(), Progress())


def test_seeds_run_in_batches_and_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brokers = MadeUpBrokers(monkeypatch, nothing)
    info = fuzzed(tmp_path / "out", "1-12")
    assert [len(batch) for batch in brokers.batches] == [10, 2]
    assert info.outcome == "pass"
    assert [each.seed for each in info.seeds] == list(range(1, 13))
    assert set(info.seeds[0].arms) == {"stock", "request"}
    assert load_fuzz(tmp_path / "out") == info
    assert "12 seeds on 2 arms: no finding" in (tmp_path / "out" / "fuzz.html").read_text()


def test_a_seed_that_is_done_is_not_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fuzzed_brokers = MadeUpBrokers(monkeypatch, nothing)
    fuzzed(tmp_path / "out", "1-3")
    info = fuzzed(tmp_path / "out", "1-5", resume=True)
    assert fuzzed_brokers.batches == [["seed-1", "seed-2", "seed-3"], ["seed-4", "seed-5"]]
    assert info.outcome == "pass"
    again = fuzzed(tmp_path / "out", "1-5", resume=True)
    assert again == info
    assert len(fuzzed_brokers.batches) == 2


def test_of_an_interrupted_batch_the_whole_seeds_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brokers = MadeUpBrokers(monkeypatch, nothing)
    brokers.interrupt_at = 1
    with pytest.raises(KeyboardInterrupt):
        fuzzed(tmp_path / "out", "1-4")
    assert load_fuzz(tmp_path / "out").outcome == "unknown"
    info = fuzzed(tmp_path / "out", "1-4", resume=True)
    assert brokers.batches == [["seed-1", "seed-2", "seed-3", "seed-4"], ["seed-3", "seed-4"]]
    assert info.outcome == "pass"


def test_without_time_one_seed_is_run_and_the_result_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brokers = MadeUpBrokers(monkeypatch, nothing)
    info = fuzzed(tmp_path / "out", "1-20", minutes=0.1)
    assert brokers.batches == [["seed-1"]]
    assert info.outcome == "unknown"


def test_a_failing_seed_is_reduced_to_a_file_that_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brokers = MadeUpBrokers(monkeypatch, needs_a_kill)
    out = tmp_path / "out"
    info = fuzzed(out, "1-10")
    assert info.outcome == "fail"
    failed = {each.seed for each in info.seeds if each.outcome == "fail"}
    assert failed
    assert {each.seed for each in info.reduced} == failed
    for each in info.reduced:
        assert each.file
        assert (each.of, each.arm, each.replays, each.failed) == ("integrity", "stock", 10, 10)
        assert (each.complete, each.faults) == (True, 1)
        scenario = load(str(out / each.file))
        assert kinds(scenario) == ["kill"]
        assert scenario.arms == ("stock",)
        assert needs_a_kill(scenario)
    rounds = len(brokers.batches)
    assert fuzzed(out, "1-10", resume=True) == info
    assert len(brokers.batches) == rounds


def test_a_finding_that_no_replay_has_is_not_reduced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    MadeUpBrokers(monkeypatch, lambda each: int(each.name.startswith("seed-")))
    info = fuzzed(tmp_path / "out", "1-4")
    assert info.outcome == "fail"
    assert info.reduced
    for each in info.reduced:
        assert (each.file, each.failed, each.complete) == (None, 0, True)
