"""Plants lost writes."""

import random

from unit.histories.history import History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Remove the read of an acked record."""
    record = chance.choice(history.plain(partition)[1:-1])
    history.consume.remove(history.read_of(record))
    history.expect("lost-write", partition, record["offset"], record["seq"])
    history.expect("poll-skip", partition, record["offset"])


def plant_after_the_read(history: History, partition: int, chance: random.Random) -> None:
    """Let the fresh consumer not find a record, acked or not, that was read during the repeat."""
    reads = history.read(partition)
    read = chance.choice(reads[1:-1])
    history.vanished.add((partition, read["offset"]))
    history.expect("lost-write", partition, read["offset"], read["seq"])
    sent = next(
        line
        for line in history.produce
        if (line["partition"], line["seq"]) == (partition, read["seq"])
    )
    ends = {line["transaction"]: line["end"] for line in history.transactions}
    acked = sent["offset"] is not None and ends.get(sent["transaction"]) in (None, "committed")
    if acked or not history.transactional:
        history.expect("poll-skip", partition, read["offset"])


PLANTINGS = (Planting(plant), Planting(plant_after_the_read, needs_fresh=True))
