"""Converts event lines of older schema versions, step by step, to the newest version.

A step takes the lines of one kind and version `v` and returns lines of `v + 1`. A kind whose lines
did not change in a version needs no step. So far there is only version 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from insync.analysis.tables.bronze.schemas import EVENTS_VERSION, EventKind


@dataclass(frozen=True)
class Step:
    """The schema of one version of a kind of lines, and the conversion to the next version."""

    schema: StructType
    lift: Callable[[DataFrame], DataFrame]


Steps = Mapping[tuple[str, int], Step]
"""Steps by kind and the version that they convert from."""

STEPS: Steps = {}


def schema_of(kind: EventKind, version: int, steps: Steps) -> StructType:
    """Return the schema of a kind of lines in a version."""
    step = next((steps[kind.name, v] for v in _from(version) if (kind.name, v) in steps), None)
    return kind.schema if step is None else step.schema


def lift(lines: DataFrame, kind: EventKind, version: int, steps: Steps) -> DataFrame:
    """Convert lines of a version to the newest version."""
    for v in _from(version):
        if (kind.name, v) in steps:
            lines = steps[kind.name, v].lift(lines)
    return lines


def versions(steps: Steps) -> range:
    """Return every version that can be read, oldest first."""
    return range(min([1, *(v for _, v in steps)]), EVENTS_VERSION + 1)


def _from(version: int) -> range:
    return range(version, EVENTS_VERSION)
