"""Orders repeated measurements and summarizes their values."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

_Item = TypeVar("_Item")


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of repeated values, and their range."""

    median: float
    least: float
    most: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Self:
        """Summarize values; there is at least one."""
        return cls(statistics.median(values), min(values), max(values))

    def written(self, digits: int, unit: float = 1) -> str:
        """Return the median and the range, in multiples of `unit`: "8.1 (7.9-8.6)"."""
        ends = dict.fromkeys(f"{end / unit:,.{digits}f}" for end in (self.least, self.most))
        return f"{self.median / unit:,.{digits}f} ({'-'.join(ends)})"


def in_turn(items: Sequence[_Item], times: int) -> Iterator[tuple[int, _Item]]:
    """Yield the number of each repeat with each item; each repeat starts with another item.

    So what changes over time, such as a machine's temperature, changes no item more than another.
    """
    for repeat in range(times):
        first = repeat % len(items)
        for item in [*items[first:], *items[:first]]:
            yield repeat, item
