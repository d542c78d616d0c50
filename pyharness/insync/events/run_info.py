"""What the analysis needs to know from `run.json`.

`run.json` is what `insync run` leaves beside the events. Only the keys named here
are read, so a newer run with more keys still analyses. The scenario in it is the
resolved one: every time is already multiplied by the scale.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from insync.arms import expected_as
from insync.errors import InputError
from insync.events.schema import RUN


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Bound(_Part):
    """What a metric may be: at least `min`, at most `max`; both inclusive, either absent.

    A margin that a scenario allows beyond `max` is a part of it here.
    """

    min: float | None = None
    max: float | None = None

    @model_validator(mode="before")
    @classmethod
    def _with_margin(cls, keys: Any) -> Any:
        if not (isinstance(keys, dict) and isinstance(keys.get("max"), int | float)):
            return keys
        return {**keys, "max": keys["max"] + keys.get("margin", 0)}

    def __str__(self) -> str:
        """Write it as a reader says it: "at least 1", "exactly 0", "2 to 3"."""
        return self.written(lambda value: f"{value:g}")

    def written(self, write: Callable[[float], str]) -> str:
        """Write it like that, with its numbers written by `write`."""
        if self.min is not None and self.max is not None:
            if self.min == self.max:
                return f"exactly {write(self.min)}"
            return f"{write(self.min)} to {write(self.max)}"
        if self.min is not None:
            return f"at least {write(self.min)}"
        return f"at most {write(self.max)}" if self.max is not None else "anything"


class PlannedFault(_Part):
    """A fault the scenario planned for each repeat."""

    kind: str
    site: str = ""
    mode: str = ""
    broker: int
    partitions: tuple[int, ...] = ()
    for_ms: float = Field(default=0, ge=0)
    delay_ms: float = Field(default=0, ge=0)
    acts_ms: float = Field(default=0, ge=0)


class BrokerSettings(_Part):
    """When a follower is out of sync, and how long a leader that moved stays (milliseconds).

    The latter is the agent's own default where the scenario does not say it.
    """

    replica_lag_time_max_ms: float = Field(gt=0)
    leader_relinquish_cooldown_ms: float = Field(default=300_000, gt=0)


class Transactions(_Part):
    """The transactional producers: of each, the broker that coordinates it."""

    coordinators: tuple[int, ...] = Field(min_length=1)


class Bursts(_Part):
    """Partitions that got their records in bursts, and how many records a burst had."""

    partitions: tuple[int, ...]
    records: int = Field(ge=1)


class Workload(_Part):
    """Who leads which partition: `leaders[p]` is the broker that leads partition `p`."""

    leaders: tuple[int, ...] = Field(min_length=1)
    bursts: tuple[Bursts, ...] = ()
    transactions: Transactions | None = None


class Comparison(_Part):
    """What an arm's metric may be, by another's: `at_most`, `at_least` or `below` times it."""

    metric: str
    arm: str
    against: str
    at_most: float | None = None
    at_least: float | None = None
    below: float | None = None

    def __str__(self) -> str:
        """Write it as a reader says it: "at most 1.1 times that of stock"."""
        for words, times in (
            ("at most", self.at_most), ("at least", self.at_least), ("less than", self.below)
        ):  # fmt: skip
            if times is not None:
                factor = "" if times == 1 else f"{times:g} times "
                return f"{words} {factor}that of {self.against}"
        return f"anything beside that of {self.against}"


class ScenarioInfo(_Part):
    """The part of the resolved scenario that the analysis rests on."""

    summary: str = ""
    control_arms: tuple[str, ...] = ()
    min_insync_replicas: int = Field(ge=1)
    broker: BrokerSettings
    workload: Workload
    faults: tuple[PlannedFault, ...] = ()
    race: dict[str, str] | None = None
    expect: dict[str, dict[str, Bound]] = Field(default_factory=dict)
    compare: tuple[Comparison, ...] = ()

    def expected_of(self, arm: str) -> dict[str, Bound]:
        """Return what is expected of an arm, under its own name or the one it goes by."""
        names = (name for name in expected_as(arm) if name in self.expect)
        return self.expect.get(next(names, arm), {})


class RunInfo(_Part):
    """One run: what was asked for, and whether it came to its end.

    `skipped` says why it could not be run where it was asked for. `controller_agent` says
    whether the controller carried the agent in the arms that have it; it did not in older runs.
    `builtin` says whether the scenario came with insync under its name, and not from a file.
    """

    scenario_name: str
    scenario: ScenarioInfo
    kafka: str
    cluster: str = "local"
    scale: float
    seed: int
    builtin: bool = False
    controller_agent: bool = False
    arms: tuple[str, ...] = Field(min_length=1)
    repeats: int = Field(ge=1)
    started_ms: float
    finished_ms: float | None = None
    skipped: str | None = None
    host: dict[str, Any] = Field(default_factory=dict)

    @property
    def is_race(self) -> bool:
        """Whether a race was run, and neither faults nor a workload."""
        return self.scenario.race is not None

    @property
    def finished(self) -> bool:
        """Whether the run wrote its last word; one that was cut short proves nothing."""
        return self.finished_ms is not None

    @property
    def control_arms(self) -> tuple[str, ...]:
        """The arms of this run that are there to show what happens without the plugin."""
        return tuple(arm for arm in self.arms if arm in self.scenario.control_arms)

    @property
    def partitions(self) -> int:
        """How many partitions each repeat's topic has."""
        return len(self.scenario.workload.leaders)


def load_run(folder: Path) -> RunInfo:
    """Read `folder/run.json`; raises InputError if the folder is not a run's."""
    path = folder / RUN
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: no run folder ({RUN}: {error.strerror})") from None
    try:
        return RunInfo.model_validate_json(text)
    except ValidationError as error:
        raise InputError(f"{path}: {first_problem(error)}") from None


def run_name(info: RunInfo) -> str:
    """Name a run by what it was and when it began: the same for every copy of its folder."""
    asked = (info.kafka, info.cluster, info.scale, info.seed, info.arms, info.started_ms)
    digest = hashlib.sha256(repr((info.scenario_name, *asked)).encode()).hexdigest()[:8]
    began = datetime.fromtimestamp(info.started_ms / 1e3, UTC)
    return f"{info.scenario_name}-{began:%Y%m%dT%H%M%S}-{digest}"


def first_problem(error: ValidationError) -> str:
    """Say in one line where a JSON file is not as expected, and what was expected there."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(step) for step in first["loc"]) or "the file"
    return f"{where}: {first['msg']}"
