"""Plants poll skips."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let a second consumer skip a record that the first one reads."""
    reads = history.read(partition)
    at = chance.randrange(1, len(reads) - 1)
    before, skipped, after = reads[at - 1 : at + 2]
    for read in (before, after):
        history.consume.append({**read, "read_ms": 8_000.0, "consumer": 1})
    history.expect("poll-skip", partition, skipped["offset"], before["seq"], after["seq"])


PLANTINGS = (Planting(plant, transactional=False),)
