"""Write run.json, the record of a run: once at its start and again at its end.

A record without `finished_ms` belongs to a run that was cut short.
"""

import json
import os
import platform
from pathlib import Path
from typing import Any

import confluent_kafka

from insync import __version__
from insync.artifacts import sha256_of
from insync.events.schema import RUN, SCHEMA_VERSION, now_ms
from insync.events.writer import write_atomic
from insync.run.cell import CellSpec
from insync.run.plan import Plan, Tools


def begin(plan: Plan) -> dict[str, Any]:
    """Return the record of a run that begins now."""
    cell = plan.cells[0]
    skipped = {} if plan.skip is None else {"skipped": plan.skip}
    return {
        "schema": SCHEMA_VERSION,
        "scenario_name": cell.scenario.name,
        "scenario": cell.scenario.as_dict(),
        "kafka": plan.tools.kafka.version,
        **_own_build(plan),
        "cluster": cell.cluster,
        "scale": cell.scale,
        "seed": cell.seed,
        "default_timeouts": cell.default_timeouts,
        "controller_agent": cell.controller_agent,
        "arms": list(cell.scenario.arms),
        "repeats": cell.scenario.repeats,
        "keep_data": cell.keep_data,
        **_attached(cell),
        "builtin": cell.builtin,
        **skipped,
        "started_ms": now_ms(),
        "host": _host(plan.tools),
    }


def _own_build(plan: Plan) -> dict[str, str | bool]:
    known: dict[str, str | bool] = {}
    if plan.tools.kafka.release.path is not None:
        known["kafka_path"] = str(plan.tools.kafka.release.path)
    if plan.cells[0].unknown_methods:
        known["unknown_methods"] = True
    return known


def _attached(cell: CellSpec) -> dict[str, Any]:
    """Return what is recorded of a cluster that insync did not start: not its addresses."""
    if cell.existing is None:
        return {}
    return {"clients_only": True, "brokers": list(cell.brokers), "topic_prefix": cell.topic_prefix}


def _host(tools: Tools) -> dict[str, Any]:
    """Return what the run's results may depend on: the machine and the versions of all parts."""
    image = {} if tools.image is None else {"image": tools.image.tag}
    return {
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "memory_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20,
        "kafka_jars": tools.kafka.release.digest[:12],
        "java": tools.java.description,
        "python": platform.python_version(),
        "librdkafka": confluent_kafka.libversion()[0],
        "insync": __version__,
        **_agent(tools.agent_jar),
        **image,
    }


def _agent(jar: Path | None) -> dict[str, str]:
    """Return the beginning of the SHA-256 of the agent's jar, which identifies its build."""
    return {} if jar is None else {"agent": sha256_of(jar)[:12]}


def save(record: dict[str, Any], folder: Path) -> None:
    """Write the record atomically: a reader sees the old one or the new one, never a part."""
    write_atomic(folder / RUN, json.dumps(record, indent=2))
