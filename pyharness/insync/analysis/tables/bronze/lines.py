"""Reads the event lines of run folders into one typed bronze table, partitioned by kind and run.

Each line is parsed once; the columns of other kinds are null. A line that cannot be read has the
reason in the column `wrong`, and its text. `input_lines` counts all lines and the unreadable ones.
It also counts lines whose time is far outside of their run's; these are kept, because only a clock
is wrong.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import reduce

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as fn
from pyspark.sql.types import LongType, StringType, StructField, StructType

from insync.analysis.tables.bronze.folders import Folder
from insync.analysis.tables.bronze.migrations import STEPS, Steps, from_text, parsed
from insync.analysis.tables.bronze.runs import ABOUT_FILES
from insync.analysis.tables.bronze.schemas import (
    ALL,
    BROKER,
    CORRUPT,
    EVENTS_VERSION,
    EVERY_FIELD,
    KIND,
    EventKind,
    fields_of,
)
from insync.analysis.tables.spark import paths
from insync.analysis.tables.spark.inline_table import inline_table
from insync.events.schema import EVENTS

FAR_MS = 60_000.0
"""How far outside of its run's time a line's time may be; beyond it, a clock is wrong."""

FOREIGN = "foreign"
"""The kind of the lines of other files, or of an arm that their run does not have."""

ORDER = (KIND, "run", "file", "block", "number")
"""The columns that order the lines: those of a file as they are in the file."""

WRONG = "wrong"
"""The column that says why a line cannot be read; null: it was read."""

_LINE = "json"
"""The column with a line's fields, for all kinds but the agents' own events."""
_AGENTS = "json_of_agent"
"""The column with the fields of an agent's event, which has other fields as well, of any type."""

OWN = (*ORDER, "line", "text", "arm_folder", "file_name", WRONG, _LINE, _AGENTS)
"""Columns added to a line's fields; no kind of line may have a field of such a name."""

_BLOCK_BYTES_LOG2 = 28
"""Each 256 MiB of an event file are sorted and written by themselves, however large it is."""


@dataclass(frozen=True)
class Events:
    """Every readable line by kind; ordered kinds have the additional column `line`."""

    phases: DataFrame
    faults: DataFrame
    produce: DataFrame
    transactions: DataFrame
    transaction_reads: DataFrame
    consume: DataFrame
    heard: DataFrame
    read_back: DataFrame
    group: DataFrame
    isr: DataFrame
    counters: DataFrame
    samples: DataFrame
    controller: DataFrame
    liveness: DataFrame
    answers: DataFrame
    clocks: DataFrame
    step_downs: DataFrame
    roles: DataFrame
    replica_logs: DataFrame
    batches: DataFrame
    broker_events: DataFrame

    @classmethod
    def of(cls, lines: DataFrame, present: Collection[str] | None = None) -> Events:
        """Select the kinds from the bronze table.

        `present` names the kinds that have lines; None: not known. Spark plans what depends on a
        kind without lines faster if it knows that.
        """
        tables = {kind.name: _of_kind(lines, kind) for kind in ALL}
        if present is not None:
            tables = {n: t if n in present else t.limit(0) for n, t in tables.items()}
        return cls(**{field.name: tables[field.name] for field in fields(cls)})

    @classmethod
    def of_cached(cls, lines: DataFrame, present: Collection[str]) -> Events:
        """Select the kinds from bronze lines that are in memory, not in a folder for each kind.

        Spark reads all lines to select a kind, so those that are not of records are kept apart.
        """
        of_records = [kind.name for kind in ALL if kind.of_records]
        few = lines.where(~fn.col(KIND).isin(of_records)).cache()
        large = {kind.name: _of_kind(lines, kind) for kind in ALL if kind.of_records}
        return replace(cls.of(few, present), **large)


def kinds(lines: DataFrame) -> set[str]:
    """Return the kinds that have lines, readable or not; computes lines that are to be cached."""
    return {row[KIND] for row in lines.select(KIND).distinct().collect()}


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


def bronze(lines: DataFrame, steps: Steps = STEPS) -> DataFrame:
    """Return a row per line with the columns of `schema`, in the order ORDER.

    `lines` as of `raw_lines`. They are sorted before they are parsed, because they are shorter
    then. `text` is that of the agents' events and of the lines that cannot be read.
    """
    is_agents = fn.col(KIND) == BROKER.name
    read = _ordered(lines).withColumns(
        {
            _LINE: fn.when(~is_agents, parsed(steps)),
            _AGENTS: fn.when(is_agents, from_text(BROKER.schema)),
        }
    )
    own = {"arm": fn.col("arm_folder"), "broker": _broker_of_file()}
    of_agents = {name: fn.col(_AGENTS)[name] for name in fields_of(BROKER)} | own
    values = (
        fn.coalesce(fn.col(_LINE)[name], of_agents[name])
        if name in of_agents
        else fn.col(_LINE)[name]
        for name in EVERY_FIELD
    )
    wrong = _why_unreadable()
    return read.select(
        "run", KIND, "file", "line",
        *(value.alias(name) for name, value in zip(EVERY_FIELD, values, strict=True)),
        fn.when(is_agents | wrong.isNotNull(), fn.col("text")).alias("text"),
        wrong.alias(WRONG),
    )  # fmt: skip


