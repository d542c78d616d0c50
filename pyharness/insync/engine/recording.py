"""Record many runs below one folder, their arms side by side; it can be continued.

Each arm has its own process so that its clients never wait for another arm's in one interpreter,
and so that a failing arm does not affect others. The processes end when this process ends.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from insync.brokers.kafka import process
from insync.engine.worker import Ended, Task, ended_of, save_task, tasks_of, without_known
from insync.errors import InsyncError
from insync.events.matrix_info import Along, MatrixInfo, MatrixRow, save_matrix
from insync.events.schema import RUN, events_dir
from insync.metrics import DEFAULT_FIGURES
from insync.progress import Progress, ProgressReader
from insync.run.plan import Plan
from insync.run.request import make_out
from insync.run.runner import close_run, open_run


class Records:
    """Opens and completes the records of runs while their arms run."""

    def __init__(self, runs: Iterable[Plan], ended: Ended = ()) -> None:
        """Keep the runs, of which some arms have `ended` before; each has its own folder."""
        self._runs = {run.out: run for run in runs}
        self._ended = set(ended)

    def begin(self, task: Task) -> None:
        """Open the records of the runs of a task that are not open yet.

        What an interrupted worker recorded of a cell is removed, because the cell is run again.
        """
        for cell in task.cells:
            if not (cell.out / RUN).is_file():
                open_run(self._runs[cell.out])
            shutil.rmtree(events_dir(cell.out, cell.arm), ignore_errors=True)

    def close(self, ended: Ended) -> None:
        """Complete the records of runs whose arms have all finished; may be called again."""
        self._ended.update(ended)
        for out, run in list(self._runs.items()):
            if all((out, arm) in self._ended for arm in run.scenario.arms):
                close_run(out)
                del self._runs[out]


LOOK_SECONDS: Final = 0.2
STOP_SECONDS: Final = 60.0
"""How long an arm may take to stop cleanly: clients, cluster, the controller's log."""


@dataclass(slots=True)
class Worker:
    """The running process of a task, and its last reported phase."""

    task: Task
    process: "subprocess.Popen[bytes]"
    reader: ProgressReader
    says: str = field(default="starting the cluster")
    is_up: bool = False


class SideBySide:
    """Runs the tasks of all versions in one pool; `ended` says which arms of which runs have ended.

    With one pool the last arms of a version run in parallel with the first arms of the next.
    Clusters start one after the other, because a start is limited by CPU: parallel starts would
    take as long in total, and would take CPU time from the running scenarios.
    """

    def __init__(self, progress: Progress, records: Records) -> None:
        """Run nothing yet."""
        self._progress = progress
        self._records = records
        self._tasks: list[Task] = []
        self._running: list[Worker] = []

    @property
    def ended(self) -> Ended:
        """The arms that have finished, with the folder of their run."""
        return ended_of(self._tasks)

    def run(self, tasks: Sequence[Task], at_once: int) -> list[str]:
        """Run all tasks, at most `at_once` at a time; return the errors of those that failed.

        On an exception, including Ctrl-C, the running tasks are first stopped cleanly.
        """
        waiting, wrong = list(tasks), []
        try:
            while waiting or self._running:
                if waiting and len(self._running) < at_once and self._are_up():
                    self._running.append(self._start(waiting.pop(0)))
                    self._tell()
                wrong += self._look()
                if self._are_up() and (not waiting or len(self._running) == at_once):
                    self._let_go()
                self._records.close(self.ended)
        finally:
            self._stop()
        return wrong

    def _are_up(self) -> bool:
        return all(each.is_up for each in self._running)

    def _let_go(self) -> None:
        """Let the tasks begin that wait for the clusters of the others."""
        for each in self._running:
            if each.task.go is not None:
                each.task.go.touch()

    def _start(self, task: Task) -> Worker:
        self._records.begin(task)
        self._tasks.append(task)
        command = [sys.executable, "-m", "insync.engine.worker", str(save_task(task))]
        reader = ProgressReader(task.progress)
        list(reader.news())  # of a worker that was interrupted
        started = process.start(command, log=task.log, folder=Path.cwd(), environment=os.environ)
        return Worker(task, started, reader)

    def _look(self) -> list[str]:
        """Wait briefly for the first task; read all progress; return errors of ended tasks."""
        with suppress(subprocess.TimeoutExpired):
            self._running[0].process.wait(LOOK_SECONDS)
        gone = [each for each in self._running if each.process.poll() is not None]
        for each in self._running:
            self._hear(each)
        for each in gone:
            self._running.remove(each)
        return [
            f"{each.task.name}: {process.complaint(each.task.log)}"
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
        """Stop the running tasks cleanly; raises InsyncError if one had to be killed."""
        for each in self._running:
            each.process.terminate()
        for each in self._running:
            try:
                each.process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill([each.process])
                raise InsyncError(
                    f"{each.task.name}: did not stop in {STOP_SECONDS:.0f} s, see {each.task.log}"
                ) from None
            self._hear(each)


@dataclass(frozen=True, slots=True)
class Recording:
    """Runs with their folder; `runs` are those of the rows that are possible here."""

    folder: Path
    info: MatrixInfo
    runs: Sequence[Plan]

    @classmethod
    def of(cls, folder: Path, runs: Sequence[Plan]) -> "Recording":
        """Return the recording of runs which are shown by the default figures."""
        rows = tuple(row_of(run, folder) for run in runs)
        return cls(folder, MatrixInfo(repeats=None, rows=rows), possible(runs))


def possible(runs: Sequence[Plan]) -> list[Plan]:
    """Return the runs that are possible on this machine."""
    return [run for run in runs if run.skip is None]


def row_of(
    run: Plan, folder: Path, figures: Sequence[str] = DEFAULT_FIGURES, along: Along | None = None
) -> MatrixRow:
    """Return the row of a run below `folder`."""
    return MatrixRow(
        kafka=run.tools.kafka.version,
        scenario=run.scenario.name,
        summary=run.scenario.summary,
        arms=run.scenario.arms,
        folder=run.out.relative_to(folder).as_posix(),
        skipped=run.skip,
        figures=tuple(figures),
        along=along,
    )


def record(recordings: Sequence[Recording], progress: Progress, at_once: int) -> list[str]:
    """Record all runs, without the analysis; return the failures of whole arms.

    Each run becomes a run folder. In every case no process is left running, and a run is complete
    if all of its arms have finished. Cells that came to their end in an earlier call are kept; the
    others are run again. If there are several recordings, their first cells begin together, when
    the clusters of the arms that run at the same time are up: none of them shares the machine with
    the start of a cluster.
    """
    for each in recordings:
        make_out(each.folder)
        save_matrix(each.folder, each.info)
    runs = [run for each in recordings for run in each.runs]
    tasks = [
        task
        for each in recordings
        for task in tasks_of((cell for run in each.runs for cell in run.cells), each.folder)
    ]
    records = Records(runs, ended_of(tasks))
    left = [task for each in tasks if (task := without_known(each)) is not None]
    if len(recordings) > 1:
        left = [each.model_copy(update={"go": each.folder / f"{each.arm}.go"}) for each in left]
    progress.expect(sum(cell.scenario.repeats for task in left for cell in task.cells))
    arms = SideBySide(progress, records)
    try:
        return arms.run(left, at_once)
    finally:
        records.close(arms.ended)
