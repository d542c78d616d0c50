"""Config updates of running brokers, as `kafka-configs --alter` sends them.

And what an operator sees of the agent: Kafka's metrics over JMX, lines in the broker's log.
"""

import os
import re
import signal
from collections.abc import Mapping

import pytest
from confluent_kafka.admin import (
    AdminClient,
    ConfigEntry,
    ConfigResource,
    ConfigSource,
    ResourceType,
)

from insync.arms import FEATURE, PROCESS_TIME, REQUEST, SCOPE, VIA
from insync.brokers.cluster.admin import create_topic
from insync.workload.prefill import burst
from integration.lab import (
    AT,
    HELD_MS,
    LAG,
    TOPIC,
    Lab,
    Program,
    StartLab,
    equip,
    stalled_read,
)
from waiting import wait_for

COOLDOWN = "insync.relinquish.cooldown.ms"


def alter(lab: Lab, broker: int | None, changes: Mapping[str, str | None], **how: str) -> str:
    """Set configs of a broker, or of all (None); delete those whose value is None."""
    added = ",".join(f"{name}={value}" for name, value in changes.items() if value is not None)
    deleted = ",".join(name for name, value in changes.items() if value is None)
    given = [
        *(["--entity-default"] if broker is None else ["--entity-name", str(broker)]),
        *(["--add-config", added] if added else []),
        *(["--delete-config", deleted] if deleted else []),
    ]
    return lab.configs("--entity-type", "brokers", *given, **how)


def described(bootstrap: str, broker: int) -> dict[str, ConfigEntry]:
    resource = ConfigResource(ResourceType.BROKER, str(broker))
    admin = AdminClient({"bootstrap.servers": bootstrap})
    (answer,) = admin.describe_configs([resource]).values()
    entries: dict[str, ConfigEntry] = answer.result(timeout=20)
    return entries


def await_updates(lab: Lab, count: int, node: int = 1) -> None:
    wait_for(lambda: len(lab.events("settings_updated", node)), count.__eq__)


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.6.2", "3.8.1", "3.9.2", "4.1.2", "4.3.1"])
def test_the_features_are_switched_while_a_read_stalls(start_lab: StartLab, kafka: str) -> None:
    """Off, followers leave the ISR. In both scopes they stay, also while the scope is switched."""
    lab = start_lab(kafka=kafka)
    at = lab.server()
    entry = described(at, 1)[FEATURE]
    assert (entry.value, entry.is_read_only) == ("false", False)

    with lab.writing(), lab.bridge() as leader:
        lab.check_off(leader)
        alter(lab, None, {FEATURE: "true"})
        await_updates(lab, 1)
        for scope, other in (("read", "request"), ("request", "read")):
            alter(lab, 1, {SCOPE: scope})
            wait_for(lambda: described(at, 1)[SCOPE].value, scope.__eq__)
            with stalled_read(leader):
                lab.stays_whole(2.5)
                alter(lab, 1, {SCOPE: other})
                lab.stays_whole(2.5)
            lab.stays_whole(1.0)
        counters = leader.counters()
        assert counters.errors == 0
        assert counters.holds_granted >= 2

        alter(lab, None, {FEATURE: None})
        wait_for(lambda: described(at, 1)[FEATURE].value, "false".__eq__)
        assert ConfigSource(described(at, 1)[FEATURE].source) == ConfigSource.DEFAULT_CONFIG
        wait_for(lambda: leader.counters().pending_now, lambda pending: pending == 0)
        lab.check_off(leader)
        assert leader.counters().errors == 0


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.6.2", "3.8.1", "3.9.2", "4.3.1"])
def test_a_broker_steps_down_once_its_time_limit_is_set(start_lab: StartLab, kafka: str) -> None:
    """The limit is set as the cluster's default while a read stalls; before, nothing happens.

    Broker 1 then restarts: the update stays in force.
    """
    lab = start_lab(kafka=kafka, settings={FEATURE: "true", "replica.lag.time.max.ms": "10000"})
    with lab.bridge() as broker:
        with stalled_read(broker):
            assert lab.leader() == 1
            alter(lab, None, {PROCESS_TIME: "500", COOLDOWN: "1000"})
            lab.await_other_leader()
        assert broker.counters().errors == 0
    (line,) = lab.events("settings_updated")
    assert (line[PROCESS_TIME], line[COOLDOWN]) == (500, 1_000)
    lab.cluster.kill(1)
    lab.cluster.restart(1)
    wait_for(lambda: described(lab.server(), 1)[PROCESS_TIME].value, "500".__eq__, 90)
    await_updates(lab, 2)


