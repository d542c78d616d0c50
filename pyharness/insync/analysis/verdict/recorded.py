"""Decides which counts of violations hold, given how much of a repeat was recorded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from insync.metrics import METRICS

_FILE: Final = re.compile(r"(?P<arm>[^/]+)/(?P<kind>[a-z-]+?)(?:-(?P<repeat>\d+))?\.jsonl")
"""An event file's path below events/; `repeat` is None if it is about all repeats."""


@dataclass(frozen=True)
class Recorded:
    """How much of a repeat was recorded.

    `whole` is whether it was neither cut short nor read in part; `unreadable` are the kinds of
    files that have an unreadable line.
    """

    whole: bool
    unreadable: frozenset[str] = frozenset()

    @classmethod
    def of(cls, whole: bool, arm: str, repeat: int, unreadable: Iterable[str]) -> Recorded:
        """Return what was recorded of a repeat; `unreadable` are the files with such lines."""
        found = filter(None, map(_FILE.fullmatch, unreadable))
        own = (
            each["kind"]
            for each in found
            if each["arm"] == arm and each["repeat"] in (None, str(repeat))
        )
        return cls(whole, frozenset(own))

    @property
    def everything(self) -> bool:
        """Whether nothing is missing and every line is readable."""
        return self.whole and not self.unreadable

    def count(self, metric: str, known: Sequence[float | None]) -> float | None:
        """Return how many violations there are, from the numbers of the parts of a repeat.

        That there are none is known only if everything was recorded, and every part is known. A
        violation counts in any case, unless the rest of the recording could explain it.
        """
        found = sum(value for value in known if value is not None)
        if self.everything and known and None not in known:
            return found
        of = METRICS[metric]
        explained = (of.of_whole and not self.whole) or not self.unreadable.isdisjoint(of.hidden_by)
        return found if found and not explained else None
