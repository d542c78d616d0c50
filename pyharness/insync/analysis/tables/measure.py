"""`python -m insync.analysis.tables.measure`: generates synthetic histories, times the pipeline.

Each measurement is a process, so that its memory can be measured. `compute` runs the functions of
the gold tables and the checker, with the settings that the product chooses for a run of that size.
The processes of the other engines (insync.bench.engines) read the same Parquet files and must
compute the same rows.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from functools import reduce
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
from insync.analysis.tables import synthetic
from insync.analysis.tables.gold import acks
from insync.analysis.tables.spark.inline_table import inline_table
from insync.analysis.tables.spark.quick_start import archive_of
from insync.analysis.tables.spark.session import (
    SparkSettings,
    end_jvm,
    open_session,
    parse_conf,
    size_of,
)
from insync.brokers.kafka.java import Java, find_java

ROWS_PER_SLICE = 5_000_000
"""How many rows one task generates and writes to one file."""

EVENT_BYTES = 1_200
"""What a run records of one operation, in bytes: its produce and consume lines, and a line for its
batch on each of three replicas. The settings of the product depend on the size of the events."""

_TOPIC = "run string, arm string, repeat int, topic string"
_PARTITION = f"{_TOPIC}, partition int"
_ENDS = f"{_TOPIC}, transaction bigint, end string, asked_ms double"
_READ_BACK = f"{_PARTITION}, fresh boolean, position bigint, end_offset bigint"
_BATCHES = f"{_PARTITION}, replica int, base_offset bigint, last_offset bigint, valid boolean"
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
    counted = acks.latency_histogram(produce).cache()
    return {
        "ack_latency": acks.ack_latency(counted),
        "ack_gaps": acks.ack_gaps(produce, partitions),
        "errors": acks.errors(produce),
    }


def checks(produce: DataFrame, consume: DataFrame, partitions: DataFrame) -> dict[str, DataFrame]:
    """Compute the checker's tables: the readback, and the anomalies with their operations."""
    spark = produce.sparkSession
    ends, read_back, batches, comparable = (
        inline_table(spark, [], columns) for columns in (_ENDS, _READ_BACK, _BATCHES, _COMPARABLE)
    )
    fates = records.record_fates(produce, consume, ends, read_back).cache()
    found = [
        lost_write.find(fates),
        duplicate.find(fates),
        nonmonotonic_send.find(fates),
        polls.find(consume, fates),
        offsets.find(produce, consume, batches, comparable),
    ]
    whole = partitions.withColumn("read_to_end", fn.lit(True))
    return {
        "readback": records.readback(fates, whole).drop("read_to_end"),
        "anomalies": reduce(DataFrame.unionByName, found),
    }


def compute(spark: SparkSession, folder: str) -> dict[str, Any]:
    """Return the tables' rows, and the seconds that each part took."""
    produce, consume, partitions = (
        spark.read.parquet(f"{folder}/{name}") for name in ("produce", "consume", "partitions")
    )
    began = time.monotonic()
    rows = {name: _rows(table) for name, table in aggregates(produce, partitions).items()}
    halfway = time.monotonic()
    found = checks(produce, consume, partitions)
    rows |= {name: _rows(table) for name, table in found.items()}
    ended = time.monotonic()
    return {
        "aggregates_s": halfway - began,
        "checks_s": ended - halfway,
        "tables": rows,
    }


def settings(rows: int, master: str, conf: Sequence[str], java: Java) -> SparkSettings:
    """Return the settings of the product for a run with so many operations.

    A class archive is used if there is one. It is the product's, so none is written here.
    """
    archive = archive_of(java)
    return SparkSettings(
        master,
        parse_conf(conf),
        size=size_of(rows * EVENT_BYTES),
        archive=archive if archive.is_file() else None,
    )


def _rows(table: DataFrame) -> list[dict[str, Any]]:
    return [row.asDict(recursive=True) for row in table.collect()]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line in one session; print the result as JSON."""
    parser = argparse.ArgumentParser(
        prog="python -m insync.analysis.tables.measure", description=__doc__
    )
    parser.add_argument("what", choices=["generate", "compute"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rows", type=int, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--spark-master", default=SparkSettings.master)
    parser.add_argument("--spark-conf", action="append", default=[], metavar="KEY=VALUE")
    asked = parser.parse_args(arguments)
    java = find_java()
    os.environ["JAVA_HOME"] = str(java.home)
    chosen = settings(asked.rows, asked.spark_master, asked.spark_conf, java)
    began = time.monotonic()
    with open_session(chosen, asked.folder.with_suffix(".spark.log")) as spark:
        started_s = time.monotonic() - began
        if asked.what == "generate":
            history = synthetic.History(asked.rows, asked.seed)
            generate(spark, history, str(asked.folder))
            json.dump(truth(history), sys.stdout)
        else:
            json.dump({"start_s": started_s, **compute(spark, str(asked.folder))}, sys.stdout)


if __name__ == "__main__":
    try:
        main()
    finally:
        end_jvm()