@pytest.mark.long
def test_scope_request_counts_the_first_fetch_of_an_earlier_session(start_lab: StartLab) -> None:
    """Such a fetch does not name its partitions. Its read stalls at once; the leader steps down.

    The follower is stopped while the scope is turned on, so that its next fetch is the first one.
    """
    # A fetch that times out would start a new session.
    settings = {"replica.lag.time.max.ms": "20000", "replica.socket.timeout.ms": "120000"}
    lab = start_lab(assignment=[[1, 2]], settings=settings)
    follower = lab.cluster.nodes[2].pid
    with lab.bridge() as broker:
        os.kill(follower, signal.SIGSTOP)
        try:
            changes = {**REQUEST, PROCESS_TIME: "500", COOLDOWN: "1000"}
            alter(lab, 1, changes, servers=lab.server(3))
            await_updates(lab, 1)
            broker.hold("leader-read", partition=AT, max_ms=HELD_MS)
        finally:
            os.kill(follower, signal.SIGCONT)
        lab.await_other_leader(asked=3)
        broker.release("leader-read")
        assert broker.counters().errors == 0


@pytest.mark.long
def test_invalid_values_change_nothing(start_lab: StartLab) -> None:
    """A broker refuses them, and a controller refuses the whole update of which one is part."""
    lab = start_lab(assignment=(), settings={})
    bootstrap = lab.cluster.bootstrap
    alter(lab, None, {FEATURE: "true"})
    await_updates(lab, 1)
    refused = {
        "Invalid value maybe for configuration " + FEATURE: {FEATURE: "maybe"},
        "expected -1 (never) or more than 0": {PROCESS_TIME: "-7"},
        "Invalid value write for configuration " + SCOPE: {SCOPE: "write"},
        "that removes its followers while it is slow has no successor": {
            FEATURE: "false", PROCESS_TIME: "500",
        },
        "Cannot update these configs dynamically": {VIA: "fence"},
    }  # fmt: skip
    for message, changes in refused.items():
        printed = alter(lab, None, changes)
        assert message in printed, printed
    now = described(bootstrap, 1)
    kept = [now[each].value for each in (FEATURE, PROCESS_TIME, SCOPE)]
    assert kept == ["true", "-1", "request"]
    assert now[VIA].is_read_only

    controller = {"servers": f"127.0.0.1:{lab.cluster.controllers[0].port}", "by": "controller"}
    printed = alter(lab, None, {FEATURE: "maybe", COOLDOWN: "9000"}, **controller)
    assert "Invalid value maybe for configuration " + FEATURE in printed, printed
    alter(lab, None, {COOLDOWN: "7000"}, **controller)
    await_updates(lab, 2)
    now = described(bootstrap, 1)
    assert [now[each].value for each in (FEATURE, COOLDOWN)] == ["true", "7000"]


