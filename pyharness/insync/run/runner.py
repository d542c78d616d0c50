"""Execute a run: check everything, run one arm after the other, and write run.json, its record.

The record is written at the start and again at the end. One without `finished_ms` belongs to a run
that was cut short.
"""

import json
import os
import platform
from pathlib import Path
from typing import Any, Final

import confluent_kafka

from insync import __version__
from insync.artifacts import sha256_of
from insync.brokers.cluster.admin import require_topic
from insync.events.schema import RUN, SCENARIO, SCHEMA_VERSION, now_ms
from insync.events.writer import write_atomic
from insync.progress import Progress
from insync.run.arm import run_arm, run_attached_arm
from insync.run.attached import prepare_attached
from insync.run.cell import CellSpec
from insync.run.plan import Plan, Tools, prepare
from insync.run.request import RunRequest, make_out

OF_CELL: Final = {
    "cluster", "scale", "seed", "default_timeouts", "unknown_methods", "controller_agent",
    "keep_data", "builtin",
}  # fmt: skip
"""What of the cells the record has, which is the same in all of them."""


def run(request: RunRequest, progress: Progress | None = None) -> Path:
    """Run a scenario on all its arms and return the run folder, ready for the analysis.

    Raises InputError before any file is made if the request cannot be run, and InsyncError if
    the run fails later. In every case no process is left running, and recorded files stay.
    """
    progress = progress or Progress()
    existing = request.existing
    plan = prepare(request, progress) if existing is None else prepare_attached(request, existing)
    if request.events is not None and request.events.bootstrap is not None:
        require_topic(request.events.bootstrap, request.events.name)
    execute(plan, progress)
    return plan.out


def execute(plan: Plan, progress: Progress) -> None:
    """Execute a plan that `prepare` has checked, and record it into its empty folder."""
    progress.phase(f"recording into {plan.out}")
    open_run(plan)
    if plan.skip is None:
        progress.expect(len(plan.scenario.arms) * plan.scenario.repeats)
        for cell in plan.cells:
            if cell.existing is None:
                run_arm(cell, plan.tools, progress, plan.events)
            else:
                run_attached_arm(cell, cell.existing, plan.tools, progress)
    close_run(plan.out)


def open_run(plan: Plan) -> None:
    """Create the run folder with the scenario and the record of a run that begins now."""
    make_out(plan.out)
    write_atomic(plan.out / SCENARIO, plan.cells[0].text)
    save(begin(plan), plan.out)


def close_run(out: Path) -> None:
    """Complete the record of a finished run, unless it is."""
    record = json.loads((out / RUN).read_text(encoding="utf-8"))
    save({"finished_ms": now_ms(), **record}, out)


def begin(plan: Plan) -> dict[str, Any]:
    """Return the record of a run that begins now."""
    cell, path = plan.cells[0], plan.tools.kafka.release.path
    return {
        "schema": SCHEMA_VERSION,
        "scenario_name": cell.scenario.name,
        "scenario": cell.scenario.as_dict(),
        "kafka": plan.tools.kafka.version,
        **({} if path is None else {"kafka_path": str(path)}),
        **cell.model_dump(include=OF_CELL),
        "arms": list(cell.scenario.arms),
        "repeats": cell.scenario.repeats,
        **_attached(cell),
        **({} if plan.skip is None else {"skipped": plan.skip}),
        "started_ms": now_ms(),
        "host": _host(plan.tools),
    }


def _attached(cell: CellSpec) -> dict[str, Any]:
    """Return what is recorded of a cluster that insync did not start: not its addresses."""
    if cell.existing is None:
        return {}
    return {"clients_only": True, "brokers": list(cell.brokers), "topic_prefix": cell.topic_prefix}


def _host(tools: Tools) -> dict[str, Any]:
    """Return what the run's results may depend on: the machine and the versions of all parts."""
    jar, image = tools.agent_jar, tools.image
    return {
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "memory_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20,
        "kafka_jars": tools.kafka.release.digest[:12],
        "java": tools.java.description,
        "python": platform.python_version(),
        "librdkafka": confluent_kafka.libversion()[0],
        "insync": __version__,
        # The beginning of the SHA-256 identifies the agent's build.
        **({} if jar is None else {"agent": sha256_of(jar)[:12]}),
        **({} if image is None else {"image": image.tag}),
    }


def save(record: dict[str, Any], folder: Path) -> None:
    """Write the record atomically: a reader sees the old one or the new one, never a part."""
    write_atomic(folder / RUN, json.dumps(record, indent=2))
