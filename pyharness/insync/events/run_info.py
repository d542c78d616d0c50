"""Read `run.json`, the record of a run, for the analysis.

`insync run` writes it beside the events. Only the keys named here are read, so a newer run with
more keys can still be analysed. The scenario in it is resolved: every time is already multiplied
by the scale.

`Recorded` and `read_recorded` read the other JSON files of runs and matrices, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from insync.arms import reports_step_downs, stand_in
from insync.clients import DEFAULT_CLIENT
from insync.errors import InputError
from insync.events.schema import RUN, SCHEMA_VERSION
from insync.metrics import Requirement
from insync.nodes import node_words

_Content = TypeVar("_Content")


class Recorded(BaseModel):
    """A part of a file that insync wrote; keys that it does not name are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Bound(Recorded):
    """The allowed range of a metric: from `min` to `max`, both inclusive, each optional.

    `max` includes the margin that a scenario may allow.
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
        """Return the range in words: "at least 1", "exactly 0", "2 to 3"."""
        return self.written(lambda value: f"{value:g}")

    def written(self, write: Callable[[float], str]) -> str:
        """Return the range in words; `write` formats its numbers."""
        if self.min is not None and self.max is not None:
            if self.min == self.max:
                return f"exactly {write(self.min)}"
            return f"{write(self.min)} to {write(self.max)}"
        if self.min is not None:
            return f"at least {write(self.min)}"
        return f"at most {write(self.max)}" if self.max is not None else "anything"


def time_words(milliseconds: float) -> str:
    """Return a length of time with its unit, exactly: "3.75 s", "50 ms"."""
    whole = milliseconds >= 1000
    return f"{milliseconds / 1000:g} s" if whole else f"{milliseconds:g} ms"


_STRENGTHS: Final[Mapping[str, Callable[[float], str]]] = {
    "delay_ms": lambda ms: f"+ {time_words(ms)}",
    "by_ms": lambda ms: f"{'+' if ms > 0 else '-'} {time_words(abs(ms))}",
    "bytes_per_s": lambda rate: f"{rate / 1000:g} kB/s",
    "read_bytes_per_s": lambda rate: f"reads {rate / 1000:g} kB/s",
    "write_bytes_per_s": lambda rate: f"writes {rate / 1000:g} kB/s",
    "loss_percent": lambda percent: f"{percent:g} % lost",
    "quota_percent": lambda percent: f"{percent:g} %",
}
"""The keys of faults that say how strong one is, and how each is written."""
_NAMED: Final = ("cut", "drop", "reset", "error")
"""Modes without such a key."""


class PlannedFault(Recorded):
    """A fault that the scenario plans for each repeat, with all keys of its kind."""

    model_config = ConfigDict(extra="allow")

    kind: str
    site: str = ""
    mode: str = ""
    type: str = ""
    broker: int
    partitions: tuple[int, ...] = ()
    at_ms: float = Field(default=0, ge=0)
    for_ms: float = Field(default=0, ge=0)
    delay_ms: float = Field(default=0, ge=0)
    acts_ms: float = Field(default=0, ge=0)
    by_ms: float = 0

    @property
    def words(self) -> str:
        """What it is, how strong and where: "fsync stall + 1.5 s at broker 1", "link 1-3 cut"."""
        keys = self.model_dump()
        peer, direction = keys.get("peer"), keys.get("direction", "both")
        words = [f"{keys.get('api', self.site)} {self.kind}".strip()]
        words += [] if peer is None else [f"{self.broker}-{peer}"]
        words += [keys.get("error") or self.mode] if self.mode in _NAMED else []
        words += ["unprocessed"] if keys.get("processed") is False else []
        words += ["unclean"] if self.type == "unclean" else []
        words += [write(keys[key]) for key, write in _STRENGTHS.items() if keys.get(key)]
        if peer is None or direction != "both":
            words += ["at" if direction == "both" else direction, node_words(self.broker)]
        return " ".join(words)


class BrokerSettings(Recorded):
    """Broker settings in milliseconds: the lag limit, and the cooldown after a leader steps down.

    The cooldown has the agent's default if the scenario does not set it.
    """

    replica_lag_time_max_ms: float = Field(gt=0)
    insync_relinquish_cooldown_ms: float = Field(default=300_000, gt=0)


class RunTransactions(Recorded):
    """The transactional producers: for each one the broker that coordinates it."""

    coordinators: tuple[int, ...] = Field(min_length=1)


class RunGroup(Recorded):
    """A consumer group: its protocol, and the number of its members."""

    protocol: str
    members: int


class RunWorkload(Recorded):
    """The workload; `leaders[p]` is the broker that leads partition `p`.

    `client_retries` is whether producers sent records again that a broker had refused, `client`
    the library of producers and consumers.
    """

    leaders: tuple[int, ...] = Field(min_length=1)
    client_retries: bool = True
    client: str = DEFAULT_CLIENT
    acks: str = "all"
    groups: tuple[RunGroup, ...] = ()
    transactions: RunTransactions | None = None


class ArmLimit(Recorded):
    """A limit for an arm's metric: so many times another arm's and a margin."""

    metric: str
    arm: str
    against: str
    at_most: float | None = Field(default=None, gt=0)
    at_least: float | None = Field(default=None, gt=0)
    below: float | None = Field(default=None, gt=0)
    margin: float = 0.0

    @property
    def factor(self) -> float:
        """How many times the other arm's value the limit is."""
        return self.at_most or self.at_least or self.below or 0.0

    def holds(self, own: float, other: float) -> bool:
        """Whether a value keeps the limit."""
        limit = self.factor * other + self.margin
        if self.at_most is not None:
            return own <= limit
        return own >= limit if self.at_least is not None else own < limit

    def __str__(self) -> str:
        """Return the comparison in words: "at most 1.1 times that of stock"."""
        words = "at most" if self.at_most else "at least" if self.at_least else "less than"
        factor = "" if self.factor == 1 else f"{self.factor:g} times "
        margin = f" + {self.margin:g}" if self.margin else ""
        return f"{words} {factor}that of {self.against}{margin}"


