"""The records of a matrix's runs: a run begins with its first arm, and ends with its last."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from insync.matrix.task import Task
from insync.run.plan import Plan
from insync.run.runner import close_run, open_run

Ended = Mapping[tuple[str, str], set[str]]
"""The scenarios that came to their end, by version and arm."""


class Records:
    """Opens and closes the records of runs while their arms are played."""

    def __init__(self, runs: Iterable[Plan]) -> None:
        """Know the runs; each of its own folder."""
        self._runs = {run.out: run for run in runs}
        self._open: dict[Path, dict[str, Any]] = {}

    def begin(self, task: Task) -> None:
        """Open the runs that the task is the first to play in."""
        for part in task.parts:
            if part.out not in self._open:
                self._open[part.out] = open_run(self._runs[part.out])

    def close(self, ended: Ended) -> None:
        """Close the runs of which every arm came to its end; a second time does no harm."""
        for out, record in self._open.items():
            run = self._runs[out]
            of_arms = (ended.get((run.kafka.version, arm), ()) for arm in run.scenario.arms)
            whole = all(run.scenario.name in names for names in of_arms)
            if whole and "finished_ms" not in record:
                close_run(run, record)
