"""Computes figures per partition from JMH's JSON, relative to two baselines of the same run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from insync.errors import InsyncError

EMPTY: Final = "insync.bench.Baseline.emptyAdvice"
COMPARE_AND_SET: Final = "insync.bench.Baseline.compareAndSet"
ALLOCATED: Final = "gc.alloc.rate.norm"
_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


class _Part(BaseModel):
    """A part of JMH's JSON; other fields, which may hold NaN as a string, are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Metric(_Part):
    score: float


class _Params(_Part):
    model_config = ConfigDict(frozen=True, extra="allow", strict=True)
    partitions: str = Field(pattern=r"^[1-9][0-9]{0,6}$")

    def others(self) -> str:
        """Return the benchmark's other parameters, such as the scope."""
        return " ".join(str(value) for value in (self.model_extra or {}).values())


class _Entry(_Part):
    benchmark: str
    threads: int = Field(ge=1)
    params: _Params
    primary: _Metric = Field(alias="primaryMetric")
    secondary: dict[str, _Metric] = Field(alias="secondaryMetrics")


_ENTRIES: Final = TypeAdapter(list[_Entry])


@dataclass(frozen=True, slots=True)
class Row:
    """The cost of one benchmark per partition: time of one thread, bytes allocated.

    The ratios are to a loop with advice that does nothing, and to one uncontended compare-and-set,
    both with the same number of partitions and threads.
    """

    benchmark: str
    partitions: int
    threads: int
    ns_per_partition: float
    bytes_per_partition: float
    times_empty_advice: float
    times_compare_and_set: float


def read_rows(files: Sequence[Path]) -> list[Row]:
    """Return the rows of JMH's result files; InsyncError if one is invalid or lacks a baseline.

    A benchmark's operation is one fetch, so its figures are divided by the fetch's partitions.
    """
    entries = [entry for file in files for entry in _read(file)]
    ns = {(e.benchmark, e.params.partitions, e.threads): _ns(e) for e in entries}
    rows = []
    for entry in entries:
        point = (entry.params.partitions, entry.threads)
        for baseline in (EMPTY, COMPARE_AND_SET):
            if ns.get((baseline, *point), 0.0) <= 0.0:
                raise InsyncError(f"bench: {baseline} has no time at {point}, expected one")
        rows.append(
            Row(
                benchmark=_words(entry),
                partitions=int(entry.params.partitions),
                threads=entry.threads,
                ns_per_partition=_ns(entry),
                bytes_per_partition=_bytes(entry),
                times_empty_advice=_ns(entry) / ns[(EMPTY, *point)],
                times_compare_and_set=_ns(entry) / ns[(COMPARE_AND_SET, *point)],
            )
        )
    return rows


def _read(file: Path) -> list[_Entry]:
    try:
        return _ENTRIES.validate_json(file.read_bytes())
    except OSError as error:
        raise InsyncError(f"bench: {file}: {error.strerror}, expected JMH's results") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InsyncError(f"bench: {file}: {where}: {first['msg']}") from error


def _ns(entry: _Entry) -> float:
    return entry.primary.score / int(entry.params.partitions)


def _bytes(entry: _Entry) -> float:
    allocated = entry.secondary.get(ALLOCATED)
    if allocated is None:
        raise InsyncError(f"bench: {entry.benchmark} has no {ALLOCATED}, expected JMH's -prof gc")
    return allocated.score / int(entry.params.partitions)


def _words(entry: _Entry) -> str:
    """Return a benchmark's method name in words, with its parameters: `mark and release, read`."""
    method = entry.benchmark.rpartition(".")[2]
    name = _CAPITAL.sub(" ", method).lower()
    others = entry.params.others()
    return f"{name}, {others}" if others else name
