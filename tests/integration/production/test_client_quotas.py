"""Clients that are greedy: their leader is not slow because of that, and takes updates at once."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import pytest
from confluent_kafka import Producer, ThrottleEvent

from insync.arms import FEATURE
from insync.brokers.cluster.admin import update_broker
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


UPDATES = 10


@contextmanager
def busy(lab: Lab) -> Iterator[list[bool]]:
    """Write megabytes a second until the block ends; yields the acks so far."""
    acked: list[bool] = []
    settings = {"bootstrap.servers": lab.cluster.bootstrap, "acks": "all", "log_level": 0}
    producer = Producer(settings)
    value = os.urandom(10_000)

    def write() -> None:
        for _ in range(10):
            producer.produce(TOPIC, value, on_delivery=lambda error, _: acked.append(not error))
        producer.poll(0)

    with repeated(write, 0.02):
        yield acked
    producer.purge()


@pytest.mark.long
def test_an_update_is_in_force_within_a_second_under_load(start_lab: StartLab) -> None:
    """From the request to the event by which the broker says that it has applied it, in most."""
    lab = start_lab(assignment=[ALL, [2, 3, 1], [3, 1, 2]], settings={})
    took: list[float] = []
    with busy(lab) as acked:
        wait_for(lambda: len(acked), lambda now: now > 500, WITHIN_S)
        for number in range(UPDATES):
            began = time.time()
            update_broker(lab.server(), 1, {FEATURE: str(number % 2 == 0).lower()})
            lines = wait_for(
                lambda: lab.events("settings_updated"),
                lambda now, before=number: len(now) > before,
                WITHIN_S,
            )
            took.append(float(lines[-1]["t_ms"]) / 1_000 - began)
    print(f"in force after {1e3 * median(took):.0f} ms (median of {UPDATES}), at most"
          f" {1e3 * max(took):.0f} ms, while {len(acked)} records were acked")  # fmt: skip
    assert median(took) < 1.0
