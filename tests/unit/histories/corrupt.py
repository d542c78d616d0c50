"""Plants corrupt records."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let both consumers read a value that does not fit, so that its record is lost."""
    record = chance.choice(history.plain(partition)[1:-1])
    history.read_of(record).update(seq=-1, corrupt="record 7 of another topic")
    history.expect("corrupt", partition, record["offset"])
    history.expect("lost-write", partition, record["offset"], record["seq"])
    if history.transactional:
        history.expect("poll-skip", partition, record["offset"])


PLANTINGS = (Planting(plant, needs_fresh=True),)
