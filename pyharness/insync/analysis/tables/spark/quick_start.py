"""A quicker start of Spark's JVM: an AppCDS archive of the classes that an analysis loads.

Reading some 15,000 classes out of 250 jars is a fifth of a run's analysis. The JVM of the first
analysis writes the archive as it ends, into the Python environment that has PySpark, for it fits
only the very jars and the very Java that it was dumped with; the JVM checks that, and silently
goes without one that does not fit. Where the environment cannot be written there is none.
"""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pyspark

from insync.brokers.kafka.java import Java

_FOLDER = Path(sys.prefix) / "share" / "insync"
_ARCHIVE = ".jsa"
_OURS = f".{os.getpid()}"


def archive_of(java: Java) -> Path:
    """Return where the archive for this Java and this PySpark is, or is to be."""
    digest = hashlib.sha256(f"{java.home}\0{java.description}\0{pyspark.__version__}".encode())
    return _FOLDER / f"spark-{digest.hexdigest()[:16]}{_ARCHIVE}"


def flag(archive: Path) -> str:
    """Return the JVM's flag: to use the archive or, where there is none yet, to write one.

    Empty where neither can be.
    """
    if archive.is_file():
        return f"-XX:SharedArchiveFile={archive}"
    # Another process may do the same at the same time.
    asked = archive.with_suffix(_OURS)
    try:
        archive.parent.mkdir(parents=True, exist_ok=True)
        asked.touch()
    except OSError:
        return ""
    return f"-XX:ArchiveClassesAtExit={asked}"


def is_asked_for() -> bool:
    """Return whether this process's JVM is to write an archive as it ends."""
    return any(_FOLDER.glob(f"*{_OURS}"))


def keep() -> None:
    """Put in its place what this process's JVM, which has ended, was to write."""
    for asked in _FOLDER.glob(f"*{_OURS}"):
        if asked.stat().st_size:
            asked.replace(asked.with_suffix(_ARCHIVE))
        # Others are of processes that were killed, or come too late.
        for left in _FOLDER.glob(f"{asked.stem}.*"):
            if left.suffix != _ARCHIVE:
                left.unlink(missing_ok=True)
