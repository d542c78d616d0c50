"""Produce records before a measurement: one per partition, or a burst to one partition."""

from collections.abc import Iterable

from confluent_kafka import KafkaError, Message, Producer

from insync.errors import InsyncError

ANSWERED_SECONDS = 10.0


def burst(bootstrap: str, topic: str, partition: int, records: int, record_bytes: int) -> None:
    """Produce `records` records, one batch each; raises InsyncError unless the leader acks all."""
    problems: list[str] = []

    def answered(error: KafkaError | None, _: Message) -> None:
        if error is not None:
            problems.append(error.str())

    one_each = {"batch.num.messages": 1, "linger.ms": 0, "enable.idempotence": False}
    producer = Producer({"bootstrap.servers": bootstrap, "acks": 1, "log_level": 0, **one_each})
    for _ in range(records):
        producer.produce(topic, bytes(record_bytes), partition=partition, on_delivery=answered)
    left = producer.flush(ANSWERED_SECONDS)
    if left or problems:
        why = problems[0] if problems else f"{left} records without an answer"
        raise InsyncError(f"topic {topic}: a burst of {records} records failed: {why}")


def prefill(bootstrap: str, topic: str, partitions: Iterable[int], seconds: float) -> None:
    """Produce one record per partition; raises InsyncError unless all are acked in time."""
    problems: list[str] = []

    def answered(error: KafkaError | None, _: Message) -> None:
        if error is not None:
            problems.append(error.str())

    producer = Producer({"bootstrap.servers": bootstrap, "acks": "all", "log_level": 0})
    for partition in partitions:
        producer.produce(topic, b"record", partition=partition, on_delivery=answered)
    left = producer.flush(seconds)
    if left or problems:
        why = problems[0] if problems else f"{left} records without an answer"
        raise InsyncError(f"topic {topic}: not filled in {seconds:.0f} s: {why}")