def test_the_kill_switch_turns_all_off_at_once_and_stock_brokers_start_again(
    start_lab: StartLab, program: Program
) -> None:
    """With a fetch pending: its follower leaves the ISR, and the run is void.

    After a roll-back the configs stay in the metadata log, and stock Kafka ignores them.
    """
    lab = start_lab(settings={**LAG, FEATURE: "true"})
    with lab.writing(), lab.bridge() as leader:
        with stalled_read(leader):
            lab.stays_whole(2.5)
            assert program("Disable", str(lab.cluster.nodes[1].pid)).split() == ["false", "true"]
            lab.await_drop()
        wait_for(lambda: leader.counters().pending_now, lambda pending: pending == 0)
        assert leader.counters().errors == 1
        alter(lab, None, {SCOPE: "read", PROCESS_TIME: "500"})
        await_updates(lab, 1, node=3)
        assert not lab.events("settings_updated"), "until the next start"
    assert [line["error"] for line in lab.events("error")] == [
        "disabled over JMX: every hook is a no-op until the next start"
    ]

    for node in (lab.cluster.controllers[0].id, 1, 2):
        equip(lab.cluster, node, agent=False)
        lab.cluster.kill(node)
        lab.cluster.restart(node)
    # Its leader was not restarted: a broker that is still fenced would not lead.
    create_topic(lab.server(3), "later", [[3, 1, 2]], {}, within_s=90)
    stock = described(lab.server(1), 1)
    assert stock[SCOPE].value is None, "as of any config that Kafka does not know"
    assert described(lab.server(3), 3)[SCOPE].value == "read", "half rolled back"


PENDING = "kafka.server:type=PendingReads"


def lines(lab: Lab, logger: str, node: int = 1) -> list[str]:
    """Return the lines that a logger wrote, without their time; the level is the first word."""
    ends = f" ({logger})"
    return [line.partition(" ")[2] for line in lab.log(node).splitlines() if line.endswith(ends)]


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.9.2", "4.3.1"])
def test_a_hold_and_a_step_down_are_seen_in_metrics_and_logs(
    start_lab: StartLab, program: Program, kafka: str
) -> None:
    """The read for one follower stalls: it is held. Then T is set, and the leader steps down."""
    lab = start_lab(kafka=kafka, settings={**LAG, FEATURE: "true", SCOPE: "request"})
    (begun,) = lines(lab, "Agent")
    assert f"runs in Kafka {kafka}. KIP-501: solution 1 is on, scope request;" in begun
    assert "solution 2 is off." in begun

    with lab.bridge() as broker:
        with stalled_read(broker):
            burst(lab.cluster.bootstrap, TOPIC, 0, 1, record_bytes=10)
            held = wait_for(lambda: lines(lab, "PendingReads"), lambda seen: len(seen) == 1)
            assert re.match(r"INFO \[Partition t-0\] Follower [23] stays in the ISR", held[0]), held
            assert "(site read)" in held[0]
            wait_for(
                lambda: lab.jmx(program, f"{PENDING},name=HeldFollowers", "Value"),
                lambda seen: list(seen.values()) == ["1"],
            )
            granted = lab.jmx(program, f"{PENDING},name=HoldsGrantedPerSec,*", "Count")
            assert sorted(granted.values()) == ["0", "0", "0", "1", "1"], granted
            logger = ("--entity-type", "broker-loggers", "--entity-name", "1")
            changed = lab.configs(*logger, "--add-config", "insync.PendingReads=WARN")
            assert "Completed updating" in changed, changed
        wait_for(lambda: broker.counters().held_now, lambda now: now == 0)

        alter(lab, 1, {PROCESS_TIME: "500"})
        wait_for(lambda: lines(lab, "Agent"), lambda seen: "T 500 ms" in seen[-1])
        with stalled_read(broker):
            lab.await_other_leader()
        assert broker.counters().errors == 0
    assert len(lines(lab, "PendingReads")) == 1, "INFO is off since the update"

    told = wait_for(lambda: lines(lab, "StepDown"), lambda seen: len(seen) >= 2)
    assert "This leader steps down (reason slow_fetch, leader epoch 0, " in told[0], told
    assert "is done after" in told[1], told
    controller = lab.cluster.controllers[0].id
    (line,) = lines(lab, "Controller", controller)
    assert "Leader 1 steps down in leader epoch 0 (reason slow_fetch): broker " in line
    for domain, node in {"kafka.server": 1, "kafka.controller": controller}.items():
        name = f"{domain}:name=StepDownsPerSec,reason=slow_fetch,type=StepDown"
        wait_for(
            lambda name=name, node=node: lab.jmx(program, name, "Count", node),
            lambda seen, name=name: seen == {name: "1"},
        )
