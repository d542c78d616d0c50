"""Parses event lines, and converts those of older schema versions, step by step, to the newest.

A step takes a line of one kind and version `v` and returns it as of `v + 1`. A kind whose lines
did not change in a version needs no step. So far there is only version 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as fn
from pyspark.sql.types import IntegerType, StringType, StructField, StructType

from insync.analysis.tables.bronze.schemas import (
    ALL,
    CORRUPT,
    EVENTS_VERSION,
    EVERY_FIELD,
    KIND,
    EventKind,
)


@dataclass(frozen=True)
class Step:
    """The schema of one version of a kind of lines, and the conversion to the next version.

    `lift` takes a line as a struct of `schema`, and returns a struct with the next version's
    fields, in any order.
    """

    schema: StructType
    lift: Callable[[Column], Column]


Steps = Mapping[tuple[str, int], Step]
"""Steps by kind and the version that they convert from."""

STEPS: Steps = {}

_EVERY = StructType(
    [StructField(name, of) for name, of in {"v": IntegerType(), **EVERY_FIELD}.items()]
).add(CORRUPT, StringType())
_OPTIONS = {"mode": "PERMISSIVE", "columnNameOfCorruptRecord": CORRUPT}


def parsed(steps: Steps) -> Column:
    """Return the line in the column `text` as a struct of the fields of all kinds.

    The line is not an agent's. Its `v` is the newest version if an older one was converted.
    """
    found = newest = from_text(_EVERY)
    for name, version in _older(steps):
        kind = next(kind for kind in ALL if kind.name == name)
        line = _lifted(from_text(_schema_of(kind, version, steps)), kind, version, steps)
        is_old = (fn.col(KIND) == name) & (newest["v"] == version)
        found = fn.when(is_old, line).otherwise(found)
    return found


def from_text(schema: StructType) -> Column:
    """Return the JSON in the column `text` as a struct; `_corrupt` is set if it does not fit."""
    return fn.from_json("text", schema, _OPTIONS)


def _older(steps: Steps) -> Iterator[tuple[str, int]]:
    """Yield every kind with each older version in which its lines may be."""
    first = min([1, *(v for _, v in steps)])
    return ((kind.name, version) for version in _from(first) for kind in ALL)


def _lifted(line: Column, kind: EventKind, version: int, steps: Steps) -> Column:
    for v in _from(version):
        if (kind.name, v) in steps:
            line = steps[kind.name, v].lift(line)
    values = {
        name: line[name] if name in kind.schema.names else fn.lit(None).cast(_EVERY[name].dataType)
        for name in _EVERY.names
    }
    values["v"] = fn.lit(EVENTS_VERSION)
    return fn.struct(*(value.alias(name) for name, value in values.items()))


def _schema_of(kind: EventKind, version: int, steps: Steps) -> StructType:
    step = next((steps[kind.name, v] for v in _from(version) if (kind.name, v) in steps), None)
    return kind.schema if step is None else step.schema


def _from(version: int) -> range:
    return range(version, EVENTS_VERSION)
