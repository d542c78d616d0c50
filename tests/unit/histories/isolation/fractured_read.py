"""Plants fractured reads."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Remove the read of one record of a committed transaction."""
    number = chance.choice([0, 2]) if partition else 0
    record = next(
        line
        for line in history.produce
        if line["partition"] == partition and line["transaction"] == number
    )
    history.consume.remove(history.read_of(record))
    for kind in ("lost-write", "poll-skip"):
        history.expect(kind, partition, record["offset"], record["seq"])
    history.expect("fractured-read", partition, record["offset"], record["seq"])


PLANTINGS = (Planting(plant, transactional=True, once=True),)