class ScenarioInfo(Recorded):
    """The part of the resolved scenario that the analysis uses."""

    summary: str = ""
    control_arms: tuple[str, ...] = ()
    min_insync_replicas: int = Field(ge=1)
    broker: BrokerSettings
    workload: RunWorkload
    faults: tuple[PlannedFault, ...] = ()
    race: dict[str, str] | None = None
    expect: dict[str, dict[str, Bound]] = Field(default_factory=dict)
    compare: tuple[ArmLimit, ...] = ()

    def planned(self, recorded: Iterable[tuple[str, str, int]]) -> Iterator[PlannedFault]:
        """Yield what recorded faults were planned as; each is a kind, a site and a broker.

        Faults begin in the order of their planned times, and in the scenario's order at one time.
        """
        left = sorted(self.faults, key=lambda each: each.at_ms)
        for of in recorded:
            own = (each for each in left if (each.kind, each.site, each.broker) == of)
            found = next(own, None)
            if found is not None:
                left.remove(found)
            yield found or PlannedFault(kind=of[0], site=of[1], broker=of[2])

    def expected_of(self, arm: str) -> dict[str, Bound]:
        """Return what is expected of an arm, under its own name or its other name."""
        return self.expect.get(stand_in(arm, self.expect) or arm, {})


class RunInfo(Recorded):
    """One run: its options, and whether it finished.

    `skipped` says why it could not be run on its machine. `controller_agent` says whether the
    controller had the agent, in arms with the agent. `builtin` says whether the scenario is
    insync's own, not from a file. `keep_data` is whether the brokers' data is kept whatever the
    verdict is.
    `kafka_path` is where an own build of Kafka was; `kafka` is then its version and a digest of its
    jars. `unknown_methods` says whether the agent was allowed to weave methods that no known build
    has. `clients_only` says whether insync did not start the brokers: then there is no log of a
    node, only what clients saw, and what the brokers' agents answered over their bridges.
    """

    schema_version: Literal[1] = Field(default=SCHEMA_VERSION, alias="schema")
    scenario_name: str
    scenario: ScenarioInfo
    kafka: str
    kafka_path: str | None = None
    cluster: str = "local"
    scale: float
    seed: int
    builtin: bool = False
    keep_data: bool = False
    default_timeouts: bool = False
    unknown_methods: bool = False
    clients_only: bool = False
    controller_agent: bool = False
    arms: tuple[str, ...] = Field(min_length=1)
    repeats: int = Field(ge=1)
    started_ms: float
    finished_ms: float | None = None
    skipped: str | None = None
    host: dict[str, Any] = Field(default_factory=dict)

    @property
    def is_race(self) -> bool:
        """Whether this run is a race, without faults and workload."""
        return self.scenario.race is not None

    def has(self, requirement: Requirement, arm: str) -> bool:
        """Whether an arm of this run has what metrics require that are not of every repeat."""
        if self.is_race:
            return requirement == "race"
        workload = self.scenario.workload
        return {
            "workload": True,
            "no-retries": not workload.client_retries,
            "groups": bool(workload.groups),
            "transactions": workload.transactions is not None,
            "step-down": reports_step_downs(arm),
            "race": False,
        }[requirement]

    @property
    def finished(self) -> bool:
        """Whether the run finished; a run that was cut short proves nothing."""
        return self.finished_ms is not None

    @property
    def control_arms(self) -> tuple[str, ...]:
        """The arms of this run that show what happens without the plugin."""
        return tuple(arm for arm in self.arms if stand_in(arm, self.scenario.control_arms))

    @property
    def tested_arms(self) -> tuple[str, ...]:
        """The arms of this run that are under test: all but the control arms."""
        return tuple(arm for arm in self.arms if arm not in self.control_arms)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The control arms that the scenario names and this run has not."""
        return tuple(arm for arm in self.scenario.control_arms if not stand_in(arm, self.arms))

    def compares(self, arm: str) -> list[ArmLimit]:
        """Return what is expected of an arm beside other arms, with the names that these have here.

        An arm that was not run keeps the name that it has in the scenario.
        """
        name = stand_in(arm, [each.arm for each in self.scenario.compare])
        others = [each for each in self.arms if each != arm]
        return [
            each.model_copy(
                update={"arm": arm, "against": stand_in(each.against, others) or each.against}
            )
            for each in self.scenario.compare
            if each.arm == name
        ]

    @property
    def partitions(self) -> int:
        """How many partitions each repeat's topic has."""
        return len(self.scenario.workload.leaders)


