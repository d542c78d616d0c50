"""Plants aborted reads."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let a consumer read a record of an aborted transaction, in the order of the offsets."""
    record = next(
        line
        for line in history.produce
        if line["partition"] == partition and line["transaction"] == 1
    )
    behind = next(r for r in history.read(partition) if r["offset"] > record["offset"])
    read = {**behind, "offset": record["offset"], "seq": record["seq"]}
    history.consume.insert(history.consume.index(behind), read)
    history.expect("aborted-read", partition, record["offset"], record["seq"])


PLANTINGS = (Planting(plant, transactional=True),)
