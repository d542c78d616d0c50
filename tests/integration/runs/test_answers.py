"""Single answers of real nodes: they never come, come late, with an error, or as a reset."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from event_lines import lines_of
from fault_runs import run_faults, small_scenario, weaknesses
from insync.nodes import ACTIVE_CONTROLLER

ANSWER = {"kind": "answer", "at_ms": 1_000, "for_ms": 3_000}
LATER = {"kind": "answer", "at_ms": 4_100, "for_ms": 3_500}
FAULTS: list[dict[str, Any]] = [
    {**ANSWER, "broker": 1, "api": "Produce", "mode": "error", "error": "NOT_LEADER_OR_FOLLOWER",
     "processed": False, "calls": 4, "from_call": 5},
    {**ANSWER, "broker": 1, "api": "Fetch", "mode": "error", "error": "NOT_LEADER_OR_FOLLOWER"},
    {**ANSWER, "broker": 2, "api": "Produce", "mode": "delay", "delay_ms": 700},
    {**ANSWER, "broker": 2, "api": "Fetch", "to": "brokers", "mode": "reset"},
    {**ANSWER, "broker": 3, "api": "Produce", "mode": "reset", "processed": False},
    {**ANSWER, "broker": 3, "api": "Fetch", "to": "broker 1", "mode": "error",
     "error": "UNKNOWN_LEADER_EPOCH", "calls": 2},
    {**ANSWER, "target": "leader of 0", "topic": "__consumer_offsets", "api": "OffsetCommit",
     "mode": "error", "error": "COORDINATOR_LOAD_IN_PROGRESS"},
    {**LATER, "broker": 2, "api": "Produce", "mode": "error", "error": "NOT_ENOUGH_REPLICAS",
     "processed": False, "calls": 4},
    # Only this leader appends the records, too, and a producer that is not idempotent sends again.
    {**LATER, "broker": 3, "api": "Produce", "mode": "error", "error": "NOT_LEADER_OR_FOLLOWER",
     "calls": 4},
    # A follower that gets no answer leaves the ISR, which the leader asks the controller for.
    {**LATER, "broker": 1, "api": "Fetch", "to": "broker 3", "mode": "drop"},
    {**LATER, "broker": 100, "api": "AlterPartition", "to": "broker 1", "mode": "error",
     "error": "STALE_BROKER_EPOCH", "whole": True},
    {**LATER, "broker": 100, "api": "AlterPartition", "to": "brokers", "mode": "delay",
     "delay_ms": 300, "from_call": 2},
    # Nobody asks for this.
    {**ANSWER, "broker": 2, "api": "EndTxn", "mode": "drop"},
]  # fmt: skip


def test_each_mode_acts_on_the_calls_that_it_names(tmp_path: Path) -> None:
    """Records are there twice only if an error came instead of a success: no client can know."""
    load = {"acks": "1", "groups": [{"members": 1}]}
    # With acks=all, leaders would answer no producer while a follower gets no answers.
    seen = run_faults(tmp_path, small_scenario("answers", FAULTS, workload=load))
    weak = [list(weaknesses(plan, line)) for plan, line in seen]
    assert not any(weak[:-1]), weak
    assert weak[-1] == ["no evidence of the answer: answers was 0, expected at least 1"]
    figures = [line["figures"] for _, line in seen]
    assert [each["answers"] for each in figures] == [4, 1, 1, 1, 1, 2, 1, 4, 4, 1, 1, 1, 0]
    assert figures[2]["longest_ms"] >= 700
    run = tmp_path / "run"
    reads = Counter(
        (line["partition"], line["seq"])
        for line in lines_of(run, "stock", "consume-0.jsonl")
        if not line["fresh"]
    )
    acked = [line for line in lines_of(run, "stock", "produce-0.jsonl") if line["error"] is None]
    assert {(line["partition"], line["seq"]) for line in acked} <= set(reads)
    assert {partition for (partition, _), times in reads.items() if times > 1} == {2}


QUORUM: list[dict[str, Any]] = [
    {"kind": "quorum-link", "target": "active controller", "mode": "delay", "delay_ms": 50,
     "direction": "from", "others": 1, "at_ms": 600, "for_ms": 1_000},
    {**ANSWER, "target": "active controller", "api": "Fetch", "to": "controllers", "mode": "reset",
     "at_ms": 600, "for_ms": 1_000},
    {**ANSWER, "target": "active controller", "api": "BrokerHeartbeat", "to": "broker 3",
     "mode": "error", "error": "NOT_CONTROLLER", "at_ms": 600, "for_ms": 1_000},
    {"kind": "controller-link", "broker": 2, "mode": "cut", "at_ms": 2_000, "for_ms": 800},
    {"kind": "quorum-link", "target": "active controller", "mode": "cut", "at_ms": 3_000,
     "for_ms": 1_200},
]  # fmt: skip


@pytest.mark.long
def test_links_and_answers_of_three_controllers(tmp_path: Path) -> None:
    broker = {"controllers": 3, "broker_session_timeout_ms": 6_000}
    seen = run_faults(tmp_path, small_scenario("quorum", QUORUM, broker=broker))
    weak = [list(weaknesses(plan, line)) for plan, line in seen]
    assert not any(weak), weak
    nodes = {line["figures"]["node"] for _, line in seen if "node" in line["figures"]}
    assert nodes <= {100, 101, 102}
    assert {plan["broker"] for plan, _ in seen} == {ACTIVE_CONTROLLER, 2}
