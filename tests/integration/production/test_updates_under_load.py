"""How soon an update of the agent's configs is in force in a broker that is busy."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import pytest
from confluent_kafka import Producer

from insync.arms import FEATURE
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.broker_configs import update
from insync.brokers.cluster.local import LocalCluster
from integration.production.checks import ALL, TOPIC, WITHIN_S, StartCluster, of_type, server
from waiting import wait_for

pytestmark = pytest.mark.cluster

UPDATES = 10


@contextmanager
def busy(cluster: LocalCluster) -> Iterator[list[bool]]:
    """Write megabytes a second until the block ends; yields the acks so far."""
    acked: list[bool] = []
    ended = threading.Event()
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "acks": "all", "log_level": 0})
    value = os.urandom(10_000)

    def write() -> None:
        while not ended.is_set():
            for _ in range(10):
                producer.produce(TOPIC, value, on_delivery=lambda error, _: acked.append(not error))
            producer.poll(0.02)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield acked
    finally:
        ended.set()
        thread.join()
        producer.purge()


@pytest.mark.long
def test_an_update_is_in_force_within_a_second_under_load(
    start: StartCluster, agent: AgentSpec
) -> None:
    """From the request to the event by which the broker says that it has applied it, in most."""
    cluster = start(agent=agent)
    create_topic(cluster.bootstrap, TOPIC, [ALL, [2, 3, 1], [3, 1, 2]], {})
    took: list[float] = []
    with busy(cluster) as acked:
        wait_for(lambda: len(acked), lambda now: now > 500, WITHIN_S)
        for number in range(UPDATES):
            began = time.time()
            update(server(cluster, 2), 1, {FEATURE: str(number % 2 == 0).lower()})
            lines = wait_for(
                lambda: of_type(agent, 1, "settings_updated"),
                lambda now, before=number: len(now) > before,
                WITHIN_S,
            )
            took.append(float(str(lines[-1]["t_ms"])) / 1_000 - began)
    print(f"in force after {1e3 * median(took):.0f} ms (median of {UPDATES}), at most"
          f" {1e3 * max(took):.0f} ms, while {len(acked)} records were acked")  # fmt: skip
    assert median(took) < 1.0
