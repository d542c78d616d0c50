"""Plants duplicates."""

import random

from unit.histories.history import REPLICAS, History, Line, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Append a record of a producer without idempotence to the log a second time."""
    record = chance.choice(history.plain(partition))
    record["idempotent"] = False
    numbers = {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1}
    end = append(history, partition, numbers)
    read_again(history, partition, record, end)
    history.expect("duplicate", partition, record["offset"], record["seq"])


def append(history: History, partition: int, numbers: Line) -> int:
    """Append a batch of one record, with these numbers, to all logs; return its offset."""
    end = max(line["last_offset"] for line in history.batches if line["partition"] == partition) + 1
    for replica in REPLICAS:
        last = next(
            line
            for line in reversed(history.batches)
            if (line["partition"], line["replica"]) == (partition, replica)
        )
        batch = {**last, "base_offset": end, "last_offset": end, "crc": 7, "control": None}
        history.batches.append({**batch, **numbers})
    return end


def read_again(history: History, partition: int, record: Line, offset: int) -> None:
    """Let the consumer read a record at another offset as well."""
    history.consume.append({
        "partition": partition, "offset": offset, "seq": record["seq"], "read_ms": 8_000.0,
        "consumer": 0,
    })  # fmt: skip


PLANTINGS = (Planting(plant),)
