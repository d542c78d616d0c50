"""Level faults: what each side runs and is expected to do, and how the two are judged."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from insync.arms import stand_in
from insync.brokers.kafka.versions import pinned
from insync.engine import scenarios
from insync.engine.campaign import Place, run_within
from insync.engine.scenarios import CellResult
from insync.engines import AnalysisOptions
from insync.events.matrix_info import load_matrix
from insync.events.verdict import write_cells
from insync.fuzz.judge import ArmResult
from insync.progress import Progress
from insync.run.plan import Plan
from insync.scenario.groups import builtin_files
from insync.scenario.load import load
from insync.scenario.model import Scenario
from insync.verify.criteria import read
from insync.verify.level import Side
from insync.verify.levels.faults import (
    Case,
    FaultsLevel,
    cases_of,
    judge_cases,
    of_side,
    seed_outcome,
)
from unit.verdict import made_up
from unit.verify.verifications import BASELINE, CANDIDATE, verification

PATCHED = replace(
    CANDIDATE, arm="patched", claims="patched", settings={"num.replica.fetchers": "2"}
)


def on(side: Side, name: str = "read-stall", repeats: int = 3) -> Scenario:
    return of_side(Case(scenario=load(name)), side, repeats)


def expected(own: Scenario, table: str = "expect") -> Any:
    """Return what is expected of the only arm, under its name or the one that it stands for."""
    of = getattr(own, table)
    return of.get(stand_in(*own.arms, of))


def test_the_baseline_is_a_control_and_must_show_the_problem() -> None:
    whole, own = load("read-stall"), on(BASELINE)
    assert (own.arms, own.control_arms, own.repeats) == (("stock",), ("stock",), 3)
    assert expected(own) == whole.expect["stock"]
    assert own.faults == whole.faults


def test_the_candidate_is_expected_to_behave_as_the_arm_that_it_claims_to_be() -> None:
    whole, own = load("read-stall"), on(CANDIDATE)
    assert (own.arms, own.control_arms) == (("request",), ())
    assert expected(own) == whole.expect["request"]
    assert own.broker.settings["num.io.threads"] == "2"


def test_a_build_with_the_change_inside_runs_without_the_agent_and_is_expected_the_same() -> None:
    own = on(PATCHED)
    assert (own.arms, own.control_arms) == (("patched",), ())
    assert expected(own) == load("read-stall").expect["read"]
    assert own.broker.settings == {"num.replica.fetchers": "2"}


def test_of_a_build_without_a_claim_nothing_is_expected() -> None:
    assert on(replace(BASELINE, claims=None)).expect == {}


@pytest.mark.parametrize(
    ("side", "claim"), [(PATCHED, "read"), (CANDIDATE, "request"), (BASELINE, "stock")]
)
def test_expectations_on_zookeeper_are_those_of_the_claim_too(side: Side, claim: str) -> None:
    names = [name for name in builtin_files() if load(name).expect_on_zookeeper]
    assert names
    for name in names:
        whole, own = load(name), on(side, name)
        wanted = whole.expect_on_zookeeper.get(claim)
        assert expected(own, "expect_on_zookeeper") == wanted


def test_both_sides_run_the_same_seeds_once_and_with_the_same_faults() -> None:
    wanted = verification(only=("read-stall",), seeds=(1, 2, 3), kinds=("kill", "freeze"))
    scenario, *seeds = cases_of(wanted)
    assert (scenario.name, scenario.seed) == ("read-stall", None)
    assert [case.name for case in seeds] == ["seed-1", "seed-2", "seed-3"]
    for case in seeds:
        base, own = of_side(case, BASELINE, 5), of_side(case, CANDIDATE, 5)
        assert base.faults == own.faults
        assert base.workload == own.workload
        assert base.repeats == own.repeats == 1


def test_seeds_have_one_controller_where_a_side_has_zookeeper() -> None:
    old = replace(BASELINE, kafka="2.8.2", release=pinned("2.8.2"))
    wanted = verification(only=("read-stall",), seeds=tuple(range(1, 31)), kinds=("kill",))

    def quorums(**sides: Side) -> set[int]:
        cases = cases_of(replace(wanted, **sides))
        return {case.scenario.broker.controllers for case in cases if case.seed is not None}

    assert quorums() > {1}
    assert quorums(baseline=old) == {1}


def test_times_are_scaled_once_as_the_group_says() -> None:
    (case,) = cases_of(verification(only=("fenced-disk",)))
    assert case.scenario == load("fenced-disk", 0.5)
    assert of_side(case, BASELINE, 1).timeline == case.scenario.timeline


def result(outcome: Any, *classes: Any) -> ArmResult:
    findings = {of: f"{of} went wrong" for of in classes}
    return ArmResult(findings=findings, unknown="no kill" if outcome == "unknown" else None)


@pytest.mark.parametrize(
    ("base", "own", "outcome"),
    [
        (result("pass"), result("pass"), "pass"),
        (result("unknown"), result("pass"), "pass"),
        (result("fail", "liveness"), result("pass"), "pass"),
        (result("pass"), result("fail", "integrity"), "fail"),
        (result("fail", "liveness"), result("fail", "integrity"), "fail"),
        (result("fail", "liveness"), result("fail", "liveness", "integrity"), "fail"),
        (result("fail", "liveness"), result("fail", "liveness"), "unknown"),
        (result("pass"), result("unknown"), "observed"),
    ],
)
def test_seeds_are_judged_beside_baselines(base: ArmResult, own: ArmResult, outcome: str) -> None:
    found, why = seed_outcome(base, own)
    assert found == outcome
    assert bool(why) == (outcome != "pass")


def test_a_case_has_its_own_check_and_those_of_the_criteria_beside_the_baseline() -> None:
    keys = {"max_ack_gap_ms": [1_000.0], "offline_ms": [0.0], "isr_not_recovered": [0]}

    def on_side(name: str, exits: int) -> CellResult:
        cell = made_up.cell(unplanned_exits=[exits], report="read-stall/report.html", **keys)
        return CellResult(cell=cell, report=f"{name}/read-stall/report.html")

    what = replace(verification(), criteria=read(None)[1])
    scenario, seed = Case(scenario=load("read-stall")), Case(scenario=load("freeze"), seed=1)
    both = (on_side("baseline", 0), on_side("candidate", 1))
    found = judge_cases([scenario, seed], {"read-stall": both, "freeze": both}, what)
    assert [each.outcome for each in found] == ["pass", "pass", "pass", "fail", "pass", "fail"]
    assert found[3].found.startswith("expected unplanned_exits at most that of the baseline")
    assert found[0].links["report"].startswith("candidate/read-stall/report.html#")


def test_a_side_whose_arm_failed_is_recorded_again_with_the_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures, recorded = [["4.3.1 request: broker 1 ended"], []], []

    def record(folders: Mapping[Path, Sequence[Plan]], *_: object) -> list[str]:
        recorded.append(
            {each.name: [run.scenario.name for run in folders[each]] for each in folders}
        )
        return failures.pop(0)

    def analyse(folders: Sequence[Path], *_: object) -> None:
        for folder in folders:
            rows = load_matrix(folder).rows
            write_cells(folder, [made_up.cell(row.scenario, row.arms[0], lost=[0]) for row in rows])

    tools = SimpleNamespace(kafka=SimpleNamespace(version="4.3.1"))
    for name, made in (
        ("record", record), ("analyse_matrices", analyse), ("find_tools", lambda *_: tools),
    ):  # fmt: skip
        monkeypatch.setattr(scenarios, name, made)
    place = Place(folder=tmp_path, analysis=AnalysisOptions(), progress=Progress())
    what = verification(only=("read-stall",), seeds=(1,), kinds=("kill",))
    first, second = (run_within(FaultsLevel(what, Progress()), place, "faults") for _ in range(2))
    assert recorded == [{name: ["read-stall", "seed-1"] for name in ("baseline", "candidate")}] * 2
    assert (first.outcome, first.children[0].found) == ("unknown", "4.3.1 request: broker 1 ended")
    assert second.outcome == "pass"
    assert first.links["baseline: all scenarios"] == "faults/baseline/matrix.html"
