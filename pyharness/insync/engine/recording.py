"""Record many runs below one folder, their arms side by side; it can be continued."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.engine.side_by_side import Records, SideBySide
from insync.engine.task import ended_of, tasks_of, without_known
from insync.events.matrix_info import Along, MatrixInfo, MatrixRow, save_matrix
from insync.metrics import DEFAULT_FIGURES
from insync.progress import Progress
from insync.run.out import make_out
from insync.run.plan import Plan


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
