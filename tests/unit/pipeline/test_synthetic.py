"""The checker finds the anomalies that a long history was given, and no others."""

from collections import Counter
from typing import Any, Final

import pytest
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
from insync.analysis.tables.gold import acks
from unit.pipeline import synthetic
from unit.pipeline.synthetic import History
from unit.tables.inline import CHANGES, inline_table

HISTORY: Final = History(50_000, seed=3)
SLICES: Final = 2
_TOPIC = "run string, arm string, repeat int, topic string"
_PARTITION = f"{_TOPIC}, partition int"
_READ_BACK = f"{_PARTITION}, fresh boolean, position bigint, end_offset bigint"
_BATCHES = f"{_PARTITION}, replica int, base_offset bigint, last_offset bigint, valid boolean"
_INSIDE = f"{_PARTITION}, offset bigint, seq bigint"
_COMPARABLE = f"{_PARTITION}, replicas int, from_offset bigint, to_offset bigint, whole boolean"

Row = dict[str, Any]


@pytest.fixture(scope="module")
def produce(spark: SparkSession) -> DataFrame:
    return synthetic.produced(spark, HISTORY, SLICES)


@pytest.fixture(scope="module")
def anomalies(
    spark: SparkSession, produce: DataFrame, tmp_path_factory: pytest.TempPathFactory
) -> list[Row]:
    """Return what the passes of the checker find; the fates are stored, as by the pipeline."""
    consume = synthetic.read(spark, HISTORY, SLICES)
    read_back, batches, comparable, inside, changes = (
        inline_table(spark, [], columns)
        for columns in (_READ_BACK, _BATCHES, _COMPARABLE, _INSIDE, CHANGES)
    )
    stored = str(tmp_path_factory.mktemp("fates") / "fates")
    records.record_fates(produce, consume, read_back).write.parquet(stored)
    fates = spark.read.parquet(stored)
    whole = synthetic.partitions(spark, HISTORY).withColumn("read_to_end", fn.lit(True))
    found = (
        find_in_records(fates, (lost_write.found, duplicate.found)),
        nonmonotonic_send.find(fates),
        polls.find(consume, records.readback(whole, fates, changes)),
        offsets.find(comparable, produce, consume, inside, batches),
    )
    return [row for table in found for row in table.toArrow().to_pylist()]


def test_only_planted_anomalies_are_found(anomalies: list[Row]) -> None:
    found = Counter((row["arm"], row["partition"], row["kind"]) for row in anomalies)
    assert found == HISTORY.planted()
    assert {row["kind"] for row in anomalies} == set(synthetic.PLANTED)


def test_an_anomaly_shows_its_operations(anomalies: list[Row]) -> None:
    assert all(row["operations"] for row in anomalies)


def test_every_record_of_a_partition_is_counted(produce: DataFrame) -> None:
    latency = acks.ack_latency(acks.latency_histogram(produce)).toArrow().to_pylist()
    sent = {(row["arm"], row["partition"]): row["sent"] for row in latency}
    assert sent["stock", 0] == HISTORY.size(0)
    assert sent["request", 5] == HISTORY.size(5)
