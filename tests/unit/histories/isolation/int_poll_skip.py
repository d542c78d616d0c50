"""Plants poll skips in transactions."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let a transaction leave out a record between two others."""
    reads = history.reads_inside(0, partition)
    at = chance.randrange(1, len(reads) - 1)
    history.transaction_reads.remove(reads[at])
    before, after = reads[at - 1]["seq"], reads[at + 1]["seq"]
    history.expect("int-poll-skip", partition, reads[at]["offset"], before, after)


PLANTINGS = (Planting(plant, transactional=True),)
