"""Define a cell: one scenario on one arm of one Kafka build with one seed, with nothing left open.

A cell is plain data, written as JSON: this process, a worker of a matrix, another machine or a job
of a CI runs it as it is. What it needs of the machine, such as jars, is looked up there (`tools`).
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, PlainSerializer, PlainValidator

from insync import arms
from insync.brokers.kafka.builds import find
from insync.events.schema import topic_name
from insync.nodes import BROKERS
from insync.run.request import DEFAULT_CLUSTER, AnyCluster, Existing
from insync.scenario.model import Scenario


def _resolved(scenario: object) -> Scenario:
    """Return a scenario; unlike in a file its control arms need not be among its arms."""
    if isinstance(scenario, Scenario):
        return scenario
    if not isinstance(scenario, dict):
        raise TypeError("expected the keys of a scenario")
    found = Scenario.model_validate({**scenario, "control_arms": []})
    return found.model_copy(update={"control_arms": tuple(scenario.get("control_arms", ()))})


class CellSpec(BaseModel):
    """A cell.

    Attributes:
        scenario: with its times scaled, what is expected of the version, and all arms of the run.
        text: the scenario's file, for the run folder; `builtin`: it comes with insync.
        kafka: the version, or the path of an own build.
        existing: the cluster, if insync does not start it.
        brokers: the ids of the scenario's brokers; only on an existing cluster they are others.
        topic_prefix: of its topics, which only an existing cluster needs.
        controller_agent: whether the controller is known to have the agent, in arms with it.
        seed: of record bytes, bursts and jitter; a repeat has it and its number.
        default_timeouts: whether clients were asked to keep their library's timeouts.
        keep_data: whether the brokers' data is kept in any case.
        out: the run folder, which the cells of a run share.

    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scenario: Annotated[Scenario, PlainValidator(_resolved), PlainSerializer(Scenario.as_dict)]
    text: str
    builtin: bool
    arm: str
    kafka: str
    cluster: AnyCluster = DEFAULT_CLUSTER
    existing: Existing | None = None
    brokers: tuple[int, ...] = tuple(range(1, BROKERS + 1))
    topic_prefix: str = ""
    controller_agent: bool
    scale: float = 1.0
    seed: int = 1
    default_timeouts: bool = False
    unknown_methods: bool = False
    keep_data: bool = False
    out: Path

    @property
    def name(self) -> str:
        """The name among the cells of a campaign, whose run folders are relative."""
        return f"{self.out.as_posix()}/{self.arm}"

    @property
    def build(self) -> str:
        """The name of the Kafka in results: of an own build with a digest of its jars."""
        return find(self.kafka).name

    @property
    def carries_agent(self) -> bool:
        """Whether the brokers have the agent; in a race even stock has it, for pause points."""
        return arms.has_agent(self.arm) or self.scenario.race is not None

    @property
    def topics(self) -> list[str]:
        return [self.topic(repeat) for repeat in range(self.scenario.repeats)]

    def topic(self, repeat: int) -> str:
        return f"{self.topic_prefix}{topic_name(self.scenario.name, repeat)}"
