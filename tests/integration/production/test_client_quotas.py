"""Clients that exceed their quotas are throttled; their leader is not slow because of that."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from confluent_kafka import Producer, ThrottleEvent

from integration.lab import ALL, STEP_DOWN, TOPIC, WITHIN_S, Lab, StartLab, repeated
from waiting import wait_for

GREEDY = "greedy"
QUOTAS = "producer_byte_rate=20000,consumer_byte_rate=20000,request_percentage=5"


@contextmanager
def greedy(lab: Lab) -> Iterator[list[float]]:
    """Write 10 times the quota until the block ends; yields the seconds of each throttling."""
    throttled: list[float] = []

    def told(event: ThrottleEvent) -> None:
        throttled.append(event.throttle_time)

    producer = Producer(
        {"bootstrap.servers": lab.cluster.bootstrap, "client.id": GREEDY, "throttle_cb": told,
         "acks": "all", "linger.ms": 0, "log_level": 0, "queue.buffering.max.messages": 100}
    )  # fmt: skip

    def write() -> None:
        if len(producer) < 50:
            producer.produce(TOPIC, os.urandom(10_000), partition=1)
        producer.poll(0)

    with repeated(write, 0.05):
        yield throttled
    producer.purge()


@pytest.mark.long
def test_throttled_clients_are_no_reason_to_step_down(start_lab: StartLab) -> None:
    """A client is throttled by the quotas of bytes and of requests during all of the checks."""
    lab = start_lab(assignment=[ALL, ALL])
    of_it = ("--entity-type", "clients", "--entity-name", GREEDY)
    said = lab.configs(*of_it, "--add-config", QUOTAS)
    assert "Completed updating config" in said, said
    with lab.writing(), greedy(lab) as throttled:
        wait_for(lambda: sum(throttled), lambda seconds: seconds > 1, WITHIN_S)
        with lab.bridge() as broker:
            lab.switch(broker, STEP_DOWN)
            lab.stays_whole(2.5)
            assert not lab.events("step_down")
            lab.switch_off(broker)
        before = len(throttled)
        lab.check_scopes()
        lab.check_step_down()
        wait_for(lambda: len(throttled), lambda now: now > before, WITHIN_S)
