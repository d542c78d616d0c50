"""Reads the event lines of run folders into typed bronze tables, partitioned by run.

A line that cannot be read goes to `quarantine` with its text and the reason. `input_lines` counts
all lines and the unreadable ones. It also counts lines whose time is far outside of their run's;
these are kept, because only a clock is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as fn

from insync.analysis.tables.bronze.folders import Folder
from insync.analysis.tables.bronze.migrations import STEPS, Steps, lift, schema_of, versions
from insync.analysis.tables.bronze.runs import ABOUT_FILES
from insync.analysis.tables.bronze.schemas import (
    ALL,
    BROKER,
    CORRUPT,
    EVENTS_VERSION,
    ISR,
    EventKind,
)
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.inline_table import inline_table
from insync.events.schema import EVENTS

FAR_MS = 60_000.0
"""How far outside of its run's time a line's time may be; beyond it, a clock is wrong."""

_PLACE = ("run", "file", "block", "number")

_WRONG = "wrong"
"""The column that says why a line cannot be read."""

OWN = (*_PLACE, "text", "arm_folder", _WRONG)
"""Columns added to a line's fields; no kind of line may have a field of such a name."""

_QUARANTINE = "run string, file string, block bigint, number bigint, problem string, text string"


@dataclass(frozen=True)
class Events:
    """Every readable line by kind; ordered kinds have the additional column `line`."""

    phases: DataFrame
    faults: DataFrame
    produce: DataFrame
    transactions: DataFrame
    consume: DataFrame
    isr: DataFrame
    counters: DataFrame
    samples: DataFrame
    controller: DataFrame
    step_downs: DataFrame
    roles: DataFrame
    replica_logs: DataFrame
    batches: DataFrame
    broker_events: DataFrame

    @classmethod
    def of(cls, tables: Mapping[str, DataFrame]) -> Events:
        """Select the kinds from tables by name."""
        return cls(**{field.name: tables[field.name] for field in fields(cls)})


def raw_lines(spark: SparkSession, folders: Sequence[Folder], runs: DataFrame) -> DataFrame:
    """Return every line of the runs' event files: its position, its text, and columns of its run.

    `file` is the file's path below events/, `block` the offset in it at which the Spark task that
    read the line began; `runs` is the table of that name.
    """
    written = [paths.events(folder.path) for folder in folders if folder.has_events]
    none = inline_table(spark, [], "text string, path string, block long")
    return of_runs(_placed(_read(spark, written) if written else none), runs)


def _read(spark: SparkSession, folders: list[str]) -> DataFrame:
    files = (
        spark.read.option("recursiveFileLookup", "true")
        .option("pathGlobFilter", "*.jsonl")
        .text(folders)
    )
    return files.select(
        fn.col("value").alias("text"),
        _with_one_slash(fn.col("_metadata.file_path")).alias("path"),
        fn.col("_metadata.file_block_start").alias("block"),
    ).where(fn.length(fn.trim("text")) > 0)


def _with_one_slash(path: Column) -> Column:
    """Rewrite local URIs as `spark.hadoop` does, without a regex because it runs for each line."""
    one = fn.concat(fn.lit("file:/"), fn.substring_index(path, "file:///", -1))
    return fn.when(path.startswith("file:///"), one).otherwise(path)


def _placed(lines: DataFrame) -> DataFrame:
    file = fn.substring_index("path", "/", -2)
    folder = fn.substring_index("path", f"/{EVENTS}/", -1)
    above = fn.length("path") - fn.length(folder) - len(f"/{EVENTS}/")
    return lines.select(
        "text",
        "block",
        fn.col("path").substr(fn.lit(1), above).alias("folder_uri"),
        file.alias("file"),
        fn.substring_index(file, "/", 1).alias("arm_folder"),
        fn.substring_index("path", "/", -1).alias("file_name"),
    )


def of_runs(lines: DataFrame, runs: DataFrame) -> DataFrame:
    """Add the columns of its run to each line, found by `folder_uri`."""
    about = runs.select("run", *ABOUT_FILES)
    lost = fn.raise_error(fn.concat(fn.lit("a line of an unknown run: "), "folder_uri"))
    return lines.join(fn.broadcast(about), "folder_uri", "left").withColumn(
        "run", fn.coalesce("run", lost)
    )


def bronze(lines: DataFrame, steps: Steps = STEPS) -> Iterator[tuple[str, DataFrame]]:
    """Yield the readable lines of every kind, by name; `lines` as of `raw_lines`."""
    for kind in ALL:
        yield kind.name, readable(parse(_of_kind(lines, kind), kind, steps), kind)


def input_lines(lines: DataFrame, read: Mapping[str, DataFrame], runs: DataFrame) -> DataFrame:
    """Count the lines of each file, the unreadable ones, and those with a time far off.

    `lines` as of `raw_lines`; `read` are the tables of `bronze` by name; `runs` is the table
    of that name.
    """
    about = fn.broadcast(runs.select("run", "started_ms", "finished_ms"))
    each = (
        read[kind.name].join(about, "run", "inner").select("run", "file", _is_skewed(kind))
        for kind in ALL
    )
    known = (
        reduce(DataFrame.unionByName, each)
        .groupBy("run", "file")
        .agg(fn.count(fn.lit(1)).alias("read"), fn.count_if("skewed").alias("skewed"))
    )
    total = lines.groupBy("run", "file").agg(fn.count(fn.lit(1)).alias("lines"))
    return total.join(known, ["run", "file"], "left").select(
        "run",
        "file",
        "lines",
        (fn.col("lines") - fn.coalesce("read", fn.lit(0))).alias("unreadable"),
        fn.coalesce("skewed", fn.lit(0)).cast("long").alias("skewed"),
    )


