"""Orders repeated measurements."""

from collections.abc import Iterator, Sequence
from typing import TypeVar

_Item = TypeVar("_Item")


def in_turn(items: Sequence[_Item], times: int) -> Iterator[tuple[int, _Item]]:
    """Yield the number of each repeat with each item; each repeat starts with another item.

    So what changes over time, such as a machine's temperature, changes no item more than another.
    """
    for repeat in range(times):
        first = repeat % len(items)
        for item in [*items[first:], *items[:first]]:
            yield repeat, item
