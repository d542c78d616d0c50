"""Plants logs that lost their tail on all replicas."""

import random

from unit.histories.history import History, Planting
from unit.histories.missing_from_log import expect_missing


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Remove a tail that a consumer read from the logs of all replicas, alike."""
    last_read = max(line["offset"] for line in history.read(partition))
    starts = sorted({
        line["base_offset"]
        for line in history.batches
        if line["partition"] == partition and 0 < line["base_offset"] <= last_read
    })  # fmt: skip
    cut = chance.choice(starts)
    end = history.end(partition)
    history.batches = [
        line
        for line in history.batches
        if line["partition"] != partition or line["base_offset"] < cut
    ]
    history.expect("truncated", partition, cut)
    expect_missing(history, partition, range(cut, end))
    if history.has_fresh:
        _expect_lost(history, partition, cut)


def _expect_lost(history: History, partition: int, cut: int) -> None:
    for read in history.read(partition):
        if read["offset"] >= cut:
            history.expect("lost-write", partition, read["offset"], read["seq"])


PLANTINGS = (Planting(plant),)
