"""Plants cycles of reads."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let two transactions read from each other, the first one before the second one ends."""
    one, other = (chance.choice(history.of_transaction(number, partition)) for number in (0, 2))
    history.read_only(2, one, one["sent_ms"] + 200.5)
    history.read_only(0, other, one["sent_ms"] + 0.5)
    history.expect("g1c", partition, other["offset"], other["seq"])
    history.expect("precommitted-read", partition, other["offset"], other["seq"])


PLANTINGS = (Planting(plant, transactional=True, once=True),)
