"""Plants precommitted reads."""

import random

from unit.histories.history import PARTITIONS, History, Planting


def plant_by_the_consumer(history: History, partition: int, chance: random.Random) -> None:
    """Let the consumer read a record before its producer requested the commit."""
    number = chance.choice([0, 2, 3])
    record = chance.choice(history.of_transaction(number, partition))
    history.read_of(record)["read_ms"] = record["sent_ms"] + 5.5
    history.expect("precommitted-read", partition, record["offset"], record["seq"])


def plant_of_itself(history: History, partition: int, chance: random.Random) -> None:
    """Let a transaction read what it wrote."""
    number = chance.choice([0, 2, 3])
    record = chance.choice(history.of_transaction(number, partition))
    history.read_only(number, record, record["sent_ms"] + 5.5)
    history.expect("precommitted-read", partition, record["offset"], record["seq"])


def plant_without_a_request(history: History, partition: int, chance: random.Random) -> None:
    """Let the consumer read a transaction whose commit nobody requested."""
    history.transactions[3].update(asked_ms=None, took_ms=None)
    for each in range(PARTITIONS):
        for record in history.of_transaction(3, each):
            history.expect("precommitted-read", each, record["offset"], record["seq"])


PLANTINGS = (
    Planting(plant_by_the_consumer, transactional=True),
    Planting(plant_of_itself, transactional=True),
    Planting(plant_without_a_request, transactional=True, once=True),
)
