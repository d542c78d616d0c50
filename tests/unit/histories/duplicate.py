"""Plants duplicates."""

from __future__ import annotations

import random

from unit.histories.history import REPLICAS, History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Append a record to the log a second time."""
    record = chance.choice(history.plain(partition))
    end = max(line["last_offset"] for line in history.batches if line["partition"] == partition) + 1
    history.consume.append({
        "partition": partition, "offset": end, "seq": record["seq"], "read_ms": 8_000.0,
        "consumer": 0,
    })  # fmt: skip
    for replica in REPLICAS:
        last = next(
            line
            for line in reversed(history.batches)
            if (line["partition"], line["replica"]) == (partition, replica)
        )
        history.batches.append({**last, "base_offset": end, "last_offset": end, "crc": 7})
    history.expect("duplicate", partition, record["offset"], record["seq"])


PLANTINGS = (Planting(plant),)
