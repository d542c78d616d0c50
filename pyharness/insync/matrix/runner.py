"""Record a matrix: write its plan, then run all arms of all versions in parallel."""

from collections.abc import Sequence

from insync.events.matrix_info import save_matrix
from insync.matrix.plan import MatrixPlan
from insync.matrix.side_by_side import Records, SideBySide
from insync.matrix.task import tasks_of
from insync.run.plan import make_out
from insync.run.progress import Progress


def record_matrix(plan: MatrixPlan, progress: Progress) -> list[str]:
    """Record all runs of a matrix, without the analysis; return the failures of whole arms.

    Each run becomes a run folder. In every case no process is left running, and a run is complete
    if all of its arms have finished.
    """
    return record_matrices([plan], progress, plan.at_once)


def record_matrices(plans: Sequence[MatrixPlan], progress: Progress, at_once: int) -> list[str]:
    """Record several matrices, each in its own folder, with their arms in one pool.

    The first scenarios begin together, when the clusters of the arms that run at the same time are
    up: none of them shares the machine with the start of a cluster.
    """
    for plan in plans:
        make_out(plan.out)
        save_matrix(plan.out, plan.info)
    runs = [run for plan in plans for run in plan.runs]
    progress.expect(sum(len(run.scenario.arms) * run.scenario.repeats for run in runs))
    records = Records(runs)
    arms = SideBySide(progress, records)
    tasks = [task for plan in plans for task in tasks_of(plan.runs, plan.out)]
    if len(plans) > 1:
        tasks = [each.model_copy(update={"go": each.folder / f"{each.arm}.go"}) for each in tasks]
    try:
        return arms.run(tasks, at_once)
    finally:
        records.close(arms.ended)
