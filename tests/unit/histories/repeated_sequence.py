"""Plants repeated sequences."""

import random

from unit.histories.duplicate import append
from unit.histories.history import History, Line, Planting

_NUMBERS = {"producer_id": 9, "producer_epoch": 2}


def plant_the_same_batch(history: History, partition: int, chance: random.Random) -> None:
    """Append a batch of an idempotent producer a second time, which no consumer reads."""
    batch = _numbered(history, partition, chance)
    end = append(history, partition, {**_NUMBERS, "base_sequence": batch["base_sequence"]})
    history.expect("repeated-sequence", partition, end, batch["base_sequence"])


def plant_the_end_of_a_batch(history: History, partition: int, chance: random.Random) -> None:
    """Append a batch that begins with the last number of an earlier one."""
    batch = _numbered(history, partition, chance)
    last = batch["base_sequence"] + batch["last_offset"] - batch["base_offset"]
    end = append(history, partition, {**_NUMBERS, "base_sequence": last})
    history.expect("repeated-sequence", partition, end, batch["base_sequence"], last)


def _numbered(history: History, partition: int, chance: random.Random) -> Line:
    """Give one batch of records the numbers of another producer in all logs; return it."""
    own = [line for line in history.batches if line["partition"] == partition]
    at = chance.choice([line["base_offset"] for line in own if line["control"] is None])
    batches = [line for line in own if line["base_offset"] == at]
    for batch in batches:
        batch.update(_NUMBERS, base_sequence=100)
    return batches[0]


PLANTINGS = (Planting(plant_the_same_batch), Planting(plant_the_end_of_a_batch))
