"""Batches, resumption and reduction of a fuzz, on made-up brokers."""

import json
from pathlib import Path

import pytest

from insync.engine.campaign import Options, campaign_folder, read_done, run_campaign
from insync.fuzz.campaign import Fuzz
from insync.fuzz.request import FuzzRequest
from insync.progress import Progress
from insync.result import Result
from insync.scenario.load import load
from insync.scenario.model import Scenario
from unit.fuzz.made_up import MadeUpBrokers


def nothing(_: Scenario) -> int:
    return 0


def needs_a_kill(scenario: Scenario) -> int:
    return int(scenario.workload.acks == "all" and "kill" in kinds(scenario))


def kinds(scenario: Scenario) -> list[str]:
    return [fault.kind for fault in scenario.faults]


@pytest.fixture
def brokers(monkeypatch: pytest.MonkeyPatch) -> MadeUpBrokers:
    return MadeUpBrokers(monkeypatch, nothing)


def fuzzed(
    out: Path,
    seeds: str,
    *,
    resume: bool = False,
    minutes: float | None = None,
    shard: str | None = None,
) -> Result:
    fuzz = Fuzz(FuzzRequest(seeds=seeds, arms=("stock", "request")))
    options = Options(out=out, resume=resume, minutes=minutes, shard=shard)
    return run_campaign(fuzz, options, Progress(), campaign_folder(fuzz, options))


def seeds_of(found: Result) -> list[str]:
    return [each.of for each in found.children]


def reductions(found: Result) -> dict[str, Result]:
    return {
        seed.of: each
        for seed in found.children
        for each in seed.children
        if each.of.endswith("reduced")
    }


def test_seeds_run_in_batches_and_pass(tmp_path: Path, brokers: MadeUpBrokers) -> None:
    found = fuzzed(tmp_path / "out", "1-12")
    assert [len(batch) for batch in brokers.batches] == [10, 2]
    assert found.outcome == "pass"
    assert seeds_of(found) == [f"seed {seed}" for seed in range(1, 13)]
    first = found.children[0]
    assert [each.of for each in first.children] == ["stock", "request"]
    link = "batches/0001/4.3.1/seed-1/report.html#arm-stock"
    assert first.children[0].links == {"report": link}
    assert (tmp_path / "out" / "verdict.json").read_text() == found.as_json()
    assert "seed 12" in (tmp_path / "out" / "report.html").read_text()


def test_a_seed_that_is_done_is_not_run_again(tmp_path: Path, brokers: MadeUpBrokers) -> None:
    fuzzed(tmp_path / "out", "1-3")
    found = fuzzed(tmp_path / "out", "1-5", resume=True)
    assert brokers.batches == [["seed-1", "seed-2", "seed-3"], ["seed-4", "seed-5"]]
    assert found.outcome == "pass"
    assert fuzzed(tmp_path / "out", "1-5", resume=True) == found
    assert len(brokers.batches) == 2
    other = fuzzed(tmp_path / "out", "7", resume=True)
    assert seeds_of(other) == [f"seed {seed}" for seed in (1, 2, 3, 4, 5, 7)]


def test_an_interrupted_batch_is_continued_in_its_folder(
    tmp_path: Path, brokers: MadeUpBrokers
) -> None:
    brokers.interrupt_at = 1
    with pytest.raises(KeyboardInterrupt):
        fuzzed(tmp_path / "out", "1-4")
    before = json.loads((tmp_path / "out" / "verdict.json").read_text())
    assert (before["verdict"], before["reason"]) == ("unknown", "not run yet: 4 are left")
    assert fuzzed(tmp_path / "out", "1-4", resume=True).outcome == "pass"
    assert [folder.name for folder in brokers.folders] == ["0001", "0001"]
    brokers.interrupt_at = 3
    with pytest.raises(KeyboardInterrupt):
        fuzzed(tmp_path / "out", "1-6", resume=True)
    assert fuzzed(tmp_path / "out", "1-7", resume=True).outcome == "pass"
    assert [folder.name for folder in brokers.folders[2:]] == ["0002", "0003"], "of other seeds"


def test_cells_of_a_batch_that_came_to_its_end_run_again_in_a_new_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    brokers = MadeUpBrokers(monkeypatch, nothing)
    fuzzed(tmp_path / "out", "1-4")
    (tmp_path / "out" / "cells.jsonl").unlink()
    fuzzed(tmp_path / "out", "1-4", resume=True)
    assert [folder.name for folder in brokers.folders] == ["0001", "0002"]


def test_as_many_seeds_run_together_as_time_allows(tmp_path: Path, brokers: MadeUpBrokers) -> None:
    fuzzed(tmp_path / "out", "1-20", minutes=2)
    assert brokers.batches[0] == ["seed-1", "seed-2", "seed-3"], "60 s, and 15 s for each"


def test_a_shard_reduces_its_own_seeds(tmp_path: Path, brokers: MadeUpBrokers) -> None:
    brokers.lost = needs_a_kill
    whole = fuzzed(tmp_path / "whole", "1-10")
    shards = [fuzzed(tmp_path / str(each), "1-10", shard=f"{each}/2") for each in (1, 2)]
    assert seeds_of(shards[0]) == [f"seed {seed}" for seed in (1, 3, 5, 7, 9)]
    assert seeds_of(shards[1]) == [f"seed {seed}" for seed in (2, 4, 6, 8, 10)]
    assert {**reductions(shards[0]), **reductions(shards[1])}.keys() == reductions(whole).keys()


def test_a_failing_seed_is_reduced_to_a_file_that_can_be_run(
    tmp_path: Path, brokers: MadeUpBrokers
) -> None:
    brokers.lost = needs_a_kill
    out = tmp_path / "out"
    found = fuzzed(out, "1-10")
    assert found.outcome == "fail"
    failed = {each.of for each in found.children if each.outcome == "fail"}
    assert failed
    assert reductions(found).keys() == failed
    for each in reductions(found).values():
        assert each.of == "stock, integrity, reduced"
        assert " faults reduced to 1; 10 of 10 replays of the " in each.found
        scenario = load(str(out / each.links["scenario"]))
        assert kinds(scenario) == ["kill"]
        assert scenario.arms == ("stock",)
        assert needs_a_kill(scenario)
    rounds = len(brokers.batches)
    assert fuzzed(out, "1-10", resume=True) == found
    assert len(brokers.batches) == rounds


def test_an_interrupted_reduction_is_continued(tmp_path: Path, brokers: MadeUpBrokers) -> None:
    brokers.lost = needs_a_kill
    whole = fuzzed(tmp_path / "whole", "1-10")
    brokers.batches, brokers.interrupt_at = [], 4
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        fuzzed(out, "1-10")
    before = Result.read(out / "verdict.json", "a fuzz")
    assert any("has not ended yet" in each.found for each in reductions(before).values())
    known = len(read_done(out))
    assert reductions(fuzzed(out, "1-10", resume=True)) == reductions(whole)
    assert len(read_done(out)) > known


def test_a_finding_without_a_replay_is_not_reduced(tmp_path: Path, brokers: MadeUpBrokers) -> None:
    brokers.lost = lambda each: int(each.name.count("-") == 1)
    found = fuzzed(tmp_path / "out", "1-4")
    assert found.outcome == "fail"
    assert reductions(found)
    for each in reductions(found).values():
        assert each.found == "none of 3 replays had such a finding: not reduced"
        assert not each.links
