"""`python -m insync.analysis.tables.measure`: generates synthetic histories, times the pipeline.

Each measurement is a process, so that its memory can be measured. `compute` runs the functions of
the gold tables and the checker. The processes of the other engines (insync.bench.engines) read the
same Parquet files and must compute the same rows.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from insync.analysis.checks import (
    duplicate,
    lost_write,
    nonmonotonic_send,
    offsets,
    polls,
    records,
)
from insync.analysis.checks.registry import find_in_records
from insync.analysis.engine.options import Choice
from insync.analysis.engine.session import Session, inline_table, open_session
from insync.analysis.tables import synthetic
from insync.analysis.tables.gold import acks
from insync.analysis.tables.store import AT_ONCE
from insync.engines import ENGINES, AnalysisOptions, conf_of

ROWS_PER_SLICE = 5_000_000
"""How many rows one task generates and writes to one file."""

_TOPIC = "run string, arm string, repeat int, topic string"
_PARTITION = f"{_TOPIC}, partition int"
_READ_BACK = f"{_PARTITION}, fresh boolean, position bigint, end_offset bigint"
_BATCHES = f"{_PARTITION}, replica int, base_offset bigint, last_offset bigint, valid boolean"
_INSIDE = f"{_PARTITION}, offset bigint, seq bigint"
_COMPARABLE = f"{_PARTITION}, replicas int, from_offset bigint, to_offset bigint, whole boolean"


def generate(spark: SparkSession, history: synthetic.History, folder: str) -> None:
    """Write the produce, consume and partitions Parquet of a history."""
    slices = max(2, history.rows // ROWS_PER_SLICE)
    tables = {
        "produce": synthetic.produced(spark, history, slices),
        "consume": synthetic.read(spark, history, slices),
        "partitions": synthetic.partitions(spark, history).coalesce(1),
    }
    for name, table in tables.items():
        table.write.mode("overwrite").parquet(f"{folder}/{name}")


def truth(history: synthetic.History) -> dict[str, list[dict[str, Any]]]:
    """Return how many anomalies of each name every partition has, as the table `planted`."""
    rows = [
        {
            "run": synthetic.RUN, "arm": arm, "repeat": 0, "topic": synthetic.TOPIC,
            "partition": partition, "kind": kind, "anomalies": count,
        }
        for (arm, partition, kind), count in history.planted().items()
    ]  # fmt: skip
    return {"planted": rows}


def aggregates(produce: DataFrame, partitions: DataFrame) -> dict[str, DataFrame]:
    """Compute the gold tables whose input grows with the records: latency, gaps, errors."""
    counted = acks.latency_histogram(produce)
    return {
        "ack_latency": acks.ack_latency(counted),
        "ack_gaps": acks.ack_gaps(produce, partitions),
        "errors": acks.errors(produce),
    }


def checks(
    produce: DataFrame, consume: DataFrame, partitions: DataFrame, scratch: str
) -> dict[str, DataFrame]:
    """Compute the checker's tables: the readback, and the anomalies by the pass that finds them.

    The fates of the records are stored in the folder `scratch`, as by the pipeline.
    """
    spark = produce.sparkSession
    read_back, batches, comparable, inside = (
        inline_table(spark, [], columns) for columns in (_READ_BACK, _BATCHES, _COMPARABLE, _INSIDE)
    )
    computed = records.record_fates(produce, consume, read_back)
    computed.write.mode("overwrite").parquet(scratch)
    fates = spark.read.parquet(scratch)
    whole = partitions.withColumn("read_to_end", fn.lit(True))
    readback = records.readback(whole, fates)
    return {
        "readback": readback.drop("read_to_end", "transactional", "read_to"),
        "records": find_in_records(fates, (lost_write.found, duplicate.found)),
        "send": nonmonotonic_send.find(fates),
        "polls": polls.find(consume, readback),
        "offsets": offsets.find(comparable, produce, consume, inside, batches),
    }


def compute(session: Session, folder: str) -> dict[str, Any]:
    """Return the tables' rows, and the seconds that each part took."""
    produce, consume, partitions = (
        session.spark.read.parquet(session.readable(f"{folder}/{name}"))
        for name in ("produce", "consume", "partitions")
    )
    # As in the pipeline, several tables are computed at a time.
    with ThreadPoolExecutor(AT_ONCE) as pool:
        began = time.monotonic()
        tables = aggregates(produce, partitions)
        rows = dict(zip(tables, pool.map(_rows, tables.values()), strict=True))
        halfway = time.monotonic()
        found = checks(produce, consume, partitions, f"{folder}/fates.tmp")
        rows |= {"readback": _rows(found.pop("readback"))}
        parts = list(pool.map(_rows, found.values()))
        rows["anomalies"] = [row for part in parts for row in part]
        ended = time.monotonic()
    return {
        "aggregates_s": halfway - began,
        "checks_s": ended - halfway,
        "tables": rows,
    }


def _rows(table: DataFrame) -> list[dict[str, Any]]:
    return [dict(row) for row in table.toArrow().to_pylist()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line in one session; print the result as JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m insync.analysis.tables.measure", description=__doc__
    )
    parser.add_argument("what", choices=["generate", "compute"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=ENGINES[1:], default="spark")
    parser.add_argument("--spark-master")
    parser.add_argument("--spark-conf", action="append", default=[], metavar="KEY=VALUE")
    asked = parser.parse_args(arguments)
    options = AnalysisOptions(asked.engine, asked.spark_master, conf_of(asked.spark_conf))
    began = time.monotonic()
    log = asked.folder.with_suffix(".spark.log")
    with open_session(Choice(asked.engine), options, log) as session:
        started_s = time.monotonic() - began
        if asked.what == "generate":
            history = synthetic.History(asked.rows, asked.seed)
            generate(session.spark, history, str(asked.folder))
            json.dump(truth(history), sys.stdout)
        else:
            json.dump({"start_s": started_s, **compute(session, str(asked.folder))}, sys.stdout)


if __name__ == "__main__":
    main()
