"""What one process of a matrix is to do: all scenarios of one version on one arm.

The task is a file, for the process that does it is started by its name alone.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from insync.events.writer import write_atomic
from insync.run.plan import Plan
from insync.run.request import DEFAULT_CLUSTER, ClusterKind

TASKS: Final = "tasks"


class Part(BaseModel):
    """One scenario of the task, what its times are multiplied by, and the folder of its run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scenario: str
    scale: float = 1.0
    out: Path


class Task(BaseModel):
    """The scenarios of one arm, in order; `home` is the folder of its nodes."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kafka: str
    cluster: ClusterKind = DEFAULT_CLUSTER
    arm: str
    repeats: int | None
    seed: int
    home: Path
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """What it is called for people."""
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
    asked = runs[0].request
    return Task(
        kafka=kafka,
        cluster=asked.cluster,
        arm=arm,
        repeats=asked.repeats,
        seed=asked.seed,
        home=matrix / kafka / "nodes" / arm,
        parts=tuple(
            Part(scenario=run.scenario.name, scale=run.request.scale, out=run.out) for run in runs
        ),
    )


def save_task(task: Task, matrix: Path) -> Path:
    """Write the task into the folder of its version, in that of the matrix; return its path."""
    path = matrix / task.kafka / TASKS / f"{task.arm}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    return write_atomic(path, task.model_dump_json(indent=2))


def load_task(path: Path) -> Task:
    """Read a task; raises OSError, or ValueError if it is none."""
    return Task.model_validate_json(path.read_bytes())