def quarantine(lines: DataFrame, counted: DataFrame, steps: Steps = STEPS) -> DataFrame:
    """Return the unreadable lines with the reason.

    `counted` is the table input_lines; only files with unreadable lines are parsed again.
    """
    files = counted.where(fn.col("unreadable") > 0).select("run", "file")
    if files.isEmpty():
        return inline_table(lines.sparkSession, [], _QUARANTINE)
    theirs = lines.join(fn.broadcast(files), ["run", "file"], "left_semi")
    parsed = (parse(_of_kind(theirs, kind), kind, steps) for kind in ALL)
    bad = (each.select(*_PLACE, fn.col(_WRONG).alias("problem"), "text") for each in parsed)
    every = reduce(DataFrame.unionByName, bad, _foreign(theirs))
    return every.where(fn.col("problem").isNotNull())


def parse(lines: DataFrame, kind: EventKind, steps: Steps = STEPS) -> DataFrame:
    """Return the lines of one kind: position, text, columns of the newest schema, `wrong`.

    `number` orders the lines of a block. It is computed in the projection that parses, because
    Spark pushes no filter below a nondeterministic projection; a filter there would parse a line
    once for each field.
    """
    known = versions(steps)
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}
    each = {_line(v): fn.from_json("text", schema_of(kind, v, steps), options) for v in known}
    parsed = lines.withColumns({"number": fn.monotonically_increasing_id(), **each})
    version = fn.col(_line(EVENTS_VERSION))["v"]
    is_old = fn.coalesce(version.isin([*known[:-1]]), fn.lit(False))
    newest = _fields(parsed.where(~is_old), EVENTS_VERSION)
    lifted = (
        lift(_fields(parsed.where(version == old), old), kind, old, steps).withColumn(
            "v", fn.lit(EVENTS_VERSION)
        )
        for old in known[:-1]
    )
    return reduce(DataFrame.unionByName, lifted, newest).withColumn(_WRONG, _problem(kind))


def _line(version: int) -> str:
    return f"line_{version}"


def _fields(parsed: DataFrame, version: int) -> DataFrame:
    return parsed.select(*_PLACE, "text", "arm_folder", f"{_line(version)}.*")


def _problem(kind: EventKind) -> Column:
    version, corrupt = fn.col("v"), fn.col(CORRUPT).isNotNull()
    newer = fn.format_string(f"schema version %d, expected {EVENTS_VERSION} at most", version)
    missing = fn.coalesce(*(fn.when(fn.col(name).isNull(), fn.lit(name)) for name in kind.required))
    return (
        fn.when(version != EVENTS_VERSION, newer)
        .when(corrupt & fn.try_parse_json("text").isNull(), fn.lit("incomplete, or no JSON"))
        .when(corrupt, fn.lit("a field of another type"))
        .when(version.isNull(), fn.lit("no schema version v"))
        .when(missing.isNotNull(), fn.concat(missing, fn.lit(" is missing")))
    )


def readable(parsed: DataFrame, kind: EventKind) -> DataFrame:
    """Return the lines without a problem: run, file, order, and their fields."""
    good = parsed.where(fn.col(_WRONG).isNull())
    own = [name for name in kind.schema.names if name not in ("v", CORRUPT)]
    if kind is BROKER:
        of_file = fn.regexp_extract("file", r"broker-(\d+)\.jsonl$", 1).cast("int")
        good = good.withColumns({"arm": fn.col("arm_folder"), "broker": of_file})
        good, own = good.withColumnRenamed("text", "body"), ["arm", "broker", *own, "body"]
    if kind.ordered:
        in_file = Window.partitionBy("run", "file").orderBy("block", "number")
        good = good.withColumn("line", fn.row_number().over(in_file).cast("long"))
        own = [*own, "line"]
    return good.select(*_PLACE, *own)


def _foreign(lines: DataFrame) -> DataFrame:
    """Return the lines of files of an unknown kind, or of an arm that their run does not have."""
    of_kind = reduce(Column.__or__, (_is_of(kind) for kind in ALL))
    others = lines.where(~(of_kind & _is_of_an_arm()))
    return others.withColumn("number", fn.monotonically_increasing_id()).select(
        *_PLACE, fn.lit("not a file of a run with these arms").alias("problem"), "text"
    )


def _is_skewed(kind: EventKind) -> Column:
    if kind.time is None:
        return fn.lit(False).alias("skewed")
    at = fn.col(kind.time)
    early = at < fn.col("started_ms") - FAR_MS
    late = at > fn.col("finished_ms") + FAR_MS
    # Lines about brokers cover the whole life of a cluster, on which other runs may have run.
    own = fn.col("topic").isNotNull() if kind is ISR else fn.lit(True)
    return fn.coalesce(own & (early | late), fn.lit(False)).alias("skewed")


def _of_kind(lines: DataFrame, kind: EventKind) -> DataFrame:
    """Return the lines of one kind; Spark skips the other files by their names."""
    return lines.where(_is_of(kind) & _is_of_an_arm())


def _is_of(kind: EventKind) -> Column:
    pattern = kind.pattern.replace(".", r"\.").replace("*", r"\d+")
    return fn.col("file_name").rlike(f"^{pattern}$")


def _is_of_an_arm() -> Column:
    return fn.array_contains("arms", fn.col("arm_folder"))
