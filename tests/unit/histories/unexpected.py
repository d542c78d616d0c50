"""Plants unexpected records."""

import random

from unit.histories.duplicate import append
from unit.histories.history import FOREIGN, History, Planting


def plant(history: History, partition: int, chance: random.Random) -> None:
    """Append a record to the log that no producer sent."""
    seq = FOREIGN + chance.randrange(100)
    numbers = {"producer_id": -1, "producer_epoch": -1, "base_sequence": -1}
    end = append(history, partition, numbers)
    history.consume.append({
        "partition": partition, "offset": end, "seq": seq, "read_ms": 8_000.0, "consumer": 0,
    })  # fmt: skip
    history.expect("unexpected", partition, end, seq)


PLANTINGS = (Planting(plant),)
