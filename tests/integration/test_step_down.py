"""Step-downs on real brokers: idle fetches, transactions, and a controller that is gone."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json
from event_lines import lines_of, read_lines
from every_scenario import SEED, RecordedScenarios
from insync.arms import READ, REQUEST
from insync.brokers.cluster.admin import create_topic, partitions
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NodeExtras
from insync_bridge import BridgeClient
from waiting import wait_for

pytestmark = pytest.mark.cluster

WITHOUT_CONTROLLER = """
schema = 1
name = "without-controller"
summary = "the controller is gone as a leader begins to stall"
arms = ["step-down"]
repeats = 1
min_insync_replicas = 2

[broker]
replica_lag_time_max_ms = 2_000
replica_fetch_wait_max_ms = 100
leader_fetch_process_time_max_ms = 400
insync_relinquish_cooldown_ms = 60_000

[workload]
leaders = [1, 1, 2]
rate_per_partition = 25
record_bytes = 200
client_timeout_ms = 1_000
idempotent = true

[timeline]
steady_ms = 1_000
recover_ms = 4_000

[[faults]]
kind = "stall"
site = "send"
mode = "hold"
broker = 1
partitions = [0, 1]
at_ms = 1_000
for_ms = 4_000

[[faults]]
kind = "{kind}"
target = "controller"
at_ms = 1_000
for_ms = {for_ms}
"""


GONE = [("freeze", 6_000), ("kill", 2_000)]
"""What happens to the controller, and for how long (ms)."""

IDLE_S = 12.0
"""More than two fetches of the follower that waits for 5 s."""

StartCluster = Callable[..., LocalCluster]


@pytest.mark.scenario("transactions")
def test_transactions_stay_whole_while_their_leader_and_coordinator_steps_down(
    scenarios: RecordedScenarios,
) -> None:
    arm, out = scenarios.cells("transactions")["step-down"], scenarios.run("transactions")
    assert (arm["lost"], arm["torn"], arm["aborted_read"]) == ([0], [0], [0]), arm["differs"]
    assert arm["duplicated"] == [0]
    assert arm["agent_errors"] == [0]
    assert arm["step_downs"][0] >= 2, "of the partitions that are written"
    events = out / "events" / "step-down"
    ends = Counter(line["end"] for line in read_lines(events / "transactions-0.jsonl"))
    assert ends["committed"] >= 10
    assert ends["aborted"] >= 1
    records = [
        line for line in read_lines(events / "produce-0.jsonl") if line["transaction"] is not None
    ]
    aborted = {
        line["transaction"]
        for line in read_lines(events / "transactions-0.jsonl")
        if line["end"] == "aborted"
    }
    acked = [line for line in records if line["transaction"] in aborted and line["offset"]]
    assert acked, "there was something in the log that must not be read"
    (started,) = [
        line for line in read_lines(events / "phases.jsonl") if line["type"] == "repeat_started"
    ]
    assert started["seed"] == SEED


@pytest.mark.long
@pytest.mark.parametrize(("kind", "for_ms"), GONE)
def test_no_client_hangs_while_there_is_no_controller(
    tmp_path: Path, judge: Callable[..., Any], kind: str, for_ms: int
) -> None:
    """The repeat only ends when every partition takes writes again and has its full ISR."""
    scenario, out = tmp_path / "without-controller.toml", tmp_path / "run"
    scenario.write_text(WITHOUT_CONTROLLER.format(kind=kind, for_ms=for_ms), encoding="utf-8")
    insync_json("run", scenario, "--record-only", "--out", out)
    (verdict,) = judge(out)
    arm = verdict["arms"]["step-down"]
    assert arm["lost"] == [0], verdict["reason"]
    assert arm["duplicated"] == [0]
    assert arm["agent_errors"] == [0]
    assert arm["most_step_downs"][0] <= 1
    faults = {fault["fault"]: fault["acted_ms"] for fault in arm["evidence"]}
    assert faults["stall"] >= 2_000
    assert faults[kind] >= for_ms / 2
    phases = [line["type"] for line in lines_of(out, "step-down", "phases.jsonl")]
    assert phases[-1] == "repeat_ended"


def test_leaders_step_down_for_slow_fetches_and_not_for_idle_ones(
    start: StartCluster, agent: AgentSpec
) -> None:
    """T is the KIP's 500 ms: no more than the fetches of two brokers wait, a tenth of the third's.

    Broker 1 leads in scope "read", broker 2 in scope "request". Then a read stalls at broker 1.
    """
    cluster = start(
        agent=replace(agent, holds=True),
        settings={
            **READ,
            "replica.lag.time.max.ms": "10000",
            "replica.fetch.wait.max.ms": "500",
            "leader.fetch.process.time.max.ms": "500",
        },
        extras={
            2: NodeExtras(settings=REQUEST),
            3: NodeExtras(settings={"replica.fetch.wait.max.ms": "5000"}),
        },
    )
    create_topic(cluster.bootstrap, "idle", [[1, 2, 3], [2, 1, 3]], {})
    create_topic(cluster.bootstrap, "stalled", [[1, 2]], {})
    own = f"127.0.0.1:{cluster.nodes[2].port}"
    time.sleep(IDLE_S)
    assert partitions(own, "idle") == {0: (1, [1, 2, 3]), 1: (2, [1, 2, 3])}
    slow = [line["type"] for number in (1, 2, 3) for line in read_lines(agent.events_file(number))]
    assert not {"step_down", "leader_slow", "peer_slow"} & set(slow)
    with BridgeClient.connect(agent.bridge_dir / "bridge-1.json") as leader:
        leader.hold("leader-read", partition="stalled-0", max_ms=20_000)
        wait_for(lambda: partitions(own, "stalled")[0][0], lambda led_by: led_by == 2)
        leader.release("leader-read")
        assert leader.counters().errors == 0
