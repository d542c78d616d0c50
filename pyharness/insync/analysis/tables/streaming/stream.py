"""Copies the topic of events to a state folder, batch by batch, with Structured Streaming.

A state folder holds `checkpoint`, from which Spark resumes after a restart; `lines`, the records
of each batch as Parquet in `batch=<id>`, which Spark overwrites if it repeats the batch; and
`state.json`, which names the topic and its cluster. The lines are stored unchanged; the functions
for files' lines parse them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass

from pydantic import ValidationError
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery

from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.hadoop import Hadoop
from insync.analysis.tables.spark.inline_table import inline_table
from insync.analysis.tables.streaming.unmanaged_brokers import ARM, KEY, unmanaged_runs
from insync.errors import InputError, InsyncError
from insync.events.run_info import RunInfo, first_problem
from insync.events.schema import RUN
from insync.events.topic import NUMBER

RECORDS = "key string, number long, text string"
"""The schema of a stored line: the record's key, the line's number within the key, the text."""

_MARK = "state.json"
_AT_ONCE = 200_000
"""The most records per batch: a long topic is read in several batches, each stored."""


@dataclass(frozen=True)
class Topic:
    """The topic to follow; `cluster` is the id of its Kafka cluster."""

    name: str
    bootstrap: str
    cluster: str


@dataclass(frozen=True)
class Received:
    """The content of all batches so far: runs, and their lines as `bronze.of_runs` takes them.

    `unmanaged` names the runs that stand for brokers without a run. `unknown` counts the records
    that belong to no run; `problems` names the runs whose description cannot be read.
    """

    runs: Mapping[str, RunInfo]
    unmanaged: Collection[str]
    lines: DataFrame
    unknown: int
    problems: Sequence[str]


def require_state(hadoop: Hadoop, state: str, topic: Topic) -> None:
    """Create the state folder of a topic; InputError if it holds another topic or anything else."""
    mark = f"{state}/{_MARK}"
    if hadoop.exists(mark):
        try:
            kept = Topic(**json.loads(hadoop.read(mark)))
        except (InsyncError, TypeError, ValueError) as error:
            raise InputError(
                f"{mark}: unreadable ({error}), expected the file of an earlier watch"
            ) from None
        if (kept.name, kept.cluster) != (topic.name, topic.cluster):
            raise InputError(
                f"--state {state}: holds topic {kept.name} of cluster {kept.cluster},"
                f" expected {topic.name} of {topic.cluster}, or a new folder"
            )
        return
    if hadoop.exists(state) and hadoop.children(state):
        raise InputError(f"--state {state}: holds other files, expected a new or empty folder")
    hadoop.write(mark, json.dumps(asdict(topic)))


def follow(spark: SparkSession, topic: Topic, state: str, interval_s: int | None) -> StreamingQuery:
    """Start to append the topic's new records to the state, from where the last query ended.

    Without an interval the query ends when it has read the records that existed when it began.
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
    """Return key, number and text of Kafka records, as `insync.events.topic` defines them."""
    ours = fn.filter("headers", lambda header: header["key"] == NUMBER)
    number = fn.try_element_at(ours, fn.lit(1))["value"].cast("string").try_cast("long")
    return sent.select(
        fn.col("key").cast("string").alias("key"),
        fn.coalesce(number, fn.col("offset")).alias("number"),
        fn.col("value").cast("string").alias("text"),
    )


def batches(hadoop: Hadoop, state: str) -> list[str]:
    """Return the folders of the batches that were written completely."""
    done = hadoop.matching(f"{paths.literal(state)}/lines/batch=*/_SUCCESS")
    return [path.removesuffix("/_SUCCESS") for path in done]


def records(spark: SparkSession, folders: Sequence[str]) -> DataFrame:
    """Return the lines of batches, including those that were published twice."""
    if not folders:
        return inline_table(spark, [], RECORDS)
    return spark.read.schema(RECORDS).parquet(*(paths.literal(folder) for folder in folders))


def received(spark: SparkSession, folders: Sequence[str], min_isr: int) -> Received:
    """Return the content of the batches in `folders`, without lines that were published twice.

    `min_isr` is min.insync.replicas of unmanaged brokers.
    """
    once = records(spark, folders).dropDuplicates(["key", "number"]).cache()
    filled = once.where(fn.length(fn.trim("text")) > 0)
    runs, problems = _runs(filled)
    known = placed(filled).where(fn.col("folder_uri").isin(list(runs)))
    others = _of_unmanaged(filled, runs)
    unmanaged = unmanaged_runs(others, min_isr)
    lines = known.unionByName(others)
    unknown = once.where(~_is_run()).count() - lines.count()
    return Received({**runs, **unmanaged}, set(unmanaged), lines, unknown, problems)


def placed(lines: DataFrame) -> DataFrame:
    """Return the lines of runs in the form that `bronze.of_runs` takes.

    The run's name replaces its folder. Each line is a block, because bronze keeps the order of
    blocks.
    """
    pattern = r"^([^/]+)/(([^/]+)/([^/]+))$"
    names = ("folder_uri", "file", "arm_folder", "file_name")
    parts = (fn.regexp_extract("key", pattern, i + 1).alias(name) for i, name in enumerate(names))
    ours = lines.where(~_is_run() & fn.col("key").rlike(pattern))
    return ours.select("text", fn.col("number").alias("block"), *parts)


def _of_unmanaged(lines: DataFrame, runs: Collection[str]) -> DataFrame:
    """Return the lines of unmanaged brokers' agents, in the same form as `placed`."""
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
    """Return the runs by name, by their latest description, and the problems of unreadable ones."""
    latest = lines.where(_is_run()).groupBy("key").agg(fn.max_by("text", "number").alias("text"))
    runs, problems = {}, []
    for row in latest.orderBy("key").collect():
        try:
            runs[row["key"].split("/")[0]] = RunInfo.model_validate_json(row["text"])
        except ValidationError as error:
            problems.append(f"{row['key']}: {first_problem(error)}")
    return runs, problems
