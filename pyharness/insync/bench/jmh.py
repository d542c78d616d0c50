"""Runs the benchmarks' jar: JMH once per number of threads, with all results in one folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.brokers.kafka.java import Java
from insync.brokers.kafka.process import complaint, run
from insync.errors import InputError, InsyncError

BENCH_JAR: Final = Path(__file__).parents[3] / "plugin-java/bench/build/libs/insync-bench.jar"
# JMH has a timeout per iteration; this one is for a JVM that hangs.
_WITHIN_S: Final = 3600.0
_ITERATION_WITHIN = "60s"


@dataclass(frozen=True, slots=True)
class Effort:
    """The size of a measurement: partitions per fetch, threads, and JMH's iterations."""

    partitions: tuple[int, ...]
    threads: tuple[int, ...]
    warm_ups: int
    measurements: int
    iteration_ms: int


FULL: Final = Effort((1, 100, 4000), (1, 2, 4, 8), warm_ups=3, measurements=5, iteration_ms=500)
QUICK: Final = Effort((1, 100), (1, 2), warm_ups=2, measurements=2, iteration_ms=150)


def require_jar() -> Path:
    """Return the benchmarks' jar; InputError if it is missing, as in an installed wheel."""
    if not BENCH_JAR.is_file():
        raise InputError(
            f"{BENCH_JAR.name}: not in {BENCH_JAR.parent}, expected a checkout of insync in which "
            "`make bench` has built it"
        )
    return BENCH_JAR


def measure(
    jar: Path, java: Java, effort: Effort, folder: Path, tell: Callable[[str], None]
) -> list[Path]:
    """Run every benchmark; return JMH's result files, one per number of threads.

    Raises InsyncError if a JVM fails or takes far longer than expected.
    """
    log = folder / "jmh.txt"
    results = []
    for threads in effort.threads:
        tell(f"measuring with {threads} thread{'s' if threads > 1 else ''}")
        result = folder / f"jmh-{threads}-threads.json"
        command = _command(jar, java, effort, threads, result)
        code = run(command, log=log, folder=folder, within_s=_WITHIN_S)
        if code != 0:
            raise InsyncError(f"bench: JMH's exit code is {code}, see {log}: {complaint(log)}")
        results.append(result)
    return results


def _command(jar: Path, java: Java, effort: Effort, threads: int, result: Path) -> list[str]:
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
    return [str(java.binary), *java_flags, "-jar", str(jar), *words]
