"""The cases of the level faults: built-in scenarios and seeds of the fuzz, for each side.

A side runs a case under its own arm and with its own configs, and is expected to behave as the arm
that it claims to be. So a build with the change inside is judged as the agent's arm is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from insync.arms import stand_in
from insync.brokers.kafka.versions import numbers
from insync.errors import InputError
from insync.fuzz.draw import Choices, draw, for_version
from insync.matrix.groups import entries
from insync.scenario.load import keys_of, load
from insync.scenario.model import Scenario
from insync.scenario.problems import describe
from insync.verify.level import Verification
from insync.verify.sides import Side


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A scenario with its times scaled, and the figures by which it is shown.

    `seed` is its number if it was drawn.
    """

    scenario: Scenario
    figures: Sequence[str] = ()
    seed: int | None = None

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return self.scenario.name


def cases_of(what: Verification) -> list[Case]:
    """Return all cases; raises InputError."""
    found = []
    for entry in entries(what.request.only):
        own = entry.group.scale_of(entry.scenario)
        scale = own if what.request.scale is None else what.request.scale
        found.append(Case(scenario=load(entry.scenario, scale), figures=entry.group.figures))
    older = min(numbers(side.release.name) for side in (what.candidate, what.baseline))
    choices = for_version(Choices(arms=[what.baseline.arm], kinds=what.kinds), older)
    drawn = (Case(scenario=draw(seed, choices), seed=seed) for seed in what.seeds)
    return [*found, *drawn]


def of_side(case: Case, side: Side, repeats: int) -> Scenario:
    """Return the scenario that a side runs; raises InputError. A seed is run once."""
    scenario = case.scenario
    controls = stand_in(side.arm, scenario.control_arms)
    keys = keys_of(scenario)
    keys["broker"]["settings"] = {**scenario.broker.settings, **side.settings}
    changed = {
        **keys,
        "arms": [side.arm],
        "control_arms": [side.arm] if controls and side.agent is None and not side.settings else [],
        "repeats": 1 if case.seed is not None else repeats,
        "expect": _of_claim(keys.get("expect", {}), side),
        "expect_on_zookeeper": _of_claim(keys.get("expect_on_zookeeper", {}), side),
        "expect_on": {
            version: _of_claim(table, side) for version, table in keys.get("expect_on", {}).items()
        },
        "compare": [],
    }
    try:
        return Scenario.model_validate(changed)
    except ValidationError as error:
        problems = "\n".join(f"{scenario.name}: {each}" for each in describe(error))
        raise InputError(problems) from error


def _of_claim(table: Mapping[str, Any], side: Side) -> dict[str, Any]:
    """Return what is expected of the arm that a side claims to be, under the arm that it has."""
    name = None if side.claims is None else stand_in(side.claims, table)
    return {} if name is None else {side.arm: table[name]}