def load_run(folder: Path) -> RunInfo:
    """Read `folder/run.json`; raises InputError if the folder is not a run folder."""
    return read_recorded(RunInfo, folder, RUN, "a run folder")


def run_name(info: RunInfo) -> str:
    """Return a run's name, from its options and start time; copies of its folder share it."""
    options = (info.kafka, info.cluster, info.scale, info.seed, info.arms, info.started_ms)
    digest = hashlib.sha256(repr((info.scenario_name, *options)).encode()).hexdigest()[:8]
    began = datetime.fromtimestamp(info.started_ms / 1e3, UTC)
    return f"{info.scenario_name}-{began:%Y%m%dT%H%M%S}-{digest}"


def read_recorded(content: type[_Content], folder: Path, name: str, wanted: str) -> _Content:
    """Read the JSON file `name` of a folder that should be `wanted`; raises InputError."""
    try:
        return TypeAdapter(content).validate_json((folder / name).read_bytes())
    except OSError as error:
        raise InputError(f"{folder}: not {wanted} ({name}: {error.strerror})") from None
    except ValidationError as error:
        raise InputError(f"{folder / name}: {first_problem(error)}") from None


def first_problem(error: ValidationError) -> str:
    """Return in one line the first invalid key of a JSON file, and what was expected there."""
    first = error.errors(include_url=False)[0]
    where = ".".join(str(step) for step in first["loc"]) or "the file"
    return f"{where}: {first['msg']}"
