"""Execute a run: check everything, run one arm after the other, complete the record."""

from pathlib import Path
from typing import Any

from insync.events.schema import SCENARIO, now_ms
from insync.progress import Progress
from insync.run import record as run_record
from insync.run.arm import run_arm, run_attached_arm
from insync.run.attached import prepare_attached
from insync.run.plan import Plan, make_out, prepare
from insync.run.publish.events import check_event_topic, live_topic, publish_run
from insync.run.request import RunRequest


def run(request: RunRequest, progress: Progress | None = None) -> Path:
    """Run a scenario on all its arms and return the run folder, ready for the analysis.

    Raises InputError before any file is made if the request cannot be run, and InsyncError if
    the run fails later. In every case no process is left running, and recorded files stay.
    """
    progress = progress or Progress()
    plan = prepare(request, progress) if request.existing is None else prepare_attached(request)
    if request.events is not None:
        check_event_topic(request.events)
    execute(plan, progress)
    return plan.out


def execute(plan: Plan, progress: Progress) -> None:
    """Execute a plan that `prepare` has checked, and record it into its empty folder."""
    progress.phase(f"recording into {plan.out}")
    record = open_run(plan)
    live = live_topic(plan)
    publish_run(live, plan)
    if plan.skip is None:
        progress.expect(len(plan.scenario.arms) * plan.scenario.repeats)
        for cell in plan.cells:
            if cell.existing is None:
                run_arm(cell, plan.tools, progress, live)
            else:
                run_attached_arm(cell, plan.tools, progress)
    close_run(plan, record)
    publish_run(live, plan)


def open_run(plan: Plan) -> dict[str, Any]:
    """Create the run folder with the scenario and the record of a run that begins now."""
    make_out(plan.out)
    (plan.out / SCENARIO).write_text(plan.cells[0].text, encoding="utf-8")
    record = run_record.begin(plan)
    run_record.save(record, plan.out)
    return record


def close_run(plan: Plan, record: dict[str, Any]) -> None:
    """Complete the record of a finished run."""
    record["finished_ms"] = now_ms()
    run_record.save(record, plan.out)
