"""Brokers that authenticate by SASL/SCRAM and are authorized by Kafka's StandardAuthorizer.

No one may do what no ACL allows. The test's own looks and config updates are anonymous, and have
ACLs for them.
"""

from pathlib import Path

import pytest
from confluent_kafka.admin import AclOperation

from insync.arms import VIA
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec, NodeExtras
from insync.brokers.cluster.ready import await_ready
from insync.brokers.kafka.distribution import Distribution
from integration.lab import STEP_DOWN, TOPIC, WITHIN_S, stalled_read
from integration.production.scram import (
    CLUSTER,
    SETTINGS,
    SUPER,
    allow,
    as_client,
    create,
    prepare,
    with_scram,
)
from waiting import wait_for


@pytest.mark.long
def test_brokers_that_are_super_users(dist: Distribution, tmp_path: Path, agent: AgentSpec) -> None:
    with with_scram(dist, tmp_path, agent, {}) as lab:
        create(lab, prepare(lab))
        lab.check_all(**as_client(lab))


@pytest.mark.long
def test_brokers_that_have_cluster_action_only(
    dist: Distribution, tmp_path: Path, agent: AgentSpec
) -> None:
    """They need no more: neither a controller with the agent nor a stock one, which fences.

    Broker 2 asks to be fenced, as under a controller without the agent.
    """
    extras = {2: NodeExtras(settings={VIA: "fence"})}
    with with_scram(dist, tmp_path, agent, extras) as lab:
        admin = prepare(lab)
        allow(admin, "broker", CLUSTER, AclOperation.CLUSTER_ACTION)
        without_super_users(lab.cluster)
        create(lab, admin)
        lab.check_all(**as_client(lab))
        with lab.bridge(2) as broker:
            lab.switch(broker, STEP_DOWN)
            with stalled_read(broker, f"{TOPIC}-1"):
                lab.await_other_leader(partition=1, than=2, asked=1)
            wait_for(lambda: broker.counters().step_downs.done, bool, WITHIN_S)
            answers = lab.events("step_down_answered", 2)
            (answer,) = [each for each in answers if each["partition"] == 1]
            assert (answer["outcome"], answer["way"]) == ("done", "fence")
            assert broker.counters().errors == 0


def without_super_users(cluster: LocalCluster) -> None:
    """Restart every node; the brokers' user is not a super user any more."""
    nodes = list(cluster.nodes)
    for number in nodes:
        cluster.kill(number)
        file = cluster.nodes[number].folder / "server.properties"
        text = file.read_text(encoding="ascii")
        assert f"{SUPER}={SETTINGS[SUPER]}\n" in text
        file.write_text(text.replace(";User:broker", ""), encoding="ascii")
    for number in nodes:
        cluster.restart(number)
    await_ready(tuple(cluster.nodes.values()), WITHIN_S)
