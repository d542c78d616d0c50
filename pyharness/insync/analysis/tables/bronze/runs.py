"""Makes the tables of the runs and of the searched folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import DataFrame, SparkSession

from insync.analysis.tables.bronze.folders import Folder
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.analysis.tables.spark.inline_table import inline_table
from insync.events.run_info import RunInfo

ABOUT_FILES = ("folder_uri", "arms", "started_ms", "finished_ms")
"""The columns of `runs` that reading a run's lines needs."""

RUNS = (
    "run string, scenario string, kafka string, cluster string, scale double, seed long,"
    " arms array<string>, control_arms array<string>, repeats int, partitions int,"
    " min_insync_replicas int, lag_ms double, cooldown_ms double,"
    " bursts array<struct<partition:int,records:int>>, started_ms double,"
    " finished_ms double, finished boolean, folder string, folder_uri string"
)
INPUTS = "folder string, run string, used boolean, problem string"


def runs_table(spark: SparkSession, hadoop: Hadoop, folders: Sequence[Folder]) -> DataFrame:
    """Return one row per run with its settings and its folder.

    `folder_uri` is the folder as in Spark's file names; `lag_ms` is the scenario's
    replica.lag.time.max.ms, `cooldown_ms` leader.relinquish.cooldown.ms.
    """
    rows = [
        _row(folder.run, folder.info, folder.path, hadoop.encoded(folder.path))
        for folder in folders
        if folder.run is not None and folder.info is not None
    ]
    return inline_table(spark, rows, RUNS)


def published_runs(spark: SparkSession, runs: Mapping[str, RunInfo]) -> DataFrame:
    """Return the same table for runs from a topic, whose names replace their folders."""
    return inline_table(spark, [_row(run, info, run, run) for run, info in runs.items()], RUNS)


def inputs_table(spark: SparkSession, folders: Sequence[Folder]) -> DataFrame:
    """Return one row per searched folder: its run, or its problem."""
    rows = [(folder.path, folder.run, folder.used, folder.problem) for folder in folders]
    return inline_table(spark, rows, INPUTS)


def _row(run: str, info: RunInfo, folder: str, uri: str) -> tuple[object, ...]:
    broker, scenario = info.scenario.broker, info.scenario
    bursts = [
        {"partition": partition, "records": each.records}
        for each in scenario.workload.bursts
        for partition in each.partitions
    ]
    finished_ms = None if info.finished_ms is None else float(info.finished_ms)
    return (
        run, info.scenario_name, info.kafka, info.cluster, float(info.scale), info.seed,
        list(info.arms), list(info.control_arms), info.repeats, info.partitions,
        scenario.min_insync_replicas, float(broker.replica_lag_time_max_ms),
        float(broker.leader_relinquish_cooldown_ms), bursts, float(info.started_ms), finished_ms,
        info.finished, folder, uri,
    )  # fmt: skip
