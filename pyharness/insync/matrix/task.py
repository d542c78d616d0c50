"""Define the task of one process of a matrix: all scenarios of one version on one arm.

The task is a file, and the process gets the file's path as its only argument.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from insync.clients import Client
from insync.events.writer import write_atomic
from insync.run.plan import Plan
from insync.run.request import DEFAULT_CLUSTER, AnyCluster

TASKS: Final = "tasks"


class Part(BaseModel):
    """One scenario of the task: the factor for its times, its clients, the folder of its run.

    `client` is None for the scenario's own, `file` the scenario's file if it is not built in.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    scenario: str
    file: str | None = None
    scale: float = 1.0
    client: Client | None = None
    default_timeouts: bool = False
    out: Path


class Task(BaseModel):
    """The scenarios of one arm, in order; `home` is the folder for its nodes.

    `folder` has the tasks, logs and progress of its version; `kafka_path` is where an own build is.
    Where `go` is a file, the first scenario begins when that file is there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kafka: str
    kafka_path: Path | None = None
    cluster: AnyCluster = DEFAULT_CLUSTER
    arm: str
    repeats: int | None
    seed: int
    folder: Path
    home: Path
    unknown_methods: bool = False
    go: Path | None = None
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """The task's name for readers."""
        return f"{self.kafka} {self.arm}"


def tasks_of(runs: Sequence[Plan], matrix: Path) -> list[Task]:
    """Return a task per version and arm of the runs, version after version.

    `matrix` is the folder of the matrix.
    """
    found: dict[tuple[str, str], list[Plan]] = {}
    for run in runs:
        for arm in run.scenario.arms:
            found.setdefault((run.kafka.version, arm), []).append(run)
    return [_task(kafka, arm, own, matrix) for (kafka, arm), own in found.items()]


def _task(kafka: str, arm: str, runs: Sequence[Plan], matrix: Path) -> Task:
    request = runs[0].request
    return Task(
        kafka=kafka,
        kafka_path=runs[0].kafka.release.path,
        cluster=request.cluster,
        arm=arm,
        repeats=request.repeats,
        seed=request.seed,
        unknown_methods=request.unknown_methods,
        folder=matrix / kafka / TASKS,
        home=matrix / kafka / "nodes" / arm,
        parts=tuple(
            Part(
                scenario=run.scenario.name, file=_file(run), scale=run.request.scale,
                client=run.request.client, default_timeouts=run.request.default_timeouts,
                out=run.out,
            )
            for run in runs
        ),
    )  # fmt: skip


def _file(run: Plan) -> str | None:
    name = run.request.scenario
    return None if name == run.scenario.name else name


def save_task(task: Task) -> Path:
    """Write the task into its folder; return its path."""
    path = task.folder / f"{task.arm}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_atomic(path, task.model_dump_json(indent=2))


def load_task(path: Path) -> Task:
    """Read a task; raises OSError, or ValueError if the file is invalid."""
    return Task.model_validate_json(path.read_bytes())
