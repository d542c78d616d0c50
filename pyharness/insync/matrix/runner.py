"""The order of a matrix: the plan is written, then version after version, arms side by side."""

from insync.events.matrix_info import save_matrix
from insync.matrix.plan import MatrixPlan
from insync.matrix.side_by_side import SideBySide
from insync.matrix.task import tasks_of
from insync.run.plan import make_out
from insync.run.runner import close_run, open_run
from insync.run.watch import Watch


def record_matrix(plan: MatrixPlan, watch: Watch) -> list[str]:
    """Record all runs of a matrix; return what went wrong with arms that could not go on.

    Each run becomes a run folder; the analysis is another's. However it ends, nothing is
    left running, and a run whose arms all came to their end is whole.
    """
    make_out(plan.out)
    save_matrix(plan.out, plan.info)
    watch.expect(sum(len(run.scenario.arms) * run.scenario.repeats for run in plan.runs))
    wrong = []
    for kafka in plan.request.kafka:
        wrong += _record_version(plan, kafka, watch)
    return wrong


def _record_version(plan: MatrixPlan, kafka: str, watch: Watch) -> list[str]:
    runs = plan.of_version(kafka)
    if not runs:
        return []
    records = {run.out: open_run(run) for run in runs}
    arms = SideBySide(plan.out / kafka, watch)
    try:
        return arms.run(tasks_of(runs, plan.out / kafka), plan.at_once)
    finally:
        for run in runs:
            ended = [run.scenario.name in arms.ended.get(arm, ()) for arm in run.scenario.arms]
            if all(ended):
                close_run(run, records[run.out])
