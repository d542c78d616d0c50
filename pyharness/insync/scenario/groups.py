"""The groups of built-in scenarios: one folder each, described by its `group.toml`.

`insync matrix` shows a group in one table. A scenario is in one group at most, and does not
name it. To add a scenario to a group, put its TOML file into the group's folder.
"""

import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from pydantic import BaseModel, ConfigDict

_ABOUT: Final = "group.toml"
_SUFFIX: Final = ".toml"
DEFAULT: Final = "sites"
"""The group that `insync matrix` runs if none is named."""


class ScenarioGroup(BaseModel):
    """A group of scenarios, in the order of its table.

    Attributes:
        name: what `--only` calls it.
        scenarios: all of them in order; those that `order` does not list come last, by name.
        scale: what their times are multiplied by.
        full_size: those whose times are not scaled.
        figures: the metrics that a cell of the table shows.
        at_once: how many arms run at the same time; each is a cluster of four small JVMs.
        along: the key of the first fault in which the scenarios differ; None: they differ in more.
        curves: the metrics that the page draws against it.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    scenarios: tuple[str, ...]
    figures: tuple[str, ...]
    scale: float = 1.0
    full_size: tuple[str, ...] = ()
    at_once: int = 2
    along: str | None = None
    curves: tuple[str, ...] = ()

    def scale_of(self, scenario: str) -> float:
        """Return what the scenario's times are multiplied by."""
        return 1.0 if scenario in self.full_size else self.scale


def builtin_files() -> dict[str, Traversable]:
    """Return the TOML file of every scenario that comes with insync, by name."""
    found = {
        file.name.removesuffix(_SUFFIX): file for folder in _folders() for file in _files(folder)
    }
    return dict(sorted(found.items()))


def groups() -> Mapping[str, ScenarioGroup]:
    """Return the groups by name, the default one first."""
    found = [_read(folder) for folder in _folders() if folder.joinpath(_ABOUT).is_file()]
    return {group.name: group for group in sorted(found, key=lambda group: group.name != DEFAULT)}


def _read(folder: Traversable) -> ScenarioGroup:
    about = tomllib.loads(folder.joinpath(_ABOUT).read_text(encoding="utf-8"))
    order = about.pop("order")
    others = {file.name.removesuffix(_SUFFIX) for file in _files(folder)} - set(order)
    return ScenarioGroup.model_validate({**about, "scenarios": (*order, *sorted(others))})


def _folders() -> list[Traversable]:
    top = resources.files("insync.scenario.builtin")
    return sorted((each for each in top.iterdir() if each.is_dir()), key=lambda each: each.name)


def _files(folder: Traversable) -> list[Traversable]:
    return [
        file for file in folder.iterdir() if file.name.endswith(_SUFFIX) and file.name != _ABOUT
    ]
