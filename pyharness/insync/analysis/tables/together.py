"""Computes the tables of several folders in one pass of Spark, and gives each folder its own.

Most of the time of an analysis goes to the planning of its queries, which does not depend on how
many runs they are about. No row of a run depends on other runs; the tables over repeats, which do,
are computed for each folder here.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet
from pyspark.sql import SparkSession

from insync.analysis.tables.bronze.folders import Folder
from insync.analysis.tables.catalogue import CONTRACTS
from insync.analysis.tables.contracts import Contract
from insync.analysis.tables.current import folder_of, stored_rows
from insync.analysis.tables.gold.compare import differences, medians
from insync.analysis.tables.pipeline import compute_tables, replaced
from insync.analysis.tables.rows import Row, Rows, arrow_table, as_parquet, read_parquet
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.analysis.tables.spark.store import PART
from insync.stages import Announce, silent


@dataclass(frozen=True)
class Target:
    """A local folder that gets the tables of some runs.

    `digest` is that of what they are computed of.
    """

    tables: Path
    folders: Sequence[Folder]
    digest: str | None

    @property
    def runs(self) -> frozenset[str]:
        """The names of its runs."""
        return frozenset(str(folder.run) for folder in self.folders)


def can_be_together(targets: Sequence[Target]) -> bool:
    """Whether there are several folders, and no run is in two of them, as a copy is."""
    runs = [run for target in targets for run in target.runs]
    return len(targets) > 1 and len(set(runs)) == len(runs)


def refresh_together(
    spark: SparkSession,
    targets: Sequence[Target],
    log: str,
    *,
    announce: Announce = silent,
) -> list[Rows]:
    """Replace the tables of each folder; return of each the rows that verdict and report read.

    Raises InsyncError if a stage failed; then no folder is changed. `log` is Spark's log file, for
    the message.
    """
    hadoop = Hadoop(spark)
    joint = targets[0].tables.with_name(f"{paths.TABLES}.together")
    folders = [folder for target in targets for folder in target.folders]
    with ExitStack() as ending:
        ending.callback(hadoop.delete, paths.local(joint))
        hadoop.delete(paths.local(joint))
        compute_tables(spark, hadoop, folders, folders, paths.local(joint), log, announce)
        found = []
        for target in targets:
            new = ending.enter_context(
                replaced(hadoop, paths.local(target.tables), target.digest, own=True)
            )
            found.append(_give(joint, Path(new.removeprefix("file://")), target.runs))
        return found


def _give(joint: Path, new: Path, runs: frozenset[str]) -> Rows:
    """Write the tables of some runs to the folder `new`; return the rows of reports."""
    _give_bronze(joint / "bronze", new / "bronze", runs)
    for contract in CONTRACTS.values():
        if contract.has_column("run"):
            own = pc.field("run").isin(sorted(runs))
            _write(new, contract, parquet.read_table(folder_of(joint, contract.name), filters=own))
    metrics, of_runs = (_rows(new, name) for name in ("repeat_metrics", "runs"))
    values = [row for row in metrics if row["value"] is not None]
    controls = {row["run"]: row["control_arms"] for row in of_runs}
    for name, rows in (
        ("medians", medians(values)),
        ("differences", differences(values, controls)),
    ):
        contract = CONTRACTS[name]
        _write(new, contract, arrow_table(contract.in_order(rows), contract))
    return stored_rows(new)


def _rows(tables: Path, name: str) -> list[Row]:
    return read_parquet([folder_of(tables, name) / PART])


def _write(tables: Path, contract: Contract, table: pa.Table) -> None:
    folder = folder_of(tables, contract.name)
    folder.mkdir(parents=True)
    (folder / PART).write_bytes(as_parquet(table))


def _give_bronze(joint: Path, new: Path, runs: frozenset[str]) -> None:
    """Move the folders `line_kind=<kind>/run=<run>` of these runs."""
    new.mkdir(parents=True)
    for folder in joint.glob("*=*/run=*"):
        if unquote(folder.name.partition("=")[2]) in runs:
            (new / folder.parent.name).mkdir(exist_ok=True)
            shutil.move(folder, new / folder.parent.name)
