"""Brokers of 3.6 to 3.9 that keep their metadata in ZooKeeper, as many clusters still do."""

from dataclasses import replace

import pytest

from insync.arms import PROCESS_TIME
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from integration.lab import STEP_DOWN, StartLab, stalled_read


@pytest.mark.long
@pytest.mark.parametrize("kafka", ["3.6.2", "3.7.2", "3.8.1", "3.9.2"])
def test_brokers_on_zookeeper(start_lab: StartLab, java: Java, kafka: str) -> None:
    """Both scopes work. There is no step-down, and the broker says so."""
    dist = distribution(kafka, java)
    lab = start_lab(dist=replace(dist, release=replace(dist.release, zookeeper=True)))
    with lab.writing():
        lab.check_scopes()
        with lab.bridge() as broker:
            lab.switch(broker, STEP_DOWN)
            with stalled_read(broker):
                lab.stays_whole(2.5)
            assert lab.leader() == 1
            lab.switch_off(broker)
    assert len(lab.events("step_down_impossible")) == 1
    assert f"{PROCESS_TIME} has no effect: this broker has no KRaft controller" in lab.log()
