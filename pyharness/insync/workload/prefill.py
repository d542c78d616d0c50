"""Produce records before a measurement: one per partition, or a burst to one partition."""

from collections.abc import Iterable

from confluent_kafka import KafkaError, Message, Producer

from insync.errors import InsyncError

ANSWERED_SECONDS = 10.0


def burst(bootstrap: str, topic: str, partition: int, records: int, record_bytes: int) -> None:
    """Produce so many records, a batch each; raises InsyncError unless the leader has them all."""
    one_each = {"batch.num.messages": 1, "linger.ms": 0, "enable.idempotence": False}
    producer = Producer({"bootstrap.servers": bootstrap, "acks": 1, "log_level": 0, **one_each})
    value, partitions = bytes(record_bytes), [partition] * records
    problem = _produce(producer, topic, value, partitions, ANSWERED_SECONDS)
    if problem is not None:
        raise InsyncError(f"topic {topic}: a burst of {records} records failed: {problem}")


def prefill(bootstrap: str, topic: str, partitions: Iterable[int], seconds: float) -> None:
    """Produce a record to each partition; raises InsyncError unless all are acked in time."""
    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "log_level": 0})
    problem = _produce(producer, topic, b"record", partitions, seconds)
    if problem is not None:
        raise InsyncError(f"topic {topic}: not filled in {seconds:.0f} s: {problem}")


def _produce(
    producer: Producer, topic: str, value: bytes, partitions: Iterable[int], seconds: float
) -> str | None:
    """Produce `value` to each of these partitions; return why not all records were acked."""
    problems: list[str] = []

    def answered(error: KafkaError | None, _: Message) -> None:
        if error is not None:
            problems.append(error.str())

    for partition in partitions:
        producer.produce(topic, value, partition=partition, on_delivery=answered)
    left = producer.flush(seconds)
    if problems:
        return problems[0]
    return f"{left} records without an answer" if left else None
