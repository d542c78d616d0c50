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
from typing import Final
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet
from pyspark.sql import SparkSession

from insync.analysis.checks.registry import with_label
from insync.analysis.tables.bronze.folders import Folder
from insync.analysis.tables.catalogue import CONTRACTS, layer_of, read_by_reports
from insync.analysis.tables.contracts import Contract
from insync.analysis.tables.gold.compare import differences, medians
from insync.analysis.tables.pipeline import compute_tables, replaced
from insync.analysis.tables.rows import Row, Rows, arrow_table, as_parquet, read_parquet
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.analysis.tables.spark.store import Store
from insync.stages import Announce, silent

_FILE: Final = "part-0.parquet"
_OVER_REPEATS: Final = ("medians", "differences")
"""The tables of which a row may be of several runs."""


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

    The session keeps the small tables in memory. Raises InsyncError if a stage failed; then no
    folder is changed. `log` is Spark's log file, for the message.
    """
    hadoop = Hadoop(spark)
    joint = targets[0].tables.with_name(f"{paths.TABLES}.together")
    folders = [folder for target in targets for folder in target.folders]
    with ExitStack() as ending:
        ending.callback(hadoop.delete, paths.local(joint))
        hadoop.delete(paths.local(joint))
        store = compute_tables(spark, hadoop, folders, folders, paths.local(joint), log, announce)
        found = []
        for target in targets:
            new = ending.enter_context(replaced(hadoop, paths.local(target.tables), target.digest))
            found.append(_give(store, joint, Path(new.removeprefix("file://")), target.runs))
        return found


def _give(store: Store, joint: Path, new: Path, runs: frozenset[str]) -> Rows:
    """Write the tables of some runs to the folder `new`; return the rows of reports."""
    _give_bronze(joint / "bronze", new / "bronze", runs)
    reported = {contract.name for contract in read_by_reports()}
    rows: dict[str, list[Row]] = {}
    for contract in CONTRACTS.values():
        folder = new / layer_of(contract.name) / contract.name
        folder.mkdir(parents=True)
        if contract.bulk:
            files = (joint / layer_of(contract.name) / contract.name).glob("*.parquet")
            parquet.write_table(_of_runs(sorted(files), runs), folder / _FILE)
        else:
            rows[contract.name] = _small(store, contract, runs)
            made = arrow_table(rows[contract.name], contract)
            (folder / _FILE).write_bytes(as_parquet(made))
        if contract.bulk and contract.name in reported:
            rows[contract.name] = read_parquet([folder / _FILE])
    found = {name: of for name, of in rows.items() if name in reported}
    return {**found, "anomalies": [with_label(row) for row in found["anomalies"]]}


def _give_bronze(joint: Path, new: Path, runs: frozenset[str]) -> None:
    """Move the folders `line_kind=<kind>/run=<run>` of these runs."""
    new.mkdir(parents=True)
    for folder in joint.glob("*=*/run=*"):
        if unquote(folder.name.partition("=")[2]) in runs:
            (new / folder.parent.name).mkdir(exist_ok=True)
            shutil.move(folder, new / folder.parent.name)


def _of_runs(files: Sequence[Path], runs: frozenset[str]) -> pa.Table:
    table = pa.concat_tables([parquet.read_table(file) for file in files])
    return table.filter(pc.is_in(table["run"], pa.array(sorted(runs))))


def _small(store: Store, contract: Contract, runs: frozenset[str]) -> list[Row]:
    if contract.name not in _OVER_REPEATS:
        return [row for row in store.rows[contract.name] if row["run"] in runs]
    values = [
        row
        for row in store.rows["repeat_metrics"]
        if row["run"] in runs and row["value"] is not None
    ]
    controls = {row["run"]: row["control_arms"] for row in store.rows["runs"]}
    over = medians(values) if contract.name == "medians" else differences(values, controls)
    return contract.in_order(over)
