"""Clusters whose brokers are controllers, clusters of three controllers, and of ZooKeeper."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from insync.arms import PROCESS_TIME
from insync.brokers.cluster.common import Controllers
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import distribution
from integration.lab import ALL, LAG, STEP_DOWN, WITHIN_S, Lab, StartLab, stalled_read
from waiting import wait_for

QUORUM = [100, 101, 102]
LATE_ELECTION = {"controller.quorum.fetch.timeout.ms": "6000"}
"""The other controllers notice a frozen one after the test has killed it."""


def active_controller(lab: Lab) -> int:
    """Return the id of the controller that became the active one last, by the nodes' logs."""
    became = {}
    for number in QUORUM:
        for line in lab.log(number).splitlines():
            if "Becoming the active controller" in line:
                became[line.partition(" ")[0]] = number
    return became[max(became)]


@contextmanager
def frozen(lab: Lab, number: int) -> Iterator[None]:
    """Freeze a node until the block ends; it may be killed meanwhile."""
    process = lab.cluster.nodes[number].process
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 3])
def test_brokers_that_are_the_controllers(start_lab: StartLab, count: int) -> None:
    """Broker 1 is a controller, with one or two others; its configs are updated while it runs."""
    lab = start_lab(quorum=Controllers(count, combined=True))
    lab.check_all()
    relieved = [line for number in ALL for line in lab.events("leader_relieved", number)]
    assert len(relieved) == 1, "by the active controller"


@pytest.mark.long
@pytest.mark.parametrize("woven", [True, False])
def test_the_active_controller_dies_during_a_step_down(start_lab: StartLab, woven: bool) -> None:
    """It is frozen before the leader asks, so the request is open when it is killed.

    A new controller gets the request. Without the agent it is asked to fence the broker.
    """
    lab = start_lab(
        agent_options={"on_controller": woven},
        settings={**LAG, **LATE_ELECTION},
        quorum=Controllers(3),
    )
    with lab.writing(), lab.bridge() as broker:
        lab.switch(broker, STEP_DOWN)
        active = active_controller(lab)
        with frozen(lab, active), stalled_read(broker):
            wait_for(lambda: broker.counters().step_downs.asked, bool, WITHIN_S)
            assert broker.counters().step_downs.done == 0
            assert lab.leader() == 1
            lab.cluster.kill(active)
            lab.await_other_leader()
        lab.await_isr()
        after = wait_for(lambda: broker.counters().step_downs, lambda now: now.done == 1, WITHIN_S)
        assert after.refused == 0
        answers = lab.events("step_down_answered")
        assert answers[-1]["outcome"] == "done"
        if not woven:
            assert answers[-1]["way"] == "fence"
        lab.switch_off(broker)
    assert active_controller(lab) in set(QUORUM) - {active}


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
