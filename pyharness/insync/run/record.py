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
from insync.run.plan import Plan
from insync.scenario.load import builtin_names


def begin(plan: Plan) -> dict[str, Any]:
    """Return the record of a run that begins now."""
    skipped = {} if plan.skip is None else {"skipped": plan.skip}
    return {
        "schema": SCHEMA_VERSION,
        "scenario_name": plan.scenario.name,
        "scenario": plan.scenario.as_dict(),
        "kafka": plan.kafka.version,
        **_own_build(plan),
        "cluster": plan.request.cluster,
        "scale": plan.request.scale,
        "seed": plan.request.seed,
        "default_timeouts": plan.request.default_timeouts,
        "controller_agent": plan.controller_agent,
        "arms": list(plan.scenario.arms),
        "repeats": plan.scenario.repeats,
        "keep_data": plan.request.keep_data,
        **_attached(plan),
        "builtin": plan.request.scenario in builtin_names(),
        **skipped,
        "started_ms": now_ms(),
        "host": _host(plan),
    }


def _own_build(plan: Plan) -> dict[str, str | bool]:
    known: dict[str, str | bool] = {}
    if plan.kafka.release.path is not None:
        known["kafka_path"] = str(plan.kafka.release.path)
    if plan.request.unknown_methods:
        known["unknown_methods"] = True
    return known


def _attached(plan: Plan) -> dict[str, Any]:
    """Return what is recorded of a cluster that insync did not start: not its addresses."""
    if plan.request.existing is None:
        return {}
    return {"clients_only": True, "brokers": list(plan.brokers), "topic_prefix": plan.topic_prefix}


def _host(plan: Plan) -> dict[str, Any]:
    """Return what the run's results may depend on: the machine and the versions of all parts."""
    image = {} if plan.image is None else {"image": plan.image.tag}
    return {
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "memory_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2**20,
        "kafka_jars": plan.kafka.release.digest[:12],
        "java": plan.java.description,
        "python": platform.python_version(),
        "librdkafka": confluent_kafka.libversion()[0],
        "insync": __version__,
        **_agent(plan.agent_jar),
        **image,
    }


def _agent(jar: Path | None) -> dict[str, str]:
    """Return the beginning of the SHA-256 of the agent's jar, which identifies its build."""
    return {} if jar is None else {"agent": sha256_of(jar)[:12]}


def save(record: dict[str, Any], folder: Path) -> None:
    """Write the record atomically: a reader sees the old one or the new one, never a part."""
    write_atomic(folder / RUN, json.dumps(record, indent=2))
