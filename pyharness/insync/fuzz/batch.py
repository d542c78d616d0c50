"""Record scenarios on shared clusters and analyse them together: a batch is a matrix folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import tomli_w

from insync.brokers.kafka.builds import find
from insync.brokers.kafka.java import Java
from insync.engine.recording import Recording, record
from insync.engines import AnalysisOptions
from insync.events.matrix_info import CELLS, load_matrix
from insync.events.schema import RUN
from insync.events.writer import write_atomic
from insync.progress import Progress
from insync.run.analysis import analyse_matrix
from insync.run.plan import Plan, resolve
from insync.run.request import RunRequest
from insync.scenario.load import keys_of
from insync.scenario.model import Scenario

SEED: Final = 1
"""The seed of record bytes and bursts of every run, that of `insync run` without --seed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BatchSettings:
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
    scenarios: Sequence[Scenario], folder: Path, bench: BatchSettings, progress: Progress
) -> list[str]:
    """Record and analyse scenarios in a new folder; return the failures of whole arms."""
    wrong = record_batch(scenarios, folder, bench, progress)
    analyse_batch(folder, bench, progress)
    return wrong


def record_batch(
    scenarios: Sequence[Scenario], folder: Path, bench: BatchSettings, progress: Progress
) -> list[str]:
    """Record scenarios together, an arm of all of them on one cluster while it is healthy."""
    runs = [_plan(scenario, folder, bench, progress) for scenario in scenarios]
    return record([Recording.of(folder, runs)], progress, bench.at_once)


def analyse_batch(folder: Path, bench: BatchSettings, progress: Progress) -> bool:
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


def _plan(scenario: Scenario, folder: Path, bench: BatchSettings, progress: Progress) -> Plan:
    request = RunRequest(
        scenario=scenario, kafka=bench.kafka, seed=SEED, unknown_methods=bench.unknown_methods
    )
    return resolve(request, folder / bench.name / scenario.name, progress)
