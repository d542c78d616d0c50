"""Brokers of 3.6 to 3.9 that keep their metadata in ZooKeeper, as many clusters still do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from integration.production.checks import (
    ALL,
    LAG,
    STEP_DOWN,
    TOPIC,
    T,
    Writer,
    bridge,
    check_scopes,
    leader,
    of_type,
    stalled_read,
    stays_whole,
    switch,
    switch_off,
    with_pauses,
)

pytestmark = pytest.mark.cluster


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.6.2", "3.7.2", "3.8.1", "3.9.2"])
def test_brokers_on_zookeeper(tmp_path: Path, java: Java, agent: AgentSpec, kafka: str) -> None:
    """Both scopes work. There is no step-down, and the broker says so."""
    dist = distribution(kafka, java)
    dist = replace(dist, release=replace(dist.release, zookeeper=True))
    with LocalCluster(dist, tmp_path / "nodes", agent=with_pauses(agent), settings=LAG) as cluster:
        create_topic(cluster.bootstrap, TOPIC, [ALL], {})
        writer = Writer(cluster.bootstrap, TOPIC)
        with writer.writing():
            check_scopes(cluster, agent)
            with bridge(agent, 1) as broker:
                switch(cluster, broker, STEP_DOWN)
                with stalled_read(broker):
                    stays_whole(cluster, 2.5)
                assert leader(cluster) == 1
                switch_off(cluster, broker)
        writer.check_all_are_there()
    assert len(of_type(agent, 1, "step_down_impossible")) == 1
    said = cluster.nodes[1].log.read_text(encoding="utf-8")
    assert f"{T} has no effect: this broker has no KRaft controller" in said
