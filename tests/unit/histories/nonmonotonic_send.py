"""Plants nonmonotonic sends, in real time and within an idempotent producer's sequence."""

import random
from itertools import pairwise

from unit.histories.history import History, Line, Planting


def plant_in_time(history: History, partition: int, chance: random.Random) -> None:
    """Give a record a lower offset than one that was acked before it was due."""
    records = history.plain(partition)
    pairs = [
        (first, then)
        for first, then in pairwise(records)
        if first["done_ms"] < then["sent_ms"] and then["offset"] == first["offset"] + 1
    ]
    swap(history, partition, *chance.choice(pairs))


def plant_in_sequence(history: History, partition: int, chance: random.Random) -> None:
    """Swap two records of an idempotent producer that were in flight together."""
    records = [line for line in history.plain(partition) if line["producer"] == 0][:5]
    # Without idempotence some records in flight together may rightly be out of order already.
    in_order = [pair for pair in pairwise(records) if pair[0]["seq"] < pair[1]["seq"]]
    first, then = chance.choice(in_order)
    first["idempotent"] = then["idempotent"] = True
    for line in history.produce:
        if line["partition"] == partition and line["done_ms"] is not None:
            line["done_ms"] = 2_500.0  # so that only the sequence shows it
    swap(history, partition, first, then)


def swap(
    history: History, partition: int, first: Line, then: Line, kind: str = "nonmonotonic-send"
) -> None:
    """Swap the offsets of two records, in the acks and all reads."""
    for read in history.transaction_reads:
        if read["partition"] == partition and read["seq"] in (first["seq"], then["seq"]):
            read["seq"] = first["seq"] + then["seq"] - read["seq"]
    reads = history.read_of(first), history.read_of(then)
    first["offset"], then["offset"] = then["offset"], first["offset"]
    reads[0]["seq"], reads[1]["seq"] = then["seq"], first["seq"]
    history.expect(kind, partition, then["offset"], then["seq"])


PLANTINGS = (Planting(plant_in_time), Planting(plant_in_sequence))
