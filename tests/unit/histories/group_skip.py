"""Plants group skips."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let no member process a record below an offset that the group commits."""
    read = history.read(partition)
    last_commit = max(line["offset"] for line in read if line["offset"] % 3 == 0)
    record = chance.choice([line for line in read if line["offset"] <= last_commit])
    history.skipped_by_group.add((partition, record["offset"]))
    history.expect("group-skip", partition, record["offset"], record["seq"])


PLANTINGS = (Planting(plant),)
