"""Bronze: the event lines of run folders, typed and partitioned by run; nothing left out.

A line that cannot be read goes to `quarantine` with its text and the reason, and is counted
in `input_lines` beside those that can. So are lines whose time is far outside of their run's:
these are kept, for only a clock is wrong with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as fn
from pyspark.sql.types import StructType

from insync.tables import places
from insync.tables.folders import Folder
from insync.tables.hadoop import LOCAL, ONE_SLASH
from insync.tables.made import made
from insync.tables.migrations import STEPS, Steps, lift, schema_of, versions
from insync.tables.runs import ABOUT_FILES
from insync.tables.schemas import ALL, BROKER, CORRUPT, EVENTS_VERSION, ISR, EventKind

FAR_MS = 60_000.0
"""How far outside of its run a line's time may be before a clock is to blame."""

_PLACE = ("run", "file", "block", "number")


@dataclass(frozen=True)
class Events:
    """Every readable line by kind; ordered kinds have one column more, `line`."""

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
        """Pick them out of tables by name."""
        return cls(**{field.name: tables[field.name] for field in fields(cls)})


def raw_lines(spark: SparkSession, folders: Sequence[Folder]) -> DataFrame:
    """Return every line of the runs' event files: about its run, arm, file, place, text.

    `file` is the file's path below events/, `block` where in it the reading of it began.
    """
    paths = [places.events(folder.path) for folder in folders if folder.has_events]
    if not paths:
        columns = "text string, path string, block long"
        return _placed(made(spark, [], columns))
    files = (
        spark.read.option("recursiveFileLookup", "true")
        .option("pathGlobFilter", "*.jsonl")
        .text(paths)
    )
    return _placed(
        files.select(
            fn.col("value").alias("text"),
            fn.regexp_replace("_metadata.file_path", LOCAL, ONE_SLASH).alias("path"),
            fn.col("_metadata.file_block_start").alias("block"),
        ).where(fn.length(fn.trim("text")) > 0)
    )


def _placed(lines: DataFrame) -> DataFrame:
    pattern = r"^(.*)/events/(([^/]+)/([^/]+))$"
    names = ("folder_uri", "file", "arm_folder", "file_name")
    parts = (fn.regexp_extract("path", pattern, i + 1).alias(name) for i, name in enumerate(names))
    return lines.select("text", "block", *parts)


@dataclass(frozen=True)
class Parsed:
    """The lines of all runs, parsed: by kind, and those of files that are of none."""

    by_kind: Mapping[EventKind, DataFrame]
    foreign: DataFrame

    def every(self) -> DataFrame:
        """Return all lines with what is wrong with them."""
        told = (_told(lines, kind) for kind, lines in self.by_kind.items())
        return reduce(DataFrame.unionByName, told, self.foreign)


def parse_all(lines: DataFrame, runs: DataFrame, steps: Steps = STEPS) -> Parsed:
    """Parse what `raw_lines` returns; `runs` is the table of that name.

    Marked to be kept once computed: three tables are made from each line.
    """
    about = runs.select("run", *ABOUT_FILES)
    lost = fn.raise_error(fn.concat(fn.lit("a line of no run that was read: "), "folder_uri"))
    known = lines.join(fn.broadcast(about), "folder_uri", "left").withColumn(
        "run", fn.coalesce("run", lost)
    )
    by_kind = {kind: parse(_of_kind(known, kind), kind, steps).cache() for kind in ALL}
    return Parsed(by_kind, foreign(known))


def bronze(parsed: Parsed) -> Iterator[tuple[str, DataFrame]]:
    """Yield every bronze table by name: one per kind of line, and `quarantine`."""
    for kind, lines in parsed.by_kind.items():
        yield kind.name, readable(lines, kind)
    bad = parsed.every().where(fn.col("problem").isNotNull())
    yield "quarantine", bad.select(*_PLACE, "problem", "text")


def input_lines(parsed: Parsed) -> DataFrame:
    """Per file: its lines, how many could not be read, and how many have a far-off time."""
    return (
        parsed.every()
        .groupBy("run", "file")
        .agg(
            fn.count(fn.lit(1)).alias("lines"),
            fn.count_if(fn.col("problem").isNotNull()).alias("unreadable"),
            fn.count_if("skewed").alias("skewed"),
        )
    )


