"""Plants nonmonotonic polls."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let the consumer go back some records and read them again."""
    reads = history.read(partition)
    last = chance.randrange(1, len(reads) - 1)
    first = chance.randint(max(0, last - 3), last)
    at = history.consume.index(reads[last]) + 1
    history.consume[at:at] = [dict(line) for line in reads[first : last + 1]]
    history.expect("nonmonotonic-poll", partition, reads[first]["offset"], reads[first]["seq"])


PLANTINGS = (Planting(plant),)
