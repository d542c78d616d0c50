"""Campaigns whose cells are scenarios: record them side by side, and analyse them together."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from insync.brokers.kafka import process
from insync.engine.campaign import Campaign, Place
from insync.engine.worker import (
    Task,
    ended_of,
    progress_file,
    save_task,
    tasks_of,
    without_known,
)
from insync.errors import InsyncError
from insync.events.matrix_info import (
    CELLS,
    Along,
    MatrixInfo,
    MatrixRow,
    is_matrix,
    load_matrix,
    save_matrix,
)
from insync.events.schema import REPORT, RUN, events_dir
from insync.events.verdict import Cell, read_cells
from insync.lists import grouped
from insync.metrics import DEFAULT_FIGURES
from insync.progress import Progress, ProgressReader
from insync.report.words import arm_id
from insync.run.analysis import analyse_matrices
from insync.run.cell import CellSpec
from insync.run.plan import Plan, find_tools
from insync.run.request import make_out
from insync.run.requirements import unavailable
from insync.run.runner import close_run, open_run

LOOK_SECONDS: Final = 0.2
STOP_SECONDS: Final = 60.0
"""How long an arm may take to stop cleanly: clients, cluster, the controller's log."""


@dataclass(slots=True)
class Worker:
    task: Task
    process: "subprocess.Popen[bytes]"
    reader: ProgressReader
    says: str = "starting the cluster"
    is_up: bool = False


class SideBySide:
    """Runs the tasks of all versions in one pool; opens and completes the records of their `runs`.

    With one pool the last arms of a version run in parallel with the first arms of the next.
    Clusters start one after the other, because a start is limited by CPU: parallel starts would
    take as long in total, and would take CPU time from the running scenarios.
    """

    def __init__(self, tasks: Sequence[Task], runs: Iterable[Plan], progress: Progress) -> None:
        """Plan all cells of the tasks, also those that have come to their end before."""
        self._tasks = tasks
        self._open = {run.out: run for run in runs}
        self._progress = progress
        self._running: list[Worker] = []

    def run(self, at_once: int) -> list[str]:
        """Run what is left, at most `at_once` at a time; return the errors of tasks that failed.

        On an exception, including Ctrl-C, the running tasks are first stopped cleanly.
        """
        waiting = [task for each in self._tasks if (task := without_known(each)) is not None]
        self._progress.expect(sum(cell.scenario.repeats for task in waiting for cell in task.cells))
        wrong = []
        try:
            while waiting or self._running:
                if waiting and len(self._running) < at_once and self._are_up():
                    self._running.append(self._start(waiting.pop(0)))
                    self._tell()
                wrong += self._look()
                if self._are_up() and (not waiting or len(self._running) == at_once):
                    for each in self._running:
                        each.task.let_go()
                self._close()
        finally:
            try:
                self._stop()
            finally:
                self._close()
        return wrong

    def _close(self) -> None:
        """Complete the records of runs whose arms have all come to their end."""
        ended = ended_of(self._tasks)
        for out, run in list(self._open.items()):
            if all((out, arm) in ended for arm in run.scenario.arms):
                close_run(out)
                del self._open[out]

    def _are_up(self) -> bool:
        return all(each.is_up for each in self._running)

    def _start(self, task: Task) -> Worker:
        """Start a task, and open the records of its runs that are not open yet.

        What an interrupted worker recorded of a cell is removed, because the cell is run again.
        """
        for cell in task.cells:
            if not (cell.out / RUN).is_file():
                open_run(self._open[cell.out])
            shutil.rmtree(events_dir(cell.out, cell.arm), ignore_errors=True)
        file = save_task(task)
        task.go.unlink(missing_ok=True)
        reader = ProgressReader(task.progress)
        list(reader.news())  # of a worker that was interrupted
        command = [sys.executable, "-m", "insync.engine.worker", str(file)]
        return Worker(task, process.start(command, log=task.log, folder=Path.cwd()), reader)

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


def row_of(
    run: Plan, folder: Path, figures: Sequence[str] = DEFAULT_FIGURES, along: Along | None = None
) -> MatrixRow:
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


def save_rows(
    folder: Path,
    runs: Sequence[Plan],
    row: Callable[[Plan, Path], MatrixRow] = row_of,
    command: str = "",
) -> None:
    """Make the folder of runs; write what it says of itself."""
    make_out(folder)
    rows = tuple(row(run, folder) for run in runs)
    save_matrix(folder, MatrixInfo(command=command, rows=rows))


def record(folders: Mapping[Path, Sequence[Plan]], progress: Progress, at_once: int) -> list[str]:
    """Record the runs below each folder, without the analysis; return the failures of whole arms.

    Each run that is possible here becomes a run folder. In every case no process is left running,
    and a run is complete if all of its arms have finished. Cells that came to their end in an
    earlier call are kept; the others are run again. If there are several folders, their first cells
    begin together, when the clusters of the arms that run at the same time are up: none of them
    shares the machine with the start of a cluster.
    """
    possible = {of: [run for run in runs if run.skip is None] for of, runs in folders.items()}
    tasks = [
        task
        for folder, runs in possible.items()
        for task in tasks_of(
            (cell for run in runs for cell in run.cells), folder, waits=len(folders) > 1
        )
    ]
    return SideBySide(tasks, chain.from_iterable(possible.values()), progress).run(at_once)


