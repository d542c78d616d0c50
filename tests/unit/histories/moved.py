"""Plants records that are not at the offset of their ack, or of their first read."""

import random

from unit.histories.history import History, Line, Planting


def plant_in_the_ack(history: History, partition: int, chance: random.Random) -> None:
    """Let the ack of a transaction's record name the offset of the marker behind it."""
    record = _of_transaction(history, partition, chance)
    record["offset"] += 1
    history.expect("moved", partition, record["offset"], record["seq"])


def plant_in_the_reads(history: History, partition: int, chance: random.Random) -> None:
    """Let the fresh consumer find a transaction's record at the offset of the marker behind it."""
    record = _of_transaction(history, partition, chance)
    offset = record["offset"]
    history.displaced[partition, offset] = offset + 1
    history.expect("moved", partition, offset, record["seq"])
    history.expect("idempotent-duplicate", partition, offset, record["seq"])


def _of_transaction(history: History, partition: int, chance: random.Random) -> Line:
    """Return the last record of a transaction, behind which the marker is."""
    return history.of_transaction(chance.choice([0, 2]), partition)[-1]


PLANTINGS = (
    Planting(plant_in_the_ack, transactional=True),
    Planting(plant_in_the_reads, transactional=True, needs_fresh=True),
)
