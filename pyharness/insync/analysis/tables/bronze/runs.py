"""Makes the rows of the tables of the runs and of the searched folders."""

from __future__ import annotations

from collections.abc import Sequence

from insync.analysis.tables.bronze.folders import Folder
from insync.analysis.tables.rows import Row
from insync.events.run_info import RunInfo


def runs_rows(folders: Sequence[Folder]) -> list[Row]:
    """Return the row of each run in the table `runs`: its settings and its folder.

    `lag_ms` is the scenario's replica.lag.time.max.ms, `cooldown_ms`
    insync.relinquish.cooldown.ms.
    """
    return [
        _row(folder.run, folder.info, folder.path)
        for folder in folders
        if folder.run is not None and folder.info is not None
    ]


def inputs_rows(folders: Sequence[Folder]) -> list[Row]:
    """Return the row of each searched folder in the table `inputs`: its run, or its problem."""
    return [
        {"folder": each.path, "run": each.run, "used": each.used, "problem": each.problem}
        for each in folders
    ]


def _row(run: str, info: RunInfo, folder: str) -> Row:
    broker, scenario = info.scenario.broker, info.scenario
    return {
        "run": run,
        "scenario": info.scenario_name,
        "kafka": info.kafka,
        "cluster": info.cluster,
        "scale": float(info.scale),
        "seed": info.seed,
        "arms": list(info.arms),
        "control_arms": list(info.control_arms),
        "repeats": info.repeats,
        "partitions": info.partitions,
        "min_insync_replicas": scenario.min_insync_replicas,
        "acks": scenario.workload.acks,
        "lag_ms": float(broker.replica_lag_time_max_ms),
        "cooldown_ms": float(broker.insync_relinquish_cooldown_ms),
        "started_ms": float(info.started_ms),
        "finished_ms": None if info.finished_ms is None else float(info.finished_ms),
        "finished": info.finished,
        "folder": folder,
    }
