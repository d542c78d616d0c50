"""Starts Spark's JVM faster, with an AppCDS archive of the classes that an analysis loads.

Loading some 15,000 classes from 250 jars takes a fifth of the time of a run's analysis. The JVM of
the first analysis writes the archive when it exits, into the Python environment that has PySpark,
because the archive fits only the jars and the Java that it was written with. The JVM checks this
and silently ignores an archive that does not fit. If the environment is read-only, there is no
archive. Of several analyses that begin before there is one, the first one writes it.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import psutil
import pyspark

from insync.brokers.kafka.java import Java

_FOLDER = Path(sys.prefix) / "share" / "insync"
_ARCHIVE = ".jsa"
_OURS = f".{os.getpid()}"


def archive_of(java: Java) -> Path:
    """Return the path of the archive for this Java and this PySpark; it need not exist yet."""
    digest = hashlib.sha256(f"{java.home}\0{java.description}\0{pyspark.__version__}".encode())
    return _FOLDER / f"spark-{digest.hexdigest()[:16]}{_ARCHIVE}"


def flag(archive: Path) -> str:
    """Return the JVM's flag that uses the archive, or that writes one if there is none yet.

    Return an empty string if neither is possible, or if another process writes one.
    """
    if archive.is_file():
        return f"-XX:SharedArchiveFile={archive}"
    if _has_a_writer(archive):
        return ""
    # Two processes may still begin at the same moment, so each has a file of its own.
    asked = archive.with_suffix(_OURS)
    try:
        archive.parent.mkdir(parents=True, exist_ok=True)
        asked.touch()
    except OSError:
        return ""
    return f"-XX:ArchiveClassesAtExit={asked}"


def _has_a_writer(archive: Path) -> bool:
    """Return whether another process, which still runs, will write the archive."""
    suffixes = {each.suffix for each in archive.parent.glob(f"{archive.stem}.*")} - {_OURS}
    others = (suffix[1:] for suffix in suffixes)
    return any(number.isdigit() and psutil.pid_exists(int(number)) for number in others)


def is_asked_for() -> bool:
    """Return whether this process's JVM will write an archive when it exits."""
    return any(_FOLDER.glob(f"*{_OURS}"))


def keep() -> None:
    """Rename the archive that this process's JVM wrote when it exited to its final name."""
    for asked in _FOLDER.glob(f"*{_OURS}"):
        if asked.stat().st_size:
            asked.replace(asked.with_suffix(_ARCHIVE))
        # The others were left by processes that were killed, or were written too late.
        for left in _FOLDER.glob(f"{asked.stem}.*"):
            if left.suffix != _ARCHIVE:
                left.unlink(missing_ok=True)
