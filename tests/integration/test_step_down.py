"""Step-downs on real brokers: idle fetches, transactions, and a controller that is gone."""

import os
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json
from event_lines import lines_of
from every_scenario import SEED, RecordedScenarios
from fault_runs import small_scenario
from insync.arms import PROCESS_TIME, READ, REQUEST
from insync.brokers.cluster.admin import create_topic, partitions
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.cluster.quorum.metadata_log import isr_events
from insync.brokers.kafka.distribution import Distribution
from integration.lab import ALL, TOPIC, StartLab, stalled_read

SLOW = {"leader_slow", "peer_slow", "step_down"}
GONE = [("freeze", 6_000), ("kill", 2_000)]
"""What happens to the controller, and for how long (ms)."""

IDLE_S = 60 * float(os.environ.get("INSYNC_IDLE_MINUTES", "0.12"))
"""More than one fetch of the follower that waits longest."""
WAITS_MS = {1: "500", 2: "2000", 3: "5000"}
"""replica.fetch.wait.max.ms of each broker; T is shorter than two of them."""


@pytest.mark.scenario("transactions")
def test_transactions_stay_whole_while_their_leader_and_coordinator_steps_down(
    scenarios: RecordedScenarios,
) -> None:
    arm, out = scenarios.cells("transactions")["step-down"], scenarios.run("transactions")
    assert (arm["lost"], arm["torn"], arm["aborted_read"]) == ([0], [0], [0]), arm["reason"]
    assert arm["duplicated"] == [0]
    assert arm["agent_errors"] == [0]
    assert arm["step_downs"][0] >= 2, "of the partitions that are written"
    ended = lines_of(out, "step-down", "transactions-0.jsonl")
    ends = Counter(line["end"] for line in ended)
    assert ends["committed"] >= 10
    aborted = {line["transaction"] for line in ended if line["end"] == "aborted"}
    produced = lines_of(out, "step-down", "produce-0.jsonl")
    acked = [line for line in produced if line["transaction"] in aborted and line["offset"]]
    assert acked, "there was something in the log that must not be read"
    phases = lines_of(out, "step-down", "phases.jsonl")
    assert [line["seed"] for line in phases if line["type"] == "repeat_started"] == [SEED]


@pytest.mark.long
@pytest.mark.parametrize(("kind", "for_ms"), GONE)
def test_no_client_hangs_while_there_is_no_controller(
    tmp_path: Path, judge: Callable[..., Any], kind: str, for_ms: int
) -> None:
    """The repeat only ends when every partition takes writes again and has its full ISR."""
    scenario, out = tmp_path / "without-controller.toml", tmp_path / "run"
    faults = [
        {
            "kind": "stall", "site": "send", "mode": "hold", "broker": 1, "partitions": [0, 1],
            "at_ms": 1_000, "for_ms": 4_000,
        },
        {"kind": kind, "target": "controller", "at_ms": 1_000, "for_ms": for_ms},
    ]  # fmt: skip
    text = small_scenario(
        "without-controller", faults, arms=["step-down"], min_insync_replicas=2,
        broker={
            "replica_fetch_wait_max_ms": 100, "broker_session_timeout_ms": 9_000,
            "leader_fetch_process_time_max_ms": 400, "insync_relinquish_cooldown_ms": 60_000,
        },
        workload={"leaders": [1, 1, 2], "client_timeout_ms": 1_000, "idempotent": True},
        timeline={"steady_ms": 1_000, "recover_ms": 4_000},
    )  # fmt: skip
    scenario.write_text(text, encoding="utf-8")
    insync_json("run", scenario, "--record-only", "--out", out)
    (verdict,) = judge(out)
    arm = verdict["arms"]["step-down"]
    assert arm["lost"] == [0], verdict["reason"]
    assert arm["duplicated"] == [0]
    assert arm["agent_errors"] == [0]
    assert arm["most_step_downs"][0] <= 1
    acted = {fault["fault"]: fault["acted_ms"] for fault in arm["evidence"]}
    assert acted["stall"] >= 2_000
    assert acted[kind] >= for_ms / 2
    phases = [line["type"] for line in lines_of(out, "step-down", "phases.jsonl")]
    assert phases[-1] == "repeat_ended"


def test_leaders_step_down_for_slow_fetches_and_not_for_idle_ones(
    start_lab: StartLab, dist: Distribution
) -> None:
    """Broker 1 leads in scope "read", the others in scope "request"; at last a read stalls at 1.

    The step-down for the stalled read shows that idle fetches were watched all the time.
    """
    lab = start_lab(
        assignment=[[1, 2, 3], [2, 3, 1], [3, 1, 2], [1, 3, 2], [2, 1, 3], [3, 2, 1]],
        settings={**REQUEST, "replica.lag.time.max.ms": "10000", PROCESS_TIME: "1500"},
        extras={
            number: NodeExtras(
                settings={**(READ if number == 1 else {}), "replica.fetch.wait.max.ms": wait}
            )
            for number, wait in WAITS_MS.items()
        },
    )
    create_topic(lab.cluster.bootstrap, "stalled", [[1, 2]], {})
    created = partitions(lab.server(), TOPIC)
    time.sleep(IDLE_S)
    for number in ALL:
        with lab.bridge(number) as broker:
            counters = broker.counters()
        assert counters.errors == 0, counters.last_error
        assert counters.step_downs.asked == 0
        assert counters.marks_total > IDLE_S * 1_000 / max(map(int, WAITS_MS.values()))
        assert not SLOW & {line["type"] for line in lab.events(node=number)}
    assert partitions(lab.server(), TOPIC) == created
    idle = [line for line in isr_events(lab.cluster, dist, "") if line["topic"] == TOPIC]
    assert len(idle) == len(created), "no other leader or epoch since they were created"

    with lab.bridge() as leader:
        with stalled_read(leader, "stalled-0"):
            lab.await_other_leader("stalled")
        assert leader.counters().errors == 0
    assert [line["topic"] for line in lab.events("step_down")].count("stalled") == 1
