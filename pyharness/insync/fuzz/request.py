"""Define the request for a fuzz, and check its values before anything is started."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from insync.errors import InputError
from insync.run.request import DEFAULT_KAFKA

DEFAULT_ARMS: Final[Mapping[str, Sequence[str]]] = {
    "any": ("stock", "request", "step-down"),
    "late-write": ("stock", "step-down", "step-down-keep"),
}
MOST_SEED: Final = 10**9
_RANGE: Final = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class FuzzRequest:
    """A request for a fuzz, as the command line makes it; None means the default.

    `settings` are broker settings KEY=VALUE for every node of every seed. `out` is where runs are
    recorded: whether faults of disks can act depends on it.
    """

    seeds: str
    arms: Sequence[str] | None = None
    kafka: str = DEFAULT_KAFKA
    shape: str = "any"
    at_once: int = 2
    settings: Sequence[str] = field(default_factory=tuple)
    unknown_methods: bool = False
    out: Path | None = None


def seeds_of(seeds: str) -> range:
    """Return the seeds of a range A-B; raises InputError."""
    found = _RANGE.fullmatch(seeds)
    if found is None:
        raise InputError(f"--seeds {seeds!r}: expected A-B, such as 1-60, or one seed")
    first, last = int(found[1]), int(found[2] or found[1])
    if first > last:
        raise InputError(f"--seeds {seeds}: expected A-B with A at most B")
    if last > MOST_SEED:
        raise InputError(f"--seeds {seeds}: expected seeds up to {MOST_SEED}")
    return range(first, last + 1)


def settings_of(settings: Sequence[str]) -> dict[str, str]:
    """Return broker settings KEY=VALUE as a table; raises InputError."""
    found = {}
    for text in settings:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise InputError(f"--broker-config {text!r}: expected KEY=VALUE")
        found[key] = value
    return found
