"""Delta debugging by rounds: reduce a list of parts to those that a failure needs.

Zeller's ddmin, except that all candidates of a round are tested together: a test is a run on real
brokers, and to start a cluster and Spark takes longer than most tests.
"""

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Generic, TypeVar

Part = TypeVar("Part")
Test = Callable[[Sequence[tuple[Part, ...]]], Sequence[bool]]
"""Returns for each candidate whether it still fails."""

HALVES: Final = 2


@dataclass
class Reduction(Generic[Part]):
    """Reduces parts; `fails` is asked once for each candidate.

    `fails` may raise `NotRunYet`; the reduction then ends with the smallest failing list so far.
    """

    fails: Test[Part]
    _known: dict[tuple[Part, ...], bool] = field(default_factory=dict)

    def of(self, parts: Sequence[Part]) -> tuple[Part, ...]:
        """Return parts that still fail and of which none can be left out alone."""
        left = tuple(parts)
        try:
            if left and self._first_failing([()]) is not None:
                return ()
            size = HALVES
            while len(left) > 1:
                chunks = split(left, min(size, len(left)))
                found = self._first_failing([*chunks, *_without_each(left, chunks)])
                if found is None:
                    if size >= len(left):
                        break
                    size = min(size * HALVES, len(left))
                    continue
                # From a chunk on in halves; from the rest without a chunk as finely as before.
                size = HALVES if found in chunks else max(size - 1, HALVES)
                left = found
        except NotRunYet:
            pass
        return left

    def _first_failing(self, candidates: Sequence[tuple[Part, ...]]) -> tuple[Part, ...] | None:
        new = [each for each in dict.fromkeys(candidates) if each not in self._known]
        if new:
            self._known.update(zip(new, self.fails(new), strict=True))
        return next((each for each in candidates if self._known[each]), None)


class NotRunYet(Exception):  # noqa: N818  # not an error: its round runs next
    """A candidate of this round was not run yet."""


def split(parts: Sequence[Part], number: int) -> list[tuple[Part, ...]]:
    """Return the parts in so many chunks of almost equal length."""
    ends = [len(parts) * each // number for each in range(number + 1)]
    return [tuple(parts[begin:end]) for begin, end in itertools.pairwise(ends)]


def _without_each(
    parts: Sequence[Part], chunks: Sequence[Sequence[Part]]
) -> list[tuple[Part, ...]]:
    if len(chunks) == HALVES:
        return []  # without one half it is the other half
    return [tuple(each for each in parts if each not in chunk) for chunk in chunks]
