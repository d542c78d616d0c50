"""How soon an update of the agent's configs is in force in a broker that is busy."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import pytest
from confluent_kafka import Producer

from insync.arms import FEATURE
from insync.brokers.cluster.admin import update_broker
from integration.lab import ALL, TOPIC, WITHIN_S, Lab, StartLab, repeated
from waiting import wait_for

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
