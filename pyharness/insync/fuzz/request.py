"""Define the request for a fuzz, and check its values before anything is started."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

from insync.errors import InputError
from insync.run.request import DEFAULT_KAFKA, Kafka, Names, UnknownMethods

Shape = Literal["any", "late-write"]
DEFAULT_ARMS: Final[Mapping[Shape, Sequence[str]]] = {
    "any": ("stock", "request", "step-down"),
    "late-write": ("stock", "step-down", "step-down-keep"),
}
MOST_SEED: Final = 10**9
_RANGE: Final = re.compile(r"(\d{1,10})(?:-(\d{1,10}))?")


@dataclass(frozen=True, kw_only=True, slots=True)
class FuzzRequest:
    """A request for a fuzz, as the command line makes it; None means the default.

    `out` is where runs are recorded: whether faults of disks can act depends on it.
    """

    seeds: Annotated[str, "--seeds", "The seeds A-B; a seed is a scenario."]
    arms: Annotated[
        Names,
        "Comma-separated arms. Default: stock,request,step-down; of the shape late-write"
        " stock,step-down,step-down-keep.",
    ] = None
    kafka: Kafka = DEFAULT_KAFKA
    shape: Annotated[Shape, "late-write: a leader's append ends after leadership moved."] = "any"
    at_once: Annotated[
        int, "--side-by-side", "Arms to run at the same time (1 to 16), each on its own cluster."
    ] = 2
    settings: Annotated[
        Mapping[str, str],
        "--broker-config",
        "Broker config KEY=VALUE for every node; repeatable.",
    ] = field(default_factory=dict)
    unknown_methods: UnknownMethods = False
    out: Path | None = None


def seeds_of(seeds: str) -> range:
    """Return the seeds of a range A-B; raises InputError."""
    found = _RANGE.fullmatch(seeds)
    if found is None:
        raise InputError(f"--seeds {seeds!r}: expected A-B, such as 1-60, or one seed")
    first, last = int(found[1]), int(found[2] or found[1])
    if not first <= last <= MOST_SEED:
        raise InputError(
            f"--seeds {seeds}: expected A-B with A at most B, and B at most {MOST_SEED}"
        )
    return range(first, last + 1)
