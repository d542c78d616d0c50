"""Measures with JMH what the agent's core costs per partition of a follower's fetch.

`make bench` runs it. Every benchmark is compared with two baselines of the same run: a loop with
advice that does nothing, and one uncontended compare-and-set, with as many partitions and threads.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich import print as show
from rich.table import Table

from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.process import complaint, run
from insync.errors import InsyncError

BUILD: Final = Path(__file__).parent / "build"
JAR: Final = BUILD / "libs" / "insync-bench.jar"
# JMH has a timeout per iteration; this one is for a JVM that hangs.
_WITHIN_S: Final = 3600.0
_ITERATION_WITHIN: Final = "60s"
EMPTY: Final = "insync.bench.Baseline.emptyAdvice"
COMPARE_AND_SET: Final = "insync.bench.Baseline.compareAndSet"
ALLOCATED: Final = "gc.alloc.rate.norm"
_CAPITAL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Effort:
    """The size of a measurement: partitions per fetch, threads, and JMH's iterations."""

    partitions: tuple[int, ...]
    threads: tuple[int, ...]
    warm_ups: int
    measurements: int
    iteration_ms: int


FULL: Final = Effort((1, 100, 4000), (1, 2, 4, 8), warm_ups=3, measurements=5, iteration_ms=500)


@dataclass(frozen=True, slots=True)
class Row:
    """The cost of one benchmark per partition, and how many times that of each baseline it is."""

    benchmark: str
    partitions: int
    threads: int
    ns_per_partition: float
    bytes_per_partition: float
    times_empty_advice: float
    times_compare_and_set: float


def measure(java: Java, effort: Effort, folder: Path) -> list[Path]:
    """Run every benchmark; return JMH's result files, one per number of threads.

    Raises InsyncError if a JVM fails or takes far longer than expected.
    """
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "jmh.txt"
    results = []
    for threads in effort.threads:
        result = folder / f"jmh-{threads}-threads.json"
        command = _command(java, effort, threads, result)
        code = run(command, log=log, folder=folder, within_s=_WITHIN_S)
        if code != 0:
            raise InsyncError(f"bench: JMH's exit code is {code}, see {log}: {complaint(log)}")
        results.append(result)
    return results


def _command(java: Java, effort: Effort, threads: int, result: Path) -> list[str]:
    """Return JMH's command line: average times and, by its gc profiler, bytes per operation."""
    options = {
        "-p": "partitions=" + ",".join(str(count) for count in effort.partitions),
        "-t": str(threads),
        "-f": "1",
        "-wi": str(effort.warm_ups),
        "-i": str(effort.measurements),
        "-w": f"{effort.iteration_ms}ms",
        "-r": f"{effort.iteration_ms}ms",
        "-to": _ITERATION_WITHIN,
        "-prof": "gc",
        "-foe": "true",
        "-rf": "json",
        "-rff": str(result),
        "-jvmArgs": "-Xms512m -Xmx512m",
    }
    # JMH writes no files outside of the folder, and no lock file in it.
    java_flags = [
        f"-Djava.io.tmpdir={result.parent}",
        "-Djmh.ignoreLock=true",
        "-XX:-UsePerfData",
    ]
    words = [word for option in options.items() for word in option]
    return [str(java.binary), *java_flags, "-jar", str(JAR), *words]


def read_rows(files: Sequence[Path]) -> list[Row]:
    """Return the rows of JMH's result files; raises KeyError if a baseline is missing.

    A benchmark's operation is one fetch, so its figures are divided by the fetch's partitions.
    """
    entries = [entry for file in files for entry in json.loads(file.read_bytes())]
    ns = {(each["benchmark"], *_point(each)): _ns(each) for each in entries}
    return [
        Row(
            benchmark=_words(each),
            partitions=partitions,
            threads=threads,
            ns_per_partition=_ns(each),
            bytes_per_partition=each["secondaryMetrics"][ALLOCATED]["score"] / partitions,
            times_empty_advice=_ns(each) / ns[EMPTY, partitions, threads],
            times_compare_and_set=_ns(each) / ns[COMPARE_AND_SET, partitions, threads],
        )
        for each in entries
        for partitions, threads in [_point(each)]
    ]


def _point(entry: dict[str, Any]) -> tuple[int, int]:
    return int(entry["params"]["partitions"]), int(entry["threads"])


def _ns(entry: dict[str, Any]) -> float:
    return float(entry["primaryMetric"]["score"]) / int(entry["params"]["partitions"])


def _words(entry: dict[str, Any]) -> str:
    """Return a benchmark's method name in words, with its parameters: `mark and release, read`."""
    name = _CAPITAL.sub(" ", entry["benchmark"].rpartition(".")[2]).lower()
    others = [value for key, value in entry["params"].items() if key != "partitions"]
    return ", ".join([name, *others])


def table(rows: Sequence[Row]) -> Table:
    """Return a table with a section per number of partitions and threads."""
    made = Table(title="per partition of a follower's fetch", title_justify="left")
    for place, heading in enumerate(
        ("benchmark", "partitions", "threads", "ns", "B", "x empty advice", "x compare and set")
    ):
        made.add_column(heading, justify="right" if place else "left")
    for row in sorted(rows, key=lambda row: (row.partitions, row.threads)):
        made.add_row(
            row.benchmark,
            str(row.partitions),
            str(row.threads),
            f"{row.ns_per_partition:.1f}",
            f"{row.bytes_per_partition:.2f}",
            f"{row.times_empty_advice:.1f}",
            f"{row.times_compare_and_set:.1f}",
        )
    return made


if __name__ == "__main__":
    show(table(read_rows(measure(find_java(), FULL, BUILD / "jmh"))))
