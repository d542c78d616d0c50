"""What a matrix is asked for, and its scenarios: the default group, or what `--only` names.

Every built-in scenario can be named, also one that is in no group.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from insync.errors import require_known
from insync.metrics import DEFAULT_FIGURES
from insync.run.request import (
    DEFAULT_CLUSTER,
    DEFAULT_KAFKA,
    KAFKA_HELP,
    ClusterKind,
    Names,
    OfRuns,
    exact_all,
)
from insync.scenario.groups import DEFAULT, ScenarioGroup, groups
from insync.scenario.load import builtin_names

UNGROUPED: Final = ScenarioGroup(name="", scenarios=(), figures=DEFAULT_FIGURES)
"""How a scenario of no group is run: with its own times, and the figures of the default group."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixRequest(OfRuns):
    """A request for one matrix; None means the default. Races keep their own client."""

    kafka: Annotated[Sequence[str], exact_all, f"Comma-separated. {KAFKA_HELP}"] = (DEFAULT_KAFKA,)
    cluster: Annotated[ClusterKind, "Run nodes as local processes or as Docker containers."] = (
        DEFAULT_CLUSTER
    )
    only: Annotated[
        Names,
        "Comma-separated scenarios, or groups: sites, article, false-alarms, kafka-7104, policies,"
        " slow-disk, slow-link, step-down. Default: the group sites.",
    ] = None
    arms: Annotated[
        Names, "Comma-separated arms. Default: those of the scenarios that the version supports."
    ] = None
    repeats: Annotated[
        int | None, "--repeat", "Repeats per cell. Default: those of the scenarios."
    ] = None
    scale: Annotated[
        float | None,
        "Factor for every time. Default: 0.5 for most of the group step-down, otherwise 1.",
    ] = None
    at_once: Annotated[
        int | None,
        "--side-by-side",
        "Arms to run at the same time (1 to 64), each on its own cluster. Default: 2, for some"
        " groups 4 or 8.",
    ] = None


@dataclass(frozen=True, slots=True)
class GroupRow:
    scenario: str
    group: ScenarioGroup


def entries(only: Sequence[str] | None) -> list[GroupRow]:
    """Return the scenarios to run, in the order of the groups; raises InputError."""
    wanted = [DEFAULT] if only is None else only
    known = groups()
    all_entries = [
        GroupRow(scenario, group) for group in known.values() for scenario in group.scenarios
    ]
    grouped = {entry.scenario for entry in all_entries}
    all_entries += [GroupRow(name, UNGROUPED) for name in builtin_names() if name not in grouped]
    names = dict.fromkeys([*(entry.scenario for entry in all_entries), *known])
    require_known("--only", wanted, names)
    return [
        entry for entry in all_entries if entry.scenario in wanted or entry.group.name in wanted
    ]
