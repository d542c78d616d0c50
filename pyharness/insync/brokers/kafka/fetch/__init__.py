"""Fetch pinned jars: with Apache Ivy where pyspark brings it, else by plain downloads."""

from collections.abc import Sequence
from pathlib import Path

from insync.brokers.kafka.fetch import ivy, maven
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.versions import Jar


def fetch(jars: Sequence[Jar], java: Java | None, libs: Path, scratch: Path) -> None:
    """Download `jars` into the folder `libs`; `scratch` is a folder that the caller removes.

    Ivy needs a Java. The caller checks the pinned checksums. Raises InputError if a jar cannot be
    fetched.
    """
    if java is not None and ivy.jar_of_pyspark() is not None:
        ivy.fetch(jars, java, libs, scratch)
    else:
        maven.fetch(jars, libs)
