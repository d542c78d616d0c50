"""Clusters whose brokers are controllers, too, and clusters of three controllers."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.plans import Controllers
from integration.production.checks import (
    ALL,
    LAG,
    STEP_DOWN,
    TOPIC,
    WITHIN_S,
    StartCluster,
    Writer,
    bridge,
    check_scopes,
    check_step_down,
    isr,
    leader,
    of_type,
    stalled_read,
    switch,
    switch_off,
    with_pauses,
)
from waiting import wait_for

pytestmark = pytest.mark.cluster

QUORUM = [100, 101, 102]
LATE_ELECTION = {"controller.quorum.fetch.timeout.ms": "6000"}
"""The other controllers notice a frozen one after the test has killed it."""


def active_controller(cluster: LocalCluster) -> int:
    """Return the id of the controller that became the active one last, by the nodes' logs."""
    became = {}
    for number in QUORUM:
        for line in cluster.nodes[number].log.read_text(encoding="utf-8").splitlines():
            if "Becoming the active controller" in line:
                became[line.partition(" ")[0]] = number
    return became[max(became)]


@contextmanager
def frozen(cluster: LocalCluster, number: int) -> Iterator[None]:
    """Freeze a node until the block ends; it may be killed meanwhile."""
    process = cluster.nodes[number].process
    process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        process.send_signal(signal.SIGCONT)


@pytest.mark.long
@pytest.mark.parametrize("count", [1, 3])
def test_brokers_that_are_the_controllers(
    start: StartCluster, agent: AgentSpec, count: int
) -> None:
    """Broker 1 is a controller, with one or two others; its configs are updated while it runs."""
    cluster = start(
        agent=with_pauses(agent), settings=LAG, controllers=Controllers(count, combined=True)
    )
    create_topic(cluster.bootstrap, TOPIC, [ALL], {})
    writer = Writer(cluster.bootstrap, TOPIC)
    with writer.writing():
        check_scopes(cluster, agent)
        check_step_down(cluster, agent)
    writer.check_all_are_there()
    relieved = [line for number in ALL for line in of_type(agent, number, "leader_relieved")]
    assert len(relieved) == 1, "by the active controller"


@pytest.mark.long
@pytest.mark.parametrize("woven", [True, False])
def test_the_active_controller_dies_in_the_middle_of_a_step_down(
    start: StartCluster, agent: AgentSpec, woven: bool
) -> None:
    """It is frozen before the leader asks, so the request is open when it is killed.

    A new controller gets the request. Without the agent it is asked to fence the broker.
    """
    cluster = start(
        agent=replace(with_pauses(agent), on_controller=woven),
        settings={**LAG, **LATE_ELECTION},
        controllers=Controllers(3),
    )
    create_topic(cluster.bootstrap, TOPIC, [ALL], {})
    writer = Writer(cluster.bootstrap, TOPIC)
    with writer.writing(), bridge(agent, 1) as broker:
        switch(cluster, broker, STEP_DOWN)
        active = active_controller(cluster)
        with frozen(cluster, active), stalled_read(broker):
            wait_for(lambda: broker.counters().step_downs.asked, bool, WITHIN_S)
            assert broker.counters().step_downs.done == 0
            assert leader(cluster) == 1
            cluster.kill(active)
            wait_for(lambda: leader(cluster), lambda now: now != 1, WITHIN_S)
        wait_for(lambda: isr(cluster), lambda now: now == ALL, WITHIN_S)
        after = wait_for(lambda: broker.counters().step_downs, lambda now: now.done == 1, WITHIN_S)
        assert after.refused == 0
        answers = of_type(agent, 1, "step_down_answered")
        assert answers[-1]["outcome"] == "done"
        if not woven:
            assert answers[-1]["way"] == "fence"
        switch_off(cluster, broker)
    writer.check_all_are_there()
    assert active_controller(cluster) in set(QUORUM) - {active}
