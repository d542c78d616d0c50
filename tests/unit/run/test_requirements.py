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
    assert "broker.session.timeout.ms" not in broker_settings(load("kip-501"), "stock")


def test_the_sessions_of_groups_are_a_setting_of_brokers_too() -> None:
    found = broker_settings(load("groups", scale=0.2), "stock")
    assert found["group.min.session.timeout.ms"] == "1200"
    assert found["group.consumer.session.timeout.ms"] == "1200"
    assert found["group.consumer.heartbeat.interval.ms"] == "120"
    others = broker_settings(load("kip-501"), "stock")
    assert not [name for name in others if name.startswith("group.")]


def test_brokers_have_racks_where_consumers_read_from_followers() -> None:
    found = broker_settings(load("follower-readers"), "stock")
    assert found["replica.selector.class"].endswith(".RackAwareReplicaSelector")
    assert "replica.selector.class" not in broker_settings(load("kip-501"), "stock")


def test_the_settings_of_an_arm_come_from_the_scenario_and_from_the_arm() -> None:
    scenario = load("step-down-read", 0.2)
    time, limits = "leader.fetch.process.time.max.ms", "insync.relinquish.limits.enable"
    limited, unthrottled = (
        broker_settings(scenario, arm) for arm in ("step-down", "step-down-unthrottled")
    )
    assert (limited[time], limited["insync.relinquish.cooldown.ms"]) == ("400", "20000")
    assert limits not in limited
    assert (unthrottled[time], unthrottled[limits]) == ("400", "false")
    assert broker_settings(scenario, "relinquish-only")[time] == "2000", "the lag limit"
    assert time not in broker_settings(scenario, "request")
    lags = [
        broker_settings(scenario, arm)["replica.lag.time.max.ms"] for arm in ("stock", "raised-lag")
    ]
    assert lags == ["2000", "12000"]


def test_a_scenario_with_a_stock_controller_needs_its_own_nodes() -> None:
    scenario = load("step-down-read", 0.2)
    broker = scenario.broker.model_copy(update={"controller_agent": False})
    other = scenario.model_copy(update={"broker": broker})
    assert cluster_spec(scenario, "step-down") != cluster_spec(other, "step-down")
    assert cluster_spec(scenario, "stock") == cluster_spec(other, "stock")


def test_leaders_are_restored_only_if_the_scenario_says_so() -> None:
    on = broker_settings(load("rebalance-pulls-back", 0.2), "step-down")
    assert on["auto.leader.rebalance.enable"] == "true"
    assert on["leader.imbalance.check.interval.seconds"] == "1", "Kafka knows no less"
    off = broker_settings(load("transactions"), "step-down")
    assert off["auto.leader.rebalance.enable"] == "false"
    assert "leader.imbalance.check.interval.seconds" not in off


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
