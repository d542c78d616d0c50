"""Plants nonmonotonic polls in transactions."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let a transaction read one of its records again."""
    again = chance.choice(history.reads_inside(chance.choice([0, 1, 2]), partition))
    history.transaction_reads.append(dict(again))
    history.expect("int-nonmonotonic-poll", partition, again["offset"], again["seq"])


PLANTINGS = (Planting(plant, transactional=True),)
