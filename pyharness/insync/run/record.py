"""run.json: what was run, written whole at the start and again at the end.

A record without `finished_ms` is that of a run which was cut short.
"""

import json
import os
import platform
from pathlib import Path
from typing import Any

from insync import __version__
from insync.errors import InputError
from insync.events.schema import RUN, SCHEMA_VERSION, now_ms
from insync.events.whole import write_whole
from insync.run.plan import Plan


def begin(plan: Plan) -> dict[str, Any]:
    """Return the record of a run that begins now."""
    skipped = {} if plan.skip is None else {"skipped": plan.skip}
    return {
        "schema": SCHEMA_VERSION,
        "scenario_name": plan.scenario.name,
        "scenario": plan.scenario.as_dict(),
        "kafka": plan.kafka.version,
        "cluster": plan.request.cluster,
        "scale": plan.request.scale,
        "seed": plan.request.seed,
        "controller_agent": plan.controller_agent,
        "arms": list(plan.scenario.arms),
        "repeats": plan.scenario.repeats,
        **skipped,
        "started_ms": now_ms(),
        "host": {
            "cores": os.cpu_count(),
            "java": plan.java.description,
            "python": platform.python_version(),
            "insync": __version__,
        },
    }


def save(record: dict[str, Any], folder: Path) -> None:
    """Write the record; a reader sees the old one or the new one, never a part."""
    write_whole(folder / RUN, json.dumps(record, indent=2))


def load(folder: Path) -> dict[str, Any]:
    """Read the record of a run folder; raises InputError if it is not one."""
    try:
        record = json.loads((folder / RUN).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{folder}: no run folder: {RUN}: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{folder / RUN}: no JSON: {error}") from error
    if not isinstance(record, dict) or record.get("schema") != SCHEMA_VERSION:
        raise InputError(f"{folder / RUN}: expected an object with schema {SCHEMA_VERSION}")
    return record
