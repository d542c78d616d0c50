"""What a broker is given beyond its plan: by a fault, by a scenario, by whoever tests with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, kw_only=True, slots=True)
class Equipment:
    """One broker's own environment, paths and settings.

    Args:
        environment: variables of its JVM, beside those of the harness.
        files: paths outside its folder that the JVM reads, such as a library to preload.
        shared: paths outside its folder that it writes to as well, such as a control file.
        settings: added to its server.properties; these win over all others.

    """

    environment: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[Path] = ()
    shared: Sequence[Path] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


NOTHING = Equipment()
