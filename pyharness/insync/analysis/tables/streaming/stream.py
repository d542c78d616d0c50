"""Structured Streaming from the topic of events into a state folder, batch by batch.

What a state folder holds: `checkpoint`, Spark's own, from which a restart goes on; `lines`, the
records of each batch as Parquet in `batch=<id>`, written over if the batch is done again; and
`state.json`, which topic of which cluster it is of. Lines are as they came: what they mean is
for the functions that read files' lines.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass

from pydantic import ValidationError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery

from insync.analysis.tables.spark import places
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.analysis.tables.spark.made import made
from insync.analysis.tables.streaming.lone import ARM, KEY, lone_runs
from insync.errors import InputError, InsyncError
from insync.events.run_info import RunInfo, first_problem
from insync.events.schema import RUN
from insync.events.topic import NUMBER

RECORDS = "key string, number long, text string"
"""A line: the record's key, its number among those of the key, and what it says."""

_MARK = "state.json"
_AT_ONCE = 200_000
"""Records of a batch at most: a long topic is read in pieces, each of which is kept."""


@dataclass(frozen=True)
class Topic:
    """The topic that is followed; `cluster` is its cluster's own id."""

    name: str
    bootstrap: str
    cluster: str


@dataclass(frozen=True)
class Told:
    """What the batches so far hold: lines of runs as `bronze.of_runs` takes them.

    `lone` names those of the runs that are brokers which belong to none. `unknown` counts the
    records of neither; `problems` names the runs whose own record cannot be read.
    """

    runs: Mapping[str, RunInfo]
    lone: Collection[str]
    lines: DataFrame
    unknown: int
    problems: Sequence[str]


def require_state(hadoop: Hadoop, state: str, topic: Topic) -> None:
    """Make the state folder of a topic; InputError if it is another topic's, or anything else."""
    mark = f"{state}/{_MARK}"
    if hadoop.exists(mark):
        try:
            kept = Topic(**json.loads(hadoop.read(mark)))
        except (InsyncError, TypeError, ValueError) as error:
            raise InputError(
                f"{mark}: unreadable ({error}), expected what an earlier watch left"
            ) from None
        if (kept.name, kept.cluster) != (topic.name, topic.cluster):
            raise InputError(
                f"--state {state}: of topic {kept.name} of cluster {kept.cluster},"
                f" expected {topic.name} of {topic.cluster}, or a new folder"
            )
        return
    if hadoop.exists(state) and hadoop.children(state):
        raise InputError(f"--state {state}: holds other things, expected a new or empty folder")
    hadoop.write(mark, json.dumps(asdict(topic)))


def follow(spark: SparkSession, topic: Topic, state: str, interval_s: int | None) -> StreamingQuery:
    """Start to append what is new in the topic to the state, from where it ended last.

    With no interval the query ends when it has read what was there as it began.
    """
    sent = (
        spark.readStream.format("kafka")
        .option("kafka.bootstrap.servers", topic.bootstrap)
        .option("subscribe", topic.name)
        .option("startingOffsets", "earliest")
        .option("maxOffsetsPerTrigger", _AT_ONCE)
        .option("includeHeaders", "true")
        .load()
    )

    def append(batch: DataFrame, number: int) -> None:
        lines_of(batch).write.mode("overwrite").parquet(f"{state}/lines/batch={number}")

    writer = sent.writeStream.option("checkpointLocation", f"{state}/checkpoint")
    if interval_s is None:
        writer = writer.trigger(availableNow=True)
    else:
        writer = writer.trigger(processingTime=f"{interval_s} seconds")
    return writer.foreachBatch(append).start()


def lines_of(sent: DataFrame) -> DataFrame:
    """Return key, number and text of Kafka records; see `insync.events.topic` for both."""
    ours = fn.filter("headers", lambda header: header["key"] == NUMBER)
    number = fn.try_element_at(ours, fn.lit(1))["value"].cast("string").try_cast("long")
    return sent.select(
        fn.col("key").cast("string").alias("key"),
        fn.coalesce(number, fn.col("offset")).alias("number"),
        fn.col("value").cast("string").alias("text"),
    )


def batches(hadoop: Hadoop, state: str) -> list[str]:
    """Return the folders of the batches that were written to their end."""
    done = hadoop.matching(f"{places.literal(state)}/lines/batch=*/_SUCCESS")
    return [path.removesuffix("/_SUCCESS") for path in done]


def records(spark: SparkSession, folders: Sequence[str]) -> DataFrame:
    """Return what batches hold, a line that came twice included."""
    if not folders:
        return made(spark, [], RECORDS)
    return spark.read.schema(RECORDS).parquet(*(places.literal(folder) for folder in folders))


def told(spark: SparkSession, folders: Sequence[str], min_isr: int) -> Told:
    """Return what the batches in `folders` hold; a line that came twice is one.

    `min_isr` is min.insync.replicas of brokers that belong to no run.
    """
    once = records(spark, folders).dropDuplicates(["key", "number"]).cache()
    said = once.where(fn.length(fn.trim("text")) > 0)
    runs, problems = _runs(said)
    known = placed(said).where(fn.col("folder_uri").isin(list(runs)))
    others = _of_lone(said, runs)
    lone = lone_runs(others, min_isr)
    lines = known.unionByName(others)
    unknown = once.where(~_is_run()).count() - lines.count()
    return Told({**runs, **lone}, set(lone), lines, unknown, problems)


def placed(lines: DataFrame) -> DataFrame:
    """Return the lines of files, as `bronze.of_runs` takes them.

    The run's name stands for its folder, and each line is a block, of which bronze keeps the order.
    """
    pattern = r"^([^/]+)/(([^/]+)/([^/]+))$"
    names = ("folder_uri", "file", "arm_folder", "file_name")
    parts = (fn.regexp_extract("key", pattern, i + 1).alias(name) for i, name in enumerate(names))
    ours = lines.where(~_is_run() & fn.col("key").rlike(pattern))
    return ours.select("text", fn.col("number").alias("block"), *parts)


def _of_lone(lines: DataFrame, runs: Collection[str]) -> DataFrame:
    """Return the lines of agents whose brokers belong to no run, as `placed` does."""
    origin, file = (fn.regexp_extract("key", KEY, group) for group in (1, 2))
    of_run = fn.coalesce(
        fn.regexp_extract("key", r"^([^/]+)/[^/]+/", 1).isin(list(runs)), fn.lit(False)
    )
    return lines.where(fn.col("key").rlike(KEY) & ~of_run).select(
        "text",
        fn.col("number").alias("block"),
        fn.when(origin == "", ARM).otherwise(origin).alias("folder_uri"),
        fn.concat(fn.lit(f"{ARM}/"), file).alias("file"),
        fn.lit(ARM).alias("arm_folder"),
        file.alias("file_name"),
    )


def _is_run() -> Column:
    return fn.coalesce(fn.col("key").rlike(f"^[^/]+/{RUN}$"), fn.lit(False))


def _runs(lines: DataFrame) -> tuple[dict[str, RunInfo], list[str]]:
    """Return the runs by name, as last told of, and what is wrong with the others."""
    latest = lines.where(_is_run()).groupBy("key").agg(fn.max_by("text", "number").alias("text"))
    runs, problems = {}, []
    for row in latest.orderBy("key").collect():
        try:
            runs[row["key"].split("/")[0]] = RunInfo.model_validate_json(row["text"])
        except ValidationError as error:
            problems.append(f"{row['key']}: {first_problem(error)}")
    return runs, problems
