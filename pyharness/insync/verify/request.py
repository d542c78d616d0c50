"""Define the request for a verification, as the command line makes it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from insync.errors import InputError
from insync.fuzz.request import seeds_of
from insync.run.request import DEFAULT_KAFKA

NO_SEEDS: Final = "none"


@dataclass(frozen=True, kw_only=True, slots=True)
class VerifyRequest:
    """A request for a verification; None means the default.

    At most one of `kafka` and `image` names the candidate's build.
    `settings` are broker configs KEY=VALUE of the candidate. `arm` is that of a candidate with the
    agent. `seeds` is a range A-B, or "none".
    """

    kafka: str | None = None
    image: str | None = None
    agent: bool = True
    arm: str | None = None
    settings: Sequence[str] = field(default_factory=tuple)
    baseline: str | None = None
    levels: Sequence[str] | None = None
    only: Sequence[str] | None = None
    seeds: str = "1-6"
    repeats: int = 1
    scale: float | None = None
    criteria: Path | None = None
    unknown_methods: bool = False

    def build(self) -> tuple[str, str]:
        """Return the option that names the build, and its value; raises InputError for several."""
        if self.image is None:
            return "--kafka", self.kafka or DEFAULT_KAFKA
        if self.kafka is not None:
            raise InputError("--kafka and --image: expected one build to judge")
        return "--image", self.image

    def table(self) -> dict[str, str]:
        """Return the broker configs as a table; raises InputError."""
        found = {}
        for text in self.settings:
            key, equals, value = text.partition("=")
            if not (key and equals):
                raise InputError(f"--config {text!r}: expected KEY=VALUE")
            found[key] = value
        return found

    def seed_numbers(self) -> list[int]:
        """Return the seeds; raises InputError."""
        return [] if self.seeds == NO_SEEDS else list(seeds_of(self.seeds))