BATCHES: Final = "batches"
_CHECKED: Final = 60
"""Of how many cells it is checked before the first file that this machine has what they need."""


class Broken(BaseModel):
    """Why an error cut a cell short, and whether a fault that could not act was why."""

    why: str
    by_fault: bool


class CellResult(BaseModel):
    """The result of a cell: its figures, the page of its run, and why it or its whole arm failed.

    The path of the page is relative to the campaign's folder.
    """

    cell: Cell
    report: str = ""
    broken: Broken | None = None
    failure: str | None = None

    @property
    def why(self) -> str:
        return f"cut short: {self.broken.why}" if self.broken else self.cell.reason

    @property
    def links(self) -> dict[str, str]:
        """Its arm in the page, if it was run."""
        ran = self.cell.report and self.cell.repeats
        return {"report": f"{self.report}#{arm_id(self.cell.arm)}"} if ran else {}


class ScenarioCampaign(Campaign[CellSpec]):
    """A campaign of scenarios.

    The run folders of its cells are relative to the folder of their batch: that of the campaign, or
    one of `batches/`. The result of a cell is a `CellResult`.
    """

    def group(self, cell: CellSpec) -> str:
        """Return the run folder: the arms of a run are analysed together."""
        return str(cell.out)

    def ready(self, progress: Progress) -> None:
        """Fetch missing jars, and check that all is built that the first cells need."""
        for cells in by_build(list(islice(self.cells({}), _CHECKED))):
            find_tools(cells, progress)

    def side(self, cell: CellSpec) -> str:
        """Return the folder of a cell's runs in that of its batch; several are run together."""
        return ""

    def row(self, run: Plan, folder: Path) -> MatrixRow:
        """Return the row of a run in what a folder of runs says of itself."""
        return row_of(run, folder)

    def run(self, cells: Sequence[CellSpec], place: Place) -> Iterator[tuple[str, Any]]:
        """Record and analyse a batch; one that was interrupted is continued."""
        home = _folder(self, cells, place.folder)
        sides = grouped(cells, self.side)
        runs = {home / side: plans_of(own, home, place.progress) for side, own in sides.items()}
        for folder, own in runs.items():
            save_rows(folder, own, self.row, "" if self.batch else place.command)
        failures = record(runs, place.progress, self.at_once)
        analyse_matrices(list(runs), place.analysis, place.progress)
        for folder, cells in zip(runs, sides.values(), strict=True):
            found = {(each.kafka, each.scenario, each.arm): each for each in read_cells(folder)}
            for cell in cells:
                name, build = cell.scenario.name, cell.build
                failed = (each for each in failures if each.startswith(f"{build} {cell.arm}: "))
                result = CellResult(
                    cell=found[build, name, cell.arm],
                    report=(home / cell.out / REPORT).relative_to(place.folder).as_posix(),
                    broken=broken_cells(folder, build, cell.arm).get(name),
                    failure=next(failed, None),
                )
                yield cell.name, result.model_dump(mode="json")


def broken_cells(folder: Path, build: str, arm: str) -> dict[str, Broken]:
    """Return why scenarios were cut short on an arm by an error."""
    news = ProgressReader(progress_file(folder / build, arm)).news()
    return {each["broken"]: Broken.model_validate(each) for each in news if "broken" in each}


def _folder(campaign: ScenarioCampaign, cells: Sequence[CellSpec], folder: Path) -> Path:
    """Return the folder of a batch: that of an interrupted one if it has the same runs.

    One with results was not interrupted: its cells run again.
    """
    if campaign.batch is None:
        return folder
    before = sorted(each for each in (folder / BATCHES).glob("[0-9]*") if each.is_dir())
    runs = {cell.out.as_posix() for cell in cells}
    for each in before:
        left = is_matrix(each) and not (each / CELLS).is_file()
        if left and {row.folder for row in load_matrix(each).rows} == runs:
            return each
    number = 1 + max((int(each.name) for each in before), default=0)
    return folder / BATCHES / f"{number:04}"


def plans_of(cells: Sequence[CellSpec], folder: Path, progress: Progress) -> list[Plan]:
    """Return the runs of cells, each with all of its arms, below a folder."""
    plans = []
    for same in by_build(cells):
        tools = find_tools(same, progress)
        placed = (cell.model_copy(update={"out": folder / cell.out}) for cell in same)
        for out, own in grouped(placed, lambda cell: cell.out).items():
            skip = unavailable(own[0].scenario, own[0].cluster, out)
            plans.append(Plan(cells=own, tools=tools, skip=skip))
    return plans


def by_build(cells: Sequence[CellSpec]) -> list[list[CellSpec]]:
    """Return the cells of each build and kind of cluster, which need the same of the machine."""
    return list(grouped(cells, lambda cell: (cell.kafka, cell.cluster)).values())
