"""Kafka and the agent are upgraded, or downgraded, node by node: every mixture is safe."""

from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from fault_runs import running
from insync.brokers.cluster.admin import create_topic, update_broker
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec
from insync.brokers.cluster.ready import await_ready
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from insync.nodes import CONTROLLER_ID
from integration.lab import ALL, LAG, STEP_DOWN, TOPIC, WITHIN_S, Lab, StartLab, equip
from waiting import wait_for

OTHER = "u"
SHORT_SESSION = {"broker.session.timeout.ms": "3000"}
"""A killed broker may register again after its session has ended."""


def restart(cluster: LocalCluster, number: int) -> None:
    """Kill a node, start it as it is planned now, and wait until it serves again."""
    cluster.kill(number)
    cluster.restart(number)
    await_ready(tuple(cluster.nodes.values()), WITHIN_S)


@pytest.mark.long
@pytest.mark.parametrize("before", ["4.1.2", "3.9.2"])
def test_a_rolling_upgrade_of_kafka_and_of_the_agent(
    start_lab: StartLab, dist: Distribution, before: str
) -> None:
    """First one broker has the new Kafka and the agent, then a second one, then every node.

    Stock controllers of the older version fence a broker that steps down.
    """
    lab = start_lab(
        kafka=before, agent_options={"nodes": ()}, assignment=(), settings={**LAG, **SHORT_SESSION}
    )
    assert not lab.agent.events_file(1).exists(), "all nodes are stock"
    for number in (1, 2):
        to_woven(lab.cluster, number, dist)
    with lab.bridge() as broker:
        assert broker.broker_version() == dist.version
    create_topic(lab.cluster.bootstrap, TOPIC, [ALL], {})
    with lab.writing():
        lab.check_scopes()
        lab.check_step_down()
        (answer,) = lab.events("step_down_answered")
        assert (answer["outcome"], answer["way"]) == ("done", "fence")
        for number in (3, CONTROLLER_ID):
            to_woven(lab.cluster, number, dist)
        lab.await_isr()

    create_topic(lab.cluster.bootstrap, OTHER, [ALL], {})
    with lab.writing(OTHER):
        lab.check_scopes(topic=OTHER)
        lab.check_step_down(topic=OTHER)
    answers = [each for each in lab.events("step_down_answered") if each["topic"] == OTHER]
    assert [each["way"] for each in answers] == ["alter-partition"]


def to_woven(cluster: LocalCluster, number: int, new: Distribution) -> None:
    """Restart a node with the newer Kafka and the agent."""
    equip(cluster, number, agent=True)
    cluster.dist = new
    restart(cluster, number)


@pytest.mark.long
def test_a_rolling_downgrade_of_kafka_and_of_the_agent(
    tmp_path: Path, dist: Distribution, java: Java, agent: AgentSpec
) -> None:
    """A cluster at 4.1's feature level runs 4.3.1 with the agent, and goes back to stock 4.1.2.

    Updates of the agent's configs stay in the metadata log, where stock brokers ignore them.
    """
    old, agent = distribution("4.1.2", java), replace(agent, holds=True)
    formatted = replace(dist, formats=old.formats)
    settings = {**LAG, **SHORT_SESSION}
    cluster = LocalCluster(formatted, tmp_path / "nodes", agent=agent, settings=settings)
    lab = Lab(cluster, agent)
    with cluster:
        create_topic(cluster.bootstrap, TOPIC, [ALL], {})
        with lab.writing():
            lab.check_step_down()
            for number in (3, CONTROLLER_ID):
                to_stock(cluster, number, old)
            lab.await_isr()
            running(lab.cluster).elect(TOPIC, [0])  # as an operator does
            wait_for(lab.leader, lambda now: now == 1, WITHIN_S)
            lab.check_scopes()
            lab.check_step_down()
            ways = [each["way"] for each in lab.events("step_down_answered")]
            assert ways == ["alter-partition", "fence"]
            for number in (1, 2):
                update_broker(lab.server(number), number, STEP_DOWN)
            for number in (1, 2):
                to_stock(cluster, number, old)
                lab.await_isr(asked=3)
        for node in cluster.nodes.values():
            command = " ".join(psutil.Process(node.pid).cmdline())
            assert "kafka/4.1.2" in command
            assert "-javaagent" not in command


def to_stock(cluster: LocalCluster, number: int, old: Distribution) -> None:
    """Restart a node with the older Kafka and without the agent."""
    equip(cluster, number, agent=False)
    cluster.dist = old
    restart(cluster, number)