def _ordered(lines: DataFrame) -> DataFrame:
    """Add kind and `line`, the number of a line in its file if its kind is ordered; sort by ORDER.

    `block` and `number` order the lines of a file.
    """
    placed = lines.withColumns({KIND: _kind(), "number": fn.monotonically_increasing_id()})
    ordered = fn.col(KIND).isin([kind.name for kind in ALL if kind.ordered])
    # Other files may be large, so their lines are neither numbered nor together in one task.
    part = fn.when(ordered, fn.lit(0)).otherwise(fn.shiftright("block", _BLOCK_BYTES_LOG2))
    in_file = Window.partitionBy(KIND, "run", "file", part).orderBy("block", "number")
    number = fn.when(ordered, fn.row_number().over(in_file).cast("long"))
    kept = (KIND, "run", "file", "block", "number", "arm_folder", "text")
    return placed.select(*kept, number.alias("line")).sortWithinPartitions(*ORDER)


def schema() -> StructType:
    """Return the columns of the bronze table as it is stored."""
    text = StringType()
    before = {"run": text, KIND: text, "file": text, "line": LongType()}
    columns = {**before, **EVERY_FIELD, "text": text, WRONG: text}
    return StructType([StructField(name, of) for name, of in columns.items()])


def _kind() -> Column:
    """Return the name of the kind of a line's file."""
    pattern = fn.regexp_replace("file_name", r"-\d+\.jsonl$", "-*.jsonl")
    named = reduce(
        lambda found, kind: found.when(pattern == kind.pattern, fn.lit(kind.name)),
        ALL,
        fn.when(fn.col("file_name").endswith("*.jsonl"), fn.lit(FOREIGN)),
    ).otherwise(fn.lit(FOREIGN))
    of_arm = fn.array_contains("arms", fn.col("arm_folder"))
    return fn.when(of_arm, named).otherwise(fn.lit(FOREIGN))


def _broker_of_file() -> Column:
    number = fn.regexp_extract("file", r"broker-(\d+)\.jsonl$", 1)
    return fn.when(fn.col(KIND) == BROKER.name, number.cast("int"))


def _why_unreadable() -> Column:
    """Return why a line cannot be read; null if it can."""
    is_agents = fn.col(KIND) == BROKER.name
    line, agents = fn.col(_LINE), fn.col(_AGENTS)
    version = fn.when(is_agents, agents["v"]).otherwise(line["v"])
    corrupt = fn.when(is_agents, agents[CORRUPT]).otherwise(line[CORRUPT]).isNotNull()
    newer = fn.format_string(f"schema version %d, expected {EVENTS_VERSION} at most", version)
    missing = _missing(line, agents)
    return (
        fn.when(fn.col(KIND) == FOREIGN, fn.lit("not a file of a run with these arms"))
        .when(version != EVENTS_VERSION, newer)
        .when(corrupt & fn.try_parse_json("text").isNull(), fn.lit("incomplete, or no JSON"))
        .when(corrupt, fn.lit("a field of another type"))
        .when(version.isNull(), fn.lit("no schema version v"))
        .when(missing.isNotNull(), fn.concat(missing, fn.lit(" is missing")))
    )


def _missing(line: Column, agents: Column) -> Column:
    """Return the first required field that a line lacks; null if it has all."""

    def first(kind: EventKind) -> Column:
        of = agents if kind is BROKER else line
        absent = [fn.when(of[name].isNull(), fn.lit(name)) for name in kind.required]
        absent += [
            fn.when(of[kind.since].isNotNull() & of[name].isNull(), fn.lit(name))
            for name in kind.required_since
        ]
        return fn.coalesce(*absent)

    begun = fn.when(fn.lit(False), fn.lit(""))
    return reduce(lambda so_far, k: so_far.when(fn.col(KIND) == k.name, first(k)), ALL, begun)


def _of_kind(lines: DataFrame, kind: EventKind) -> DataFrame:
    """Return the readable lines of one kind: run, file, and their fields."""
    columns: list[str | Column] = ["run", "file", *fields_of(kind)]
    if kind is BROKER:
        columns = ["arm", "broker", *columns, fn.col("text").alias("body")]
    if kind.ordered:
        columns.append("line")
    good = (fn.col(KIND) == kind.name) & fn.col(WRONG).isNull()
    return lines.where(good).select(*columns)


def input_lines(lines: DataFrame, runs: DataFrame) -> DataFrame:
    """Count the lines of each file, the unreadable ones, and those with a time far off.

    `lines` as of `bronze`; `runs` is the table of that name.
    """
    about = fn.broadcast(runs.select("run", "started_ms", "finished_ms"))
    unreadable = fn.col(WRONG).isNotNull()
    return (
        lines.join(about, "run", "inner")
        .groupBy("run", "file")
        .agg(
            fn.count(fn.lit(1)).alias("lines"),
            fn.count_if(unreadable).alias("unreadable"),
            fn.count_if(~unreadable & _is_skewed()).alias("skewed"),
        )
    )


def _is_skewed() -> Column:
    at = fn.coalesce(*_times())
    early = at < fn.col("started_ms") - FAR_MS
    late = at > fn.col("finished_ms") + FAR_MS
    # Lines about brokers cover the whole life of a cluster, on which other runs may have run.
    of_broker = (fn.col(KIND) == "isr") & fn.col("topic").isNull()
    return fn.coalesce(~of_broker & (early | late), fn.lit(False))


def _times() -> Iterator[str]:
    """Yield the fields with the time of a line; each kind has at most one of them."""
    return iter(dict.fromkeys(kind.time for kind in ALL if kind.time is not None))
