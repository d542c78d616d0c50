"""Plants duplicates of idempotent producers."""

import random

from unit.histories.duplicate import append, read_again
from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Append a record a second time, in another epoch, so that the brokers cannot know it."""
    record = chance.choice(history.plain(partition))
    record["idempotent"] = True
    numbers = {"producer_id": 4, "producer_epoch": 1, "base_sequence": 0}
    read_again(history, partition, record, append(history, partition, numbers))
    history.expect("idempotent-duplicate", partition, record["offset"], record["seq"])


PLANTINGS = (Planting(plant),)
