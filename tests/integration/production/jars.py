"""The jars that only tests of production configurations need, fetched as the brokers' are."""

from pathlib import Path

from insync.brokers.kafka import cache
from insync.brokers.kafka.resolve import cached_jars
from insync.brokers.kafka.versions import Jar, Release

LOCAL_TIERED_STORAGE = Jar(
    "org.apache.kafka:kafka-storage:4.3.1:test",
    "f3236936854c13815ffaa7f35a3f2d6861c125616cba5395b538b8680dded886",
)  # fmt: skip
"""Kafka's own remote storage for tests: a folder."""
OPENTELEMETRY = Jar(
    "io.opentelemetry.javaagent:opentelemetry-javaagent:2.10.0",
    "d05f6e36fac8db629263a6aaec2841cc934d064d7b19bfe38425b604b8b54926",
)  # fmt: skip
JMX_EXPORTER = Jar(
    "io.prometheus.jmx:jmx_prometheus_javaagent:1.0.1",
    "7d61f737fd661610ccc14aea79764faa1ea94a340cbc8f0029b3d2edea3d80c1",
)  # fmt: skip


def fetched(jar: Jar) -> Path:
    """Return the file of a jar in the cache; fetch it first if it is not there."""
    name = "-".join(jar.parts[1:3])
    release = Release(version=f"tests' {name}", jars=(jar,))
    folder = cache.root() / "tests" / name / "libs"
    return cached_jars(release, folder, print)[0]
