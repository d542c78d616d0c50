"""KIP-501's solution 2 on real brokers: a stalled leader steps down once; stock and off do not."""

from __future__ import annotations

import pytest

from event_lines import lines_of
from every_scenario import RecordedScenarios

pytestmark = pytest.mark.cluster


@pytest.mark.scenario("step-down-read")
def test_a_stalled_leader_steps_down_once_per_partition_and_acks_go_on(
    scenarios: RecordedScenarios,
) -> None:
    stepped = scenarios.cells("step-down-read")["step-down"]
    assert (stepped["leader_changes"], stepped["most_step_downs"]) == ([2], [1])
    assert stepped["step_downs"] == [2]
    assert stepped["max_ack_gap_ms"][0] < stepped["evidence"][0]["acted_ms"] / 2
    assert (stepped["lost"], stepped["agent_errors"]) == ([0], [0])


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
        lines = lines_of(out, arm, "broker-1.jsonl")
        assert not [line for line in lines if line["type"].startswith("step_down")]


@pytest.mark.scenario("step-down-read")
def test_the_controllers_agent_reports_which_leaders_it_replaced(
    scenarios: RecordedScenarios,
) -> None:
    out = scenarios.run("step-down-read")
    last = lines_of(out, "step-down", "controller.jsonl")[-1]
    assert (last["woven"], last["errors"]) == (True, 0)
    lines = lines_of(out, "step-down", "broker-100.jsonl")
    relieved = [line for line in lines if line["type"] == "leader_relieved"]
    assert {line["partition"] for line in relieved if line["leader"] == 1} >= {0, 1}
    assert all(line["leaves"] and line["leader"] not in line["isr"] for line in relieved)


@pytest.mark.scenario("step-down-read")
def test_the_report_names_the_step_downs(scenarios: RecordedScenarios) -> None:
    out = scenarios.run("step-down-read")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Leaders changed 2 times, 2 of them by stepping down." in page
    assert "alter-partition" in page


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
