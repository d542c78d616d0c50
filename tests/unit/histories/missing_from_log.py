"""Plants acked offsets that no replica's log has."""

import random
from collections.abc import Collection

from unit.histories.history import History, Line, Planting


def offsets_of(batch: Line) -> tuple[int, int]:
    """Return a batch's first offset, and the one after its last."""
    return batch["base_offset"], batch["last_offset"] + 1


def expect_missing(history: History, partition: int, offsets: Collection[int]) -> None:
    """Note that the acks of these offsets are not in the replicas' logs."""
    for line in history.produce:
        acked = line["error"] is None and line["done_ms"] is not None
        if line["partition"] == partition and acked and line["offset"] in offsets:
            history.expect("missing-from-log", partition, line["offset"], line["seq"])


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Remove the batch of an acked record from all replicas, but not the last batch."""
    end = history.end(partition)
    batches = {
        offsets_of(line)
        for line in history.batches
        if line["partition"] == partition and line["last_offset"] < end - 1
    }
    acked = [line["offset"] for line in history.plain(partition)]
    first, to = chance.choice(
        sorted(each for each in batches if any(offset in range(*each) for offset in acked))
    )
    history.batches = [
        line
        for line in history.batches
        if (line["partition"], line["base_offset"]) != (partition, first)
    ]
    expect_missing(history, partition, range(first, to))


PLANTINGS = (Planting(plant),)
