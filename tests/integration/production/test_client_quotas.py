"""Clients that exceed their quotas are throttled; their leader is not slow because of that."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Producer, ThrottleEvent

from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.kafka.distribution import Distribution
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
    of_type,
    stays_whole,
    switch,
    switch_off,
    with_pauses,
)
from waiting import wait_for

pytestmark = pytest.mark.cluster

GREEDY = "greedy"
QUOTAS = "producer_byte_rate=20000,consumer_byte_rate=20000,request_percentage=5"


def set_quotas(dist: Distribution, cluster: LocalCluster) -> None:
    """Set the quotas of the client that writes more than it may."""
    command = dist.command(
        ["-XX:TieredStopAtLevel=1"],
        "kafka.admin.ConfigCommand",
        *("--bootstrap-server", cluster.bootstrap, "--alter", "--entity-type", "clients"),
        *("--entity-name", GREEDY, "--add-config", QUOTAS),
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert "Completed updating config" in done.stdout, done.stdout + done.stderr


@contextmanager
def greedy(cluster: LocalCluster) -> Iterator[list[float]]:
    """Write 10 times the quota until the block ends; yields the seconds of each throttling."""
    throttled: list[float] = []
    ended = threading.Event()

    def told(event: ThrottleEvent) -> None:
        throttled.append(event.throttle_time)

    producer = Producer(
        {"bootstrap.servers": cluster.bootstrap, "client.id": GREEDY, "throttle_cb": told,
         "acks": "all", "linger.ms": 0, "log_level": 0, "queue.buffering.max.messages": 100}
    )  # fmt: skip

    def write() -> None:
        while not ended.wait(0.05):
            if len(producer) < 50:
                producer.produce(TOPIC, os.urandom(10_000), partition=1)
            producer.poll(0)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield throttled
    finally:
        ended.set()
        thread.join()
        producer.purge()


@pytest.mark.long
def test_throttled_clients_are_no_reason_to_step_down(
    start: StartCluster, dist: Distribution, agent: AgentSpec
) -> None:
    """A client is throttled by the quotas of bytes and of requests during all of the checks."""
    cluster = start(agent=with_pauses(agent), settings=LAG)
    create_topic(cluster.bootstrap, TOPIC, [ALL, ALL], {})
    set_quotas(dist, cluster)
    writer = Writer(cluster.bootstrap, TOPIC)
    with writer.writing(), greedy(cluster) as throttled:
        wait_for(lambda: sum(throttled), lambda seconds: seconds > 1, WITHIN_S)
        with bridge(agent, 1) as broker:
            switch(cluster, broker, STEP_DOWN)
            stays_whole(cluster, 2.5)
            assert not of_type(agent, 1, "step_down")
            switch_off(cluster, broker)
        before = len(throttled)
        check_scopes(cluster, agent)
        check_step_down(cluster, agent)
        wait_for(lambda: len(throttled), lambda now: now > before, WITHIN_S)
    writer.check_all_are_there()
