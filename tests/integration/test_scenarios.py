"""The built-in scenarios behave as they expect, scaled down.

`tests/every_scenario.py` names their arms; all are recorded first, two or more arms at a time, and
analysed together. `make test-all` records all arms of all scenarios.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from event_lines import lines_of
from every_scenario import RecordedScenarios, Row, long_rows, short_rows
from insync.arms import LAG_POLICY
from insync.cli.results import clusters_of_matrix, prune_data
from insync.events.run_info import load_run
from insync.nodes import BROKERS
from insync.scenario.load import load

SITES = ("read-stall", "send-stall", "slow-follower")
LAG_MS = 2_000


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(row, id=row.name, marks=pytest.mark.scenario(row.scenario))
        for row in short_rows()
    ],
)
def test_a_scenario_is_as_it_expects(scenarios: RecordedScenarios, row: Row) -> None:
    cells = scenarios.cells(row.scenario, row.kafka)
    assert set(cells) == set(row.arms)
    for reason in {cell["reason"] for cell in cells.values() if cell["outcome"] == "skipped"}:
        pytest.skip(reason)
    scenario, run = load(row.scenario), scenarios.run(row.scenario, row.kafka)
    for arm, cell in cells.items():
        assert cell["outcome"] == "pass", (*_found(run, arm), *scenarios.wrong)
        assert bool(cell["evidence"]) == bool(scenario.faults or scenario.race), arm
    assert any(cell["expected"] for cell in cells.values())


def _found(run: Path, arm: str) -> list[str]:
    """Return what differs in an arm, and its step-downs: the evidence that outlives the machine."""
    findings = json.loads((run / "verdict.json").read_text(encoding="utf-8"))["findings"]
    differs = [str(each) for each in findings if each["outcome"] != "pass"]
    step_downs = run / "events" / arm / "step-downs.jsonl"
    return differs + (
        step_downs.read_text(encoding="utf-8").splitlines() if step_downs.exists() else []
    )


@pytest.mark.long
def test_every_arm_of_every_scenario_is_as_it_expects(every_arm: RecordedScenarios) -> None:
    recorded = {row: every_arm.cells(row.scenario, row.kafka) for row in long_rows()}
    assert [row.name for row, cells in recorded.items() if set(cells) != set(row.arms)] == []
    differs = {
        (row.name, arm): cell["reason"]
        for row, cells in recorded.items()
        for arm, cell in cells.items()
        if cell["outcome"] in ("fail", "unknown")
    }
    assert differs == {}, every_arm.wrong


@pytest.mark.scenario(*SITES)
def test_the_matrix_leaves_its_cells_its_page_its_table_and_whole_run_folders(
    scenarios: RecordedScenarios,
) -> None:
    for site in SITES:
        out = scenarios.matrix(site)
        assert json.loads((out / "matrix.json").read_text()) == scenarios.matrices[out]
        assert f"| `{site}` |" in (out / "matrix.md").read_text()
        page = (out / "matrix.html").read_text(encoding="utf-8")
        folder = out / "4.3.1" / site
        assert f'href="4.3.1/{site}/report.html#arm-request"' in page
        verdict = json.loads((folder / "verdict.json").read_text())
        if "stock" in verdict["arms"]:
            assert verdict["verdict"] == "pass"
        else:
            assert verdict["reason"] == "the control arm stock was not run"
        assert json.loads((folder / "run.json").read_text())["finished_ms"] > 0


@pytest.mark.scenario(*SITES)
def test_the_data_of_a_matrixs_brokers_is_removed_where_all_is_as_expected(
    scenarios: RecordedScenarios,
) -> None:
    out = scenarios.matrix(SITES[0])
    runs = [load_run(file.parent) for file in out.glob("*/*/run.json")]
    needed = [("4.3.1", "request")]
    kept = prune_data(clusters_of_matrix(out, runs, needed))
    assert [home.name.partition("-")[0] for home in kept] == ["request"] * len(kept)
    left = [path for path in out.rglob("*.log") if "__cluster_metadata" in str(path)]
    assert {path.relative_to(out).parts[2].partition("-")[0] for path in left} == {"request"}
    assert prune_data(clusters_of_matrix(out, runs, [])) == []


@pytest.mark.scenario("step-down-read")
def test_a_stalled_leader_steps_down_once_per_partition_and_acks_go_on(
    scenarios: RecordedScenarios,
) -> None:
    stepped = scenarios.cells("step-down-read")["step-down"]
    assert (stepped["leader_changes"], stepped["most_step_downs"]) == ([2], [1])
    assert stepped["step_downs"] == [2]
    assert stepped["max_ack_gap_ms"][0] < stepped["evidence"][0]["acted_ms"] / 2
    assert (stepped["lost"], stepped["agent_errors"]) == ([0], [0])
    page = (scenarios.run("step-down-read") / "report.html").read_text(encoding="utf-8")
    assert "Leaders changed 2 times, 2 of them by stepping down." in page
    assert "alter-partition" in page


@pytest.mark.scenario("read-stall")
@pytest.mark.parametrize("arm", ["stock", "off"])
def test_in_other_arms_no_leader_changes_and_no_step_down_event_is_written(
    scenarios: RecordedScenarios, arm: str
) -> None:
    cell, out = scenarios.cells("read-stall")[arm], scenarios.run("read-stall")
    assert cell["leader_changes"] == [0]
    assert cell["max_ack_gap_ms"][0] > cell["evidence"][0]["acted_ms"] * 0.8, "acks wait"
    assert not (out / "events" / arm / "step-downs.jsonl").exists()
    if arm == "off":
        found = events(scenarios, "read-stall", "off")
        assert not [line for line in found if line["type"].startswith("step_down")]
        assert policies(found) == {"time"}


@pytest.mark.scenario("step-down-read")
def test_the_controllers_agent_reports_replaced_leaders(scenarios: RecordedScenarios) -> None:
    out = scenarios.run("step-down-read")
    last = lines_of(out, "step-down", "controller.jsonl")[-1]
    assert (last["woven"], last["errors"]) == (True, 0)
    lines = lines_of(out, "step-down", "broker-100.jsonl")
    relieved = [line for line in lines if line["type"] == "leader_relieved"]
    assert {line["partition"] for line in relieved if line["leader"] == 1} >= {0, 1}
    assert all(line["leaves"] and line["leader"] not in line["isr"] for line in relieved)


@pytest.mark.long
def test_a_cluster_may_be_without_eligible_leader_replicas(every_arm: RecordedScenarios) -> None:
    """Below min ISR, a version with eligible leader replicas names some that left the ISR."""
    named = {}
    for arm in ("stock", "elr-off"):
        lines = lines_of(every_arm.run("step-down-send"), arm, "isr.jsonl")
        alone = [line for line in lines if len(line["isr"] or [1, 2]) < 2]
        assert alone, f"{arm}: nothing fell below min ISR"
        named[arm] = [bool(line["elr"]) for line in alone]
    assert all(named["stock"])
    assert not any(named["elr-off"])


@pytest.mark.long
def test_by_messages_a_burst_drops_followers_for_a_moment(every_arm: RecordedScenarios) -> None:
    found = events(every_arm, "burst", "messages-4")
    shrinks = [event for event in found if event["type"] == "isr_shrink"]
    assert shrinks
    for shrink in shrinks:
        assert shrink["reason"] == f"{LAG_POLICY}=messages:4"
        assert all(follower["lag_ms"] < LAG_MS for follower in shrink["followers"])
    assert any(event["type"] == "isr_expand" for event in found)
    assert policies(found) == {"messages:4"}
    assert every_arm.cells("burst")["messages-4"]["agent_errors"] == [0]


def events(scenarios: RecordedScenarios, name: str, arm: str) -> list[dict[str, Any]]:
    brokers = range(1, BROKERS + 1)
    out = scenarios.run(name)
    return [line for broker in brokers for line in lines_of(out, arm, f"broker-{broker}.jsonl")]


def policies(found: list[dict[str, Any]]) -> set[str]:
    return {event[LAG_POLICY] for event in found if event["type"] == "settings"}
