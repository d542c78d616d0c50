"""Spark's Kafka connector: its jars by version, pinned as the brokers' are, in the same cache."""

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
    """Return the connector's jars, fetched first if need be; `tell` hears of that.

    InputError: another pyspark than they are for, a jar that cannot be had or is not what it
    should be, an unwritable or busy cache.
    """
    text = files(__package__).joinpath("spark-connector.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    spark, installed = data["spark"], version("pyspark")
    if spark != installed:
        raise InputError(f"pyspark: {installed} is installed, expected {spark}: the connector's")
    pinned = tuple(jar(entry["id"], entry["sha256"]) for entry in data["jars"])
    release = Release(version=f"connector for Spark {spark}", jars=pinned)
    return cached_jars(release, cache.root() / "spark" / spark / "libs", java, tell)
