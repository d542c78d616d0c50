"""Record a matrix: write its plan, then run all arms of all versions in parallel."""

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
    make_out(plan.out)
    save_matrix(plan.out, plan.info)
    progress.expect(sum(len(run.scenario.arms) * run.scenario.repeats for run in plan.runs))
    records = Records(plan.runs)
    arms = SideBySide(plan.out, progress, records)
    try:
        return arms.run(tasks_of(plan.runs, plan.out), plan.at_once)
    finally:
        records.close(arms.ended)
