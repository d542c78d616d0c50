"""Produces a few records a second while a soak runs, so that followers have something to fetch."""

import threading
import time
from itertools import count
from typing import Final

from confluent_kafka import KafkaError, Message, Producer

from insync.background import Background
from insync.errors import InsyncError
from insync.soak.plan import PARTITIONS, RECORDS_PER_S, TOPIC

_DELIVERED_WITHIN_MS: Final = 60_000
_VALUE: Final = b"x" * 200


class Traffic(Background):
    """Produces to every partition in turn; `acked` and `failed` count the answers.

    A record may wait for a frozen leader; it fails after a minute.
    """

    def __init__(self, bootstrap: str) -> None:
        super().__init__("soak-traffic", every_seconds=1 / RECORDS_PER_S)
        self._client = Producer(
            {
                "bootstrap.servers": bootstrap,
                "acks": "all",
                "delivery.timeout.ms": _DELIVERED_WITHIN_MS,
                "reconnect.backoff.max.ms": 500,
                "log_level": 0,
            }
        )
        self._numbers = count()
        self._lock = threading.Lock()
        self.acked = 0
        self.failed = 0

    def finish(self) -> None:
        """Wait for the answers to all records; those without an answer have failed."""
        left = self._client.flush(2 * _DELIVERED_WITHIN_MS / 1_000)
        with self._lock:
            self.failed += left

    def _step(self) -> None:
        partition = next(self._numbers) % PARTITIONS
        try:
            self._client.produce(TOPIC, _VALUE, partition=partition, on_delivery=self._answered)
        except BufferError as error:
            raise InsyncError(f"soak: a full queue, {self.acked} records acked: {error}") from error
        self._client.poll(0)

    def _answered(self, error: KafkaError | None, _: Message) -> None:
        with self._lock:
            if error is None:
                self.acked += 1
            else:
                self.failed += 1


def wait(seconds: float, traffic: Traffic) -> None:
    """Wait; raises InsyncError if the traffic has ended meanwhile."""
    time.sleep(seconds)
    traffic.check()
