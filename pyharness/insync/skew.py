"""Spread a topic's records over keys, of which the first ones are the most frequent.

Key k, counted from 0, is as frequent as 1 / (k + 1) ** skew (Zipf's law), and belongs to partition
k modulo their number. So a partition's rate is the share of its keys: with a skew above 0
partition 0 gets the most records. plugin-java/clients chooses keys in the same way (Keys.java).
"""

import random
from bisect import bisect_right
from itertools import accumulate


def shares(keys: int, skew: float, partitions: int) -> list[float]:
    """Return the share of each partition in all records; the sum is 1."""
    weights = [_weights(partition, keys, skew, partitions) for partition in range(partitions)]
    total = sum(map(sum, weights))
    return [sum(own) / total for own in weights]


class PartitionKeys:
    """Chooses the keys of one partition's records."""

    def __init__(
        self, partition: int, keys: int, skew: float, partitions: int, source: random.Random
    ) -> None:
        self._first, self._step = partition, partitions
        self._up_to = list(accumulate(_weights(partition, keys, skew, partitions)))
        self._source = source

    def next(self) -> int:
        found = bisect_right(self._up_to, self._source.random() * self._up_to[-1])
        return self._first + min(found, len(self._up_to) - 1) * self._step


def key_bytes(key: int) -> bytes:
    return f"key-{key}".encode()


def own_key(first: int, seq: int) -> bytes:
    """Return a key that no other record of its partition has, so that a compacted log keeps all.

    4 bytes count down from `first`: the last two have the bytes of the keys of Kafka's own markers,
    which end transactions. Records of transactions have longer keys.
    """
    short = seq < 1 << 32
    return ((first - seq) % (1 << 32)).to_bytes(4, "big") if short else seq.to_bytes(8, "big")


def _weights(partition: int, keys: int, skew: float, partitions: int) -> list[float]:
    return [1 / (key + 1) ** skew for key in range(partition, keys, partitions)]
