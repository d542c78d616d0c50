"""Every level of a verification, found in `levels/`: to add one, add a file with a `LEVEL`."""

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Final

from insync.closest import did_you_mean
from insync.errors import InputError
from insync.verify import levels
from insync.verify.level import Level

ALL: Final = "all"


def _found() -> Iterator[Level]:
    for name in levels.NAMES:
        yield import_module(f"{levels.__name__}.{name}").LEVEL


LEVELS: Final[Mapping[str, Level]] = {
    level.name: level for level in sorted(_found(), key=lambda level: level.place)
}
"""The levels by name, in the order in which they run."""


def chosen(names: Sequence[str] | None) -> list[Level]:
    """Return the levels that are named, in order; without names those that are not long.

    `all` names all of them. Raises InputError.
    """
    if names is not None and list(names) == [ALL]:
        return list(LEVELS.values())
    for name in names or ():
        if name not in LEVELS:
            near = did_you_mean(name, LEVELS)
            raise InputError(
                f"--level: {name!r}, expected {ALL} or some of: {', '.join(LEVELS)}{near}"
            )
    if names is None:
        return [level for level in LEVELS.values() if not level.long]
    return [level for name, level in LEVELS.items() if name in names]
