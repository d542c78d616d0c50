"""Select the scenarios of a matrix: those of the default group, or those that `--only` names.

Every built-in scenario can be named, also one that is in no group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from insync.errors import InputError, did_you_mean
from insync.metrics import DEFAULT_FIGURES
from insync.scenario.groups import DEFAULT, Group, groups
from insync.scenario.load import builtin_names

UNGROUPED: Final = Group(name="", scenarios=(), figures=DEFAULT_FIGURES)
"""How a scenario of no group is run: with its own times, and the figures of the default group."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A scenario of a matrix, and its group."""

    scenario: str
    group: Group


def entries(only: Sequence[str] | None) -> list[Entry]:
    """Return the scenarios to run, in the order of the groups; raises InputError."""
    wanted = [DEFAULT] if only is None else only
    known = groups()
    all_entries = [
        Entry(scenario, group) for group in known.values() for scenario in group.scenarios
    ]
    grouped = {entry.scenario for entry in all_entries}
    all_entries += [Entry(name, UNGROUPED) for name in builtin_names() if name not in grouped]
    names = dict.fromkeys([*(entry.scenario for entry in all_entries), *known])
    for name in wanted:
        if name not in names:
            near = did_you_mean(name, names)
            raise InputError(f"--only: {name!r}, expected one of: {', '.join(names)}{near}")
    return [
        entry for entry in all_entries if entry.scenario in wanted or entry.group.name in wanted
    ]
