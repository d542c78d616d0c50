"""Plants unexpected records."""

from __future__ import annotations

import random

from unit.histories.history import FOREIGN, REPLICAS, History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Append a record to the log that no producer sent."""
    end, seq = history.end(partition), FOREIGN + chance.randrange(100)
    history.consume.append({
        "partition": partition, "offset": end, "seq": seq, "read_ms": 8_000.0, "consumer": 0,
    })  # fmt: skip
    for replica in REPLICAS:
        last = next(
            line
            for line in reversed(history.batches)
            if (line["partition"], line["replica"]) == (partition, replica)
        )
        history.batches.append({**last, "base_offset": end, "last_offset": end, "crc": 7})
    history.expect("unexpected", partition, end, seq)


PLANTINGS = (Planting(plant),)
