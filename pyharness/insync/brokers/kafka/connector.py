"""Provide the jars of Spark's Kafka connector, pinned and cached as the brokers' jars are."""

import tomllib
from collections.abc import Callable
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path

from insync.brokers.kafka import cache
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.resolve import cached_jars
from insync.brokers.kafka.versions import Release, jar
from insync.errors import InputError


def connector_jars(java: Java, tell: Callable[[str], None]) -> tuple[Path, ...]:
    """Return the connector's jars, fetched first if they are missing; `tell` reports a fetch.

    Raises InputError if the installed pyspark has another version than the jars, if a jar cannot
    be fetched or has a wrong checksum, and if the cache is busy or not writable.
    """
    text = files(__package__).joinpath("spark-connector.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    spark, installed = data["spark"], version("pyspark")
    if spark != installed:
        raise InputError(
            f"pyspark: {installed} is installed, expected {spark}, the connector's version"
        )
    pinned = tuple(jar(entry["id"], entry["sha256"]) for entry in data["jars"])
    release = Release(version=f"connector for Spark {spark}", jars=pinned)
    return cached_jars(release, cache.root() / "spark" / spark / "libs", java, tell)
