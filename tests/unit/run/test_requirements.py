"""What a scenario requires of brokers and machine, and the faults built from its plan."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.arms import FEATURE
from insync.errors import InsyncError
from insync.progress import Progress
from insync.run.arm_cluster import broker_settings, cluster_spec, open_arm_cluster
from insync.run.requirements import needs, stalled
from insync.scenario.groups import groups
from insync.scenario.load import load, narrow
from unit.engine.cells import cell

MATRIX = groups()["sites"].scenarios
CLOSES_CONNECTIONS = "lost-connection-mid-stall"
"""Needs brokers of its own, which close connections that are idle for seconds."""


def test_only_brokers_whose_calls_stall_run_under_the_shim() -> None:
    found = {name: stalled(load(name)) for name in MATRIX}
    assert found["read-stall"] == found["queue-stall"] == {1}
    assert found["slow-follower"] == {3}
    assert found["freeze"] == found["cpu-starved"] == found["dead-follower"] == set()


def test_every_repeat_needs_its_own_rules() -> None:
    assert needs(narrow(load("two-stalls"), repeats=3)).stall_rules == 3 * 2 * 2
    assert needs(load("queue-stall")).stall_rules == load("queue-stall").broker.num_io_threads
    assert needs(load("freeze")).stall_rules == 0
    assert needs(narrow(load("disk-stall"), repeats=3), broker=1).disk_rules == 9
    assert needs(load("disk-stall"), broker=2).disk_rules == 0


def test_the_scenarios_of_the_matrix_may_share_a_cluster() -> None:
    shared = [name for name in MATRIX if name != CLOSES_CONNECTIONS]
    settings = [broker_settings(load(name), "request") for name in shared]
    assert all(each == settings[0] for each in settings)
    assert settings[0][FEATURE] == "true"
    assert settings[0]["broker.session.timeout.ms"] == "5000"
    assert settings[0]["broker.heartbeat.interval.ms"] == "500"


TIME, LIMITS = "leader.fetch.process.time.max.ms", "insync.relinquish.limits.enable"
RACKS = "replica.selector.class"
RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"
LAG, COOLDOWN = "replica.lag.time.max.ms", "insync.relinquish.cooldown.ms"
REBALANCE, CHECK = "auto.leader.rebalance.enable", "leader.imbalance.check.interval.seconds"
GROUPS = {
    "group.min.session.timeout.ms": "1200",
    "group.consumer.session.timeout.ms": "1200",
    "group.consumer.heartbeat.interval.ms": "120",
}


def test_a_plain_scenario_sets_nothing_else_on_stock_brokers() -> None:
    assert broker_settings(load("kip-501", 0.2), "stock") == {
        LAG: "2000", "replica.fetch.wait.max.ms": "100", "num.io.threads": "4",
        "num.network.threads": "2", REBALANCE: "false",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("scenario", "arm", "expected"),
    [
        ("groups", "stock", GROUPS),
        ("follower-readers", "stock", {RACKS: RACK_AWARE}),
        ("step-down-read", "stock", {LAG: "2000"}),
        ("step-down-read", "raised-lag", {LAG: "12000"}),
        ("step-down-read", "request", {TIME: None}),
        ("step-down-read", "step-down", {TIME: "400", COOLDOWN: "20000", LIMITS: None}),
        ("step-down-read", "step-down-unthrottled", {TIME: "400", LIMITS: "false"}),
        ("step-down-read", "relinquish-only", {TIME: "2000"}),  # the lag limit
        # Kafka knows no shorter interval than a second.
        ("rebalance-pulls-back", "step-down", {REBALANCE: "true", CHECK: "1"}),
        ("transactions", "step-down", {REBALANCE: "false", CHECK: None}),
    ],
)
def test_the_settings_of_brokers_come_from_the_scenario_and_from_the_arm(
    scenario: str, arm: str, expected: dict[str, str | None]
) -> None:
    found = broker_settings(load(scenario, 0.2), arm)
    assert {name: found.get(name) for name in expected} == expected


def test_a_scenario_with_a_stock_controller_needs_its_own_nodes() -> None:
    scenario = load("step-down-read", 0.2)
    broker = scenario.broker.model_copy(update={"controller_agent": False})
    other = scenario.model_copy(update={"broker": broker})
    assert cluster_spec(scenario, "step-down") != cluster_spec(other, "step-down")
    assert cluster_spec(scenario, "stock") == cluster_spec(other, "stock")


def test_brokers_on_zookeeper_may_speak_the_protocol_of_an_older_version() -> None:
    scenario = load("read-stall")
    name = "inter.broker.protocol.version"
    assert name not in broker_settings(scenario, "read")
    broker = scenario.broker.model_copy(update={"inter_broker_protocol_version": "2.6"})
    older = scenario.model_copy(update={"broker": broker})
    assert broker_settings(older, "read")[name] == "2.6"


def test_scenarios_with_different_settings_may_not_share_a_cluster(tmp_path: Path) -> None:
    cells = [cell(name, tmp_path / name) for name in ("kip-501", "read-stall")]
    tools = cast("Any", SimpleNamespace(kafka=None))
    with pytest.raises(InsyncError, match="require different settings"):
        open_arm_cluster(cells, tools, tmp_path, Progress()).__enter__()
