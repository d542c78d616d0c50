"""The JVM's archive of Spark's classes: where it is, and the option that uses it.

With the archive a session starts in half the time. It belongs to one Java and one
pyspark; `warm_up` makes it. Without it, or with one the JVM finds unfit, all is the same
but slower.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pyspark

from insync.kafka import cache

FILE = "classes.jsa"


def folder(java_home: Path) -> Path:
    """Where the archive for this Java and the installed pyspark belongs."""
    spark_home = Path(pyspark.__file__).parent
    fit_for = f"{java_home}\n{_release(java_home)}\n{spark_home}\n{pyspark.__version__}"
    key = hashlib.sha256(fit_for.encode()).hexdigest()[:16]
    return cache.root() / "spark" / f"{pyspark.__version__}-{key}"


def use_option() -> str:
    """Return the JVM option to start with the archive; empty if JAVA_HOME's has not been made."""
    java_home = os.environ.get("JAVA_HOME")
    archive = folder(Path(java_home)) / FILE if java_home else None
    return f"-XX:SharedArchiveFile={archive}" if archive and archive.is_file() else ""


def make_option(archive: Path) -> str:
    """Return the JVM option to leave an archive of all classes loaded, when the JVM ends."""
    return f"-XX:ArchiveClassesAtExit={archive}"


def _release(java_home: Path) -> str:
    """Return what the Java says of itself: an upgrade in place makes the archive unfit."""
    try:
        return (java_home / "release").read_text(encoding="utf-8")
    except OSError:
        return ""
