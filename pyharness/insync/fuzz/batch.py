"""Record scenarios on shared clusters and analyse them together: a batch is a matrix folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tomli_w

from insync.brokers.kafka.builds import find
from insync.brokers.kafka.java import Java
from insync.engines import AnalysisOptions
from insync.events.matrix_info import CELLS, MatrixInfo, load_matrix
from insync.events.schema import RUN
from insync.events.writer import write_atomic
from insync.fuzz.simpler import keys_of
from insync.matrix.plan import MatrixPlan, MatrixRequest, row_of
from insync.matrix.runner import record_matrix
from insync.run.analysis import analyse_matrix
from insync.run.plan import Plan, resolve
from insync.run.progress import Progress
from insync.run.request import RunRequest
from insync.scenario.model import Scenario

SCENARIOS: Final = "scenarios"
SEED: Final = 1
"""The seed of record bytes and bursts of every run, that of `insync run` without --seed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Bench:
    """What batches are run with.

    `kafka` is the version or the path of an own build, and `unknown_methods` whether the agent may
    weave methods of it that no known build has; `at_once` is how many arms run at the same time.
    """

    kafka: str
    unknown_methods: bool = False
    at_once: int
    analysis: AnalysisOptions
    java: Java

    @property
    def name(self) -> str:
        """The name of the Kafka in results: of an own build with a digest of its jars."""
        return find(self.kafka).name


def run_batch(
    scenarios: Sequence[Scenario], folder: Path, bench: Bench, progress: Progress
) -> list[str]:
    """Record and analyse scenarios in a new folder; return the failures of whole arms."""
    wrong = record_batch(scenarios, folder, bench, progress)
    analyse_batch(folder, bench, progress)
    return wrong


def record_batch(
    scenarios: Sequence[Scenario], folder: Path, bench: Bench, progress: Progress
) -> list[str]:
    """Record scenarios as one matrix, an arm of all of them on one cluster while it is healthy."""
    runs = [_plan(scenario, folder, bench, progress) for scenario in scenarios]
    request = MatrixRequest(kafka=[bench.kafka], seed=SEED, at_once=bench.at_once)
    info = MatrixInfo(repeats=None, rows=tuple(row_of(run, folder) for run in runs), schema=1)
    return record_matrix(
        MatrixPlan(request, folder, info, [run for run in runs if run.skip is None], bench.at_once),
        progress,
    )


def analyse_batch(folder: Path, bench: Bench, progress: Progress) -> bool:
    """Compute the cells of a batch, unless they are there; return whether it recorded anything."""
    if (folder / CELLS).is_file():
        return True
    if not any((each / RUN).is_file() for each in load_matrix(folder).run_folders(folder)):
        return False
    analyse_matrix(folder, bench.analysis, progress)
    return True


def write_scenario(scenario: Scenario, file: Path) -> Path:
    """Write a scenario as a file that `insync run` reads; return its path."""
    file.parent.mkdir(parents=True, exist_ok=True)
    return write_atomic(file, tomli_w.dumps(keys_of(scenario)))


def _plan(scenario: Scenario, folder: Path, bench: Bench, progress: Progress) -> Plan:
    file = write_scenario(scenario, folder / SCENARIOS / f"{scenario.name}.toml")
    out = folder / bench.name / scenario.name
    request = RunRequest(
        scenario=str(file), kafka=bench.kafka, seed=SEED, unknown_methods=bench.unknown_methods
    )
    return resolve(request, out, progress)
