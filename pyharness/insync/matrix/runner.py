"""The order of a matrix: the plan is written, then all arms of all versions, side by side."""

from insync.events.matrix_info import save_matrix
from insync.matrix.plan import MatrixPlan
from insync.matrix.side_by_side import Records, SideBySide
from insync.matrix.task import tasks_of
from insync.run.plan import make_out
from insync.run.progress import Progress


def record_matrix(plan: MatrixPlan, progress: Progress) -> list[str]:
    """Record all runs of a matrix; return what went wrong with arms that could not go on.

    Each run becomes a run folder; the analysis is another's. However it ends, nothing is
    left running, and a run whose arms all came to their end is whole.
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
