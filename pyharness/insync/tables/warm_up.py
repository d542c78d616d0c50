"""Makes the class archive: `python -m insync.tables.warm_up`, once after installing.

It builds the tables of an empty run, so that the archive holds what a real one needs.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from pyspark import SparkContext

from insync.errors import InsyncError
from insync.events.run_info import RunInfo
from insync.kafka import cache
from insync.kafka.java import find_java
from insync.tables import class_archive, places
from insync.tables.build import build_tables
from insync.tables.job import report_errors
from insync.tables.read import read_events
from insync.tables.schemas import ALL
from insync.tables.session import SparkSettings, open_session
from insync.tables.store import write_tables

_NO_RUN = RunInfo.model_validate(
    {
        "scenario_name": "none",
        "scenario": {
            "min_insync_replicas": 1,
            "broker": {"replica_lag_time_max_ms": 1},
            "workload": {"leaders": [1]},
        },
        "kafka": "",
        "scale": 1,
        "seed": 0,
        "arms": ["none"],
        "repeats": 1,
        "started_ms": 0,
    }
)


def warm_up() -> Path:
    """Make the archive if there is none yet; return its path. Raises InputError, InsyncError."""
    home = find_java().home
    os.environ["JAVA_HOME"] = str(home)
    target = class_archive.folder(home)
    with cache.locked(target):
        if not (target / class_archive.FILE).is_file():
            with cache.made_whole(target) as made:
                _train(made / class_archive.FILE)
    return target / class_archive.FILE


def _train(archive: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="insync-warm-up-") as name:
        scratch = Path(name)
        events = scratch / "events" / "none"
        events.mkdir(parents=True)
        for kind in ALL:
            (events / kind.pattern.replace("*", "0")).write_text('{"v":1}\n', encoding="utf-8")
        settings = SparkSettings(class_archive_option=class_archive.make_option(archive))
        with open_session(settings, scratch / "spark.log") as spark:
            storage = places.local(scratch)
            lines = read_events(spark, storage, _NO_RUN.arms)
            write_tables(spark, build_tables(lines, _NO_RUN), storage)
        _end_jvm()
        if not archive.is_file():
            raise InsyncError(f"{archive}: the JVM left no class archive")


def _end_jvm() -> None:
    """Wait until the JVM is gone: it writes the archive at its very end."""
    gateway = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()


def main() -> int:
    """Make the archive; print its path. Exit code 0, 2 for bad input, 3 if it failed."""
    with report_errors() as outcome:
        print(warm_up())
    return outcome.code


if __name__ == "__main__":
    sys.exit(main())
