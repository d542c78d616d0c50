"""Plants lost writes."""

from __future__ import annotations

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Remove the read of an acked record."""
    record = chance.choice(history.plain(partition)[1:-1])
    history.consume.remove(history.read_of(record))
    history.expect("lost-write", partition, record["offset"], record["seq"])
    history.expect("poll-skip", partition, record["offset"])


PLANTINGS = (Planting(plant),)
