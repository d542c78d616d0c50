"""Lets Spark's workers read whole files, each of which becomes one text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pyarrow as pa
from pyspark import cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import functions as fn

from insync.analysis.engine.options import Choice
from insync.analysis.engine.session import Session, open_session
from insync.engines import AnalysisOptions
from insync.errors import InputError

Reader = Callable[[str, bytes], str]
"""Gets the path and the content of a file."""
_AT_ONCE = "spark.sql.execution.arrow.maxRecordsPerBatch"
"""How many rows a batch has, all of which a worker holds: here one, a file."""


def read_files(
    options: AnalysisOptions, places: Sequence[str], pattern: str, reader: Reader, of: ModuleType
) -> list[str]:
    """Return what the reader makes of each file in some folders whose name fits the pattern.

    Folders are searched at any depth, and may be patterns. A worker holds one file at a time, which
    must be smaller than 2 GB. The reader's module, `of`, goes to the workers, so it needs
    Python alone. Raises InputError for a place that cannot be read.
    """
    with (
        TemporaryDirectory(prefix="insync-spark-") as folder,
        open_session(Choice("spark"), options, Path(folder) / "spark.log") as session,
    ):
        return read_in(session, places, pattern, reader, of)


def read_in(
    session: Session, places: Sequence[str], pattern: str, reader: Reader, of: ModuleType
) -> list[str]:
    """Do so in an open session of Spark."""
    cloudpickle.register_pickle_by_value(of)  # type: ignore[no-untyped-call]  # not typed
    before = str(session.spark.conf.get(_AT_ONCE))
    session.spark.conf.set(_AT_ONCE, "1")
    files = session.spark.read.format("binaryFile").option("recursiveFileLookup", "true")
    try:
        found = files.option("pathGlobFilter", pattern).load(list(places))
        found = found.where(fn.col("length") > 0).select("path", "content")
        texts = found.mapInArrow(partial(_read, reader), "text string").toArrow()
    except PySparkException as error:
        raise InputError(f"{', '.join(places)}: {str(error).partition(chr(10))[0]}") from None
    finally:
        session.spark.conf.set(_AT_ONCE, before)
    return [str(text) for text in texts.column("text").to_pylist()]


def _read(reader: Reader, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        texts = [
            reader(path.as_py().removeprefix("file:"), content.as_py())
            for path, content in zip(batch.column(0), batch.column(1), strict=True)
        ]
        yield pa.RecordBatch.from_pydict({"text": texts})
