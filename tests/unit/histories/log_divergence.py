"""Plants log divergence."""

import random

from unit.histories.history import REPLICAS, History, Planting
from unit.histories.missing_from_log import expect_missing, offsets_of


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Let one replica's log differ from a batch on, or lack that batch and all after it."""
    replica = chance.choice(REPLICAS)
    read_to = max(line["offset"] for line in history.read(partition))
    own = [
        line
        for line in history.batches
        if (line["partition"], line["replica"]) == (partition, replica)
        and line["base_offset"] <= read_to
    ]
    at = chance.randrange(len(own))
    how = chance.choice(["crc", "leader_epoch", "bytes", "valid", "missing"])
    for line in own[at:]:
        if how == "missing":
            history.batches.remove(line)
        else:
            line[how] = False if how == "valid" else line[how] + 1
    history.expect("log-divergence", partition, own[at]["base_offset"])
    if how in ("valid", "missing"):
        gone = {each for line in own[at:] for each in range(*offsets_of(line))}
        expect_missing(history, partition, {each for each in gone if each <= read_to})


PLANTINGS = (Planting(plant),)
