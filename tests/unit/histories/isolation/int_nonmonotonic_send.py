"""Plants nonmonotonic sends in transactions."""

import random

from unit.histories.history import History, Planting
from unit.histories.nonmonotonic_send import swap


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Swap two records of one transaction."""
    first, then = history.of_transaction(chance.choice([0, 2]), partition)
    swap(history, partition, first, then, "int-nonmonotonic-send")


PLANTINGS = (Planting(plant, transactional=True),)
