"""Plants inconsistent offsets."""

import random

from unit.histories.history import FOREIGN, History, Planting


def plant_in_a_second_read(history: History, partition: int, chance: random.Random) -> None:
    """Let another consumer read another record at an offset."""
    record = chance.choice(history.plain(partition))
    history.consume.append({
        "partition": partition, "offset": record["offset"], "seq": FOREIGN, "read_ms": 8_000.0,
        "consumer": 1,
    })  # fmt: skip
    history.expect("inconsistent-offsets", partition, record["offset"], record["seq"], FOREIGN)
    history.expect("unexpected", partition, record["offset"], FOREIGN)
    if history.has_fresh:  # which does not find it
        history.expect("lost-write", partition, record["offset"], FOREIGN)


def plant_in_the_only_read(history: History, partition: int, chance: random.Random) -> None:
    """Let the only consumer read another record at the offset of an ack, so that one is lost."""
    record = chance.choice(history.plain(partition)[1:-1])
    history.read_of(record)["seq"] = FOREIGN
    history.expect("inconsistent-offsets", partition, record["offset"], record["seq"], FOREIGN)
    history.expect("lost-write", partition, record["offset"], record["seq"])
    history.expect("unexpected", partition, record["offset"], FOREIGN)
    if history.transactional:
        history.expect("poll-skip", partition, record["offset"])


PLANTINGS = (Planting(plant_in_a_second_read), Planting(plant_in_the_only_read))
