"""Writes to the topic beside the workload's, whose records nobody checks, while a repeat lasts."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Final

from confluent_kafka import KafkaException, Producer

VALUE: Final = bytes(100)
CLOSES_WITHIN_S: Final = 5.0


@contextmanager
def written(bootstrap: str, topic: str, partitions: int, rate: int) -> Iterator[None]:
    """Write so many records per second to each partition, whatever becomes of the topic."""
    stop = Event()
    thread = Thread(target=_write, args=(bootstrap, topic, partitions, rate, stop), daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(CLOSES_WITHIN_S)


def _write(bootstrap: str, topic: str, partitions: int, rate: int, stop: Event) -> None:
    producer = Producer(
        {
            "bootstrap.servers": bootstrap,
            "acks": 1,
            "log_level": 0,
            "message.timeout.ms": 5_000,
            "topic.metadata.refresh.interval.ms": 1_000,
        }
    )
    while not stop.wait(1 / rate):
        for partition in range(partitions):
            with suppress(KafkaException, BufferError):  # there may be no such topic at the time
                producer.produce(topic, VALUE, partition=partition)
        producer.poll(0)
    producer.purge()
