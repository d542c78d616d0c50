"""Runs the arms of a matrix, each in a process of its own, a few at a time.

A process each, so that one arm's clients never wait for another's in one interpreter, and so
that one that breaks takes nothing else along. They end with this process, however it ends.
"""

import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from insync.brokers.kafka import process
from insync.errors import InsyncError
from insync.matrix.progress import ProgressReader, progress_file
from insync.matrix.task import Task, save_task
from insync.run.plan import Plan
from insync.run.progress import Progress
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


LOOK_SECONDS: Final = 0.2
STOP_SECONDS: Final = 60.0
"""How long an arm may take to stop in order: clients, cluster, the controller's log."""


@dataclass(slots=True)
class Worker:
    """The running process of a task, and what it last said."""

    task: Task
    process: "subprocess.Popen[bytes]"
    log: Path
    reader: ProgressReader
    says: str = field(default="starting the cluster")
    is_up: bool = False


class SideBySide:
    """Runs tasks, of several versions in one pool; `ended` says which scenarios came to their end.

    So the last arms of a version, when few of them are left, run beside the first of the next.
    Clusters start one after the other: a start is all CPU, several together take as long, and
    take the cores from those that play already.
    """

    def __init__(self, matrix: Path, progress: Progress, records: Records) -> None:
        """Keep tasks, logs and progress in the folder of the `matrix`, by version."""
        self._matrix = matrix
        self._progress = progress
        self._records = records
        self._running: list[Worker] = []
        self._done: list[Worker] = []

    @property
    def ended(self) -> Ended:
        """The scenarios that came to their end."""
        return {
            (each.task.kafka, each.task.arm): each.reader.ended
            for each in (*self._done, *self._running)
        }

    def run(self, tasks: Sequence[Task], at_once: int) -> list[str]:
        """Run all tasks, at most `at_once` at a time; return what is wrong with those that broke.

        On an exception, Ctrl-C among them, those that run are stopped in order first.
        """
        waiting, wrong = list(tasks), []
        try:
            while waiting or self._running:
                if waiting and len(self._running) < at_once and self._are_up():
                    self._running.append(self._start(waiting.pop(0)))
                    self._tell()
                wrong += self._look()
                self._records.close(self.ended)
        finally:
            self._stop()
        return wrong

    def _are_up(self) -> bool:
        return all(each.is_up for each in self._running)

    def _start(self, task: Task) -> Worker:
        self._records.begin(task)
        path = save_task(task, self._matrix)
        log = path.with_suffix(".log")
        command = [sys.executable, "-m", "insync.matrix.worker", str(path)]
        started = process.start(command, log=log, folder=Path.cwd(), environment=os.environ)
        return Worker(task, started, log, ProgressReader(progress_file(path)))

    def _look(self) -> list[str]:
        """Wait a moment for the first to end; hear all; return what is wrong with the ended."""
        with suppress(subprocess.TimeoutExpired):
            self._running[0].process.wait(LOOK_SECONDS)
        gone = [each for each in self._running if each.process.poll() is not None]
        for each in self._running:
            self._hear(each)
        for each in gone:
            self._running.remove(each)
            self._done.append(each)
        return [
            f"{each.task.name}: {process.complaint(each.log)}"
            for each in gone
            if each.process.returncode
        ]

    def _hear(self, worker: Worker) -> None:
        for news in worker.reader.news():
            if "repeat_done" in news:
                self._progress.repeat_done()
            if "phase" in news:
                worker.says, worker.is_up = str(news["phase"]), True
                self._tell()

    def _tell(self) -> None:
        words = (f"{each.task.name}: {each.says}" for each in self._running)
        self._progress.phase(" | ".join(words))

    def _stop(self) -> None:
        """Stop those that still run, in order; raises InsyncError if one had to be killed."""
        for each in self._running:
            each.process.terminate()
        for each in self._running:
            try:
                each.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill([each.process])
                raise InsyncError(
                    f"{each.task.name}: did not stop in {STOP_SECONDS:.0f} s, see {each.log}"
                ) from None
            self._hear(each)