def parse(lines: DataFrame, kind: EventKind, steps: Steps = STEPS) -> DataFrame:
    """Return the lines of one kind: place, columns of the newest schema, `problem`, `text`.

    `text` is null where there is no problem, or what is kept of a line would be kept twice.
    """
    told = lines.withColumn("said", fn.get_json_object("text", "$.v").cast("int"))
    older = [version for version in versions(steps) if version != EVENTS_VERSION]
    not_older = ~fn.coalesce(fn.col("said").isin(older), fn.lit(False))
    newest = _typed(told.where(not_older), kind.schema)
    lifted = (_lifted(told.where(fn.col("said") == old), kind, old, steps) for old in older)
    every = reduce(DataFrame.unionByName, lifted, newest).withColumn("problem", _problem(kind))
    wanted = fn.lit(kind is BROKER) | fn.col("problem").isNotNull()
    return every.withColumn("text", fn.when(wanted, fn.col("text")))


def _typed(lines: DataFrame, schema: StructType) -> DataFrame:
    options = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}
    return lines.withColumn("line", fn.from_json("text", schema, options)).select(
        *_PLACE, "text", "said", "arm_folder", "started_ms", "finished_ms", "line.*"
    )


def _lifted(lines: DataFrame, kind: EventKind, version: int, steps: Steps) -> DataFrame:
    old = _typed(lines, schema_of(kind, version, steps))
    return lift(old, kind, version, steps).withColumn("said", fn.lit(EVENTS_VERSION))


def _problem(kind: EventKind) -> Column:
    torn = fn.try_parse_json("text").isNull()
    no_json = fn.lit("torn, or no JSON")
    missing = fn.coalesce(*(fn.when(fn.col(name).isNull(), fn.lit(name)) for name in kind.required))
    return (
        fn.when(fn.col("said").isNull() & torn, no_json)
        .when(fn.col("said").isNull(), fn.lit("no schema version v"))
        .when(
            fn.col("said") != EVENTS_VERSION,
            fn.format_string(f"schema version %d, expected {EVENTS_VERSION} at most", "said"),
        )
        .when(fn.col(CORRUPT).isNotNull() & torn, no_json)
        .when(fn.col(CORRUPT).isNotNull(), fn.lit("a field of another type"))
        .when(missing.isNotNull(), fn.concat(missing, fn.lit(" is missing")))
    )


def readable(parsed: DataFrame, kind: EventKind) -> DataFrame:
    """Return the lines without a problem: run, file, their order, and what they say."""
    good = parsed.where(fn.col("problem").isNull())
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


def foreign(known: DataFrame) -> DataFrame:
    """Return the lines of files that are of no kind, or of no arm of their run."""
    of_kind = reduce(Column.__or__, (_is_of(kind) for kind in ALL))
    return _numbered(known.where(~(of_kind & _is_of_an_arm()))).select(
        *_PLACE,
        "text",
        fn.lit("a file that no run of these arms leaves").alias("problem"),
        fn.lit(False).alias("skewed"),
    )


def _told(parsed: DataFrame, kind: EventKind) -> DataFrame:
    return parsed.select(*_PLACE, "text", "problem", _is_skewed(kind).alias("skewed"))


def _is_skewed(kind: EventKind) -> Column:
    if kind.time is None:
        return fn.lit(False)
    at = fn.col(kind.time)
    early = at < fn.col("started_ms") - FAR_MS
    late = at > fn.col("finished_ms") + FAR_MS
    # A broker's fencing is told of the whole life of a cluster, on which others may have run.
    own = fn.col("topic").isNotNull() if kind is ISR else fn.lit(True)
    return fn.coalesce(own & (early | late), fn.lit(False)) & fn.col("problem").isNull()


def _of_kind(known: DataFrame, kind: EventKind) -> DataFrame:
    """Return the lines of one kind; Spark opens no files of others, for it knows their names."""
    return _numbered(known.where(_is_of(kind) & _is_of_an_arm()))


def _numbered(lines: DataFrame) -> DataFrame:
    """Add `number`, which orders the lines of a block; no filter finds its way below it."""
    return lines.withColumn("number", fn.monotonically_increasing_id())


def _is_of(kind: EventKind) -> Column:
    pattern = kind.pattern.replace(".", r"\.").replace("*", r"\d+")
    return fn.col("file_name").rlike(f"^{pattern}$")


def _is_of_an_arm() -> Column:
    return fn.array_contains("arms", fn.col("arm_folder"))
