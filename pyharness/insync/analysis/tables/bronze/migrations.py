"""Event lines of older schema versions, lifted step by step to the one the tables know.

A step takes the lines of one kind and version `v` and returns those of `v + 1`; a kind whose
lines did not change with a version needs none. There is only version 1 as yet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame
from pyspark.sql.types import StructType

from insync.analysis.tables.bronze.schemas import EVENTS_VERSION, EventKind


@dataclass(frozen=True)
class Step:
    """What lines of one version look like, and what makes them lines of the next."""

    schema: StructType
    lift: Callable[[DataFrame], DataFrame]


Steps = Mapping[tuple[str, int], Step]
"""By kind and the version that a step starts from."""

STEPS: Steps = {}


def schema_of(kind: EventKind, version: int, steps: Steps) -> StructType:
    """Return the columns of a kind's lines of a version, up to the newest."""
    step = next((steps[kind.name, v] for v in _from(version) if (kind.name, v) in steps), None)
    return kind.schema if step is None else step.schema


def lift(lines: DataFrame, kind: EventKind, version: int, steps: Steps) -> DataFrame:
    """Return lines of a version as the newest has them."""
    for v in _from(version):
        if (kind.name, v) in steps:
            lines = steps[kind.name, v].lift(lines)
    return lines


def versions(steps: Steps) -> range:
    """Return every version that can be read, oldest first."""
    return range(min([1, *(v for _, v in steps)]), EVENTS_VERSION + 1)


def _from(version: int) -> range:
    return range(version, EVENTS_VERSION)
