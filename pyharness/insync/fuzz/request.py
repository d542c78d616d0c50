"""Define the request for a fuzz, and check its values before anything is started."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from insync.errors import InputError
from insync.fuzz.draw import SHAPES
from insync.run.request import DEFAULT_KAFKA

DEFAULT_ARMS: Final[Mapping[str, Sequence[str]]] = {
    "any": ("stock", "request", "step-down"),
    "late-write": ("stock", "step-down", "step-down-keep"),
}
MOST_SEED: Final = 10**9
MOST_AT_ONCE: Final = 16
_RANGE: Final = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?")
_SHARD: Final = re.compile(r"(\d{1,6})/(\d{1,6})")


@dataclass(frozen=True, kw_only=True, slots=True)
class FuzzRequest:
    """A request for a fuzz, as the command line makes it; None means the default.

    `settings` are broker settings KEY=VALUE for every node of every seed.
    """

    seeds: str
    minutes: float | None = None
    arms: Sequence[str] | None = None
    kafka: str = DEFAULT_KAFKA
    shape: str = "any"
    out: Path | None = None
    resume: bool = False
    shard: str | None = None
    at_once: int = 2
    settings: Sequence[str] = field(default_factory=tuple)
    unknown_methods: bool = False


def seeds_of(request: FuzzRequest) -> list[int]:
    """Return the seeds of the request's shard, in order; raises InputError."""
    found = _RANGE.fullmatch(request.seeds)
    if found is None:
        raise InputError(f"--seeds {request.seeds!r}: expected A-B, such as 1-60, or one seed")
    first, last = int(found[1]), int(found[2] or found[1])
    if first > last:
        raise InputError(f"--seeds {request.seeds}: expected A-B with A at most B")
    if last > MOST_SEED:
        raise InputError(f"--seeds {request.seeds}: expected seeds up to {MOST_SEED}")
    number, of = _shard(request.shard)
    seeds = range(first, last + 1)[number - 1 :: of]
    if not seeds:
        raise InputError(f"--shard {request.shard}: has none of the seeds {request.seeds}")
    return list(seeds)


def _shard(text: str | None) -> tuple[int, int]:
    if text is None:
        return 1, 1
    found = _SHARD.fullmatch(text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise InputError(f"--shard {text!r}: expected I/N with I from 1 to N, such as 1/3")
    return int(found[1]), int(found[2])


def check_values(request: FuzzRequest) -> None:
    """Check the options that are numbers or names; raises InputError."""
    # Written so that NaN is refused, too.
    if request.minutes is not None and not request.minutes > 0:
        raise InputError(f"--minutes {request.minutes:g}: expected more than 0")
    if not 1 <= request.at_once <= MOST_AT_ONCE:
        raise InputError(f"--side-by-side {request.at_once}: expected 1 to {MOST_AT_ONCE}")
    if request.shape not in SHAPES:
        raise InputError(f"--shape {request.shape!r}: expected one of: {', '.join(SHAPES)}")
    if request.resume and request.out is None:
        raise InputError("--resume: expected --out DIR, the folder of the fuzz to continue")


def settings_of(request: FuzzRequest) -> dict[str, str]:
    """Return the broker settings as a table; raises InputError."""
    found = {}
    for text in request.settings:
        key, equals, value = text.partition("=")
        if not (key and equals):
            raise InputError(f"--broker-config {text!r}: expected KEY=VALUE")
        found[key] = value
    return found
