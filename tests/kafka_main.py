"""Runs Kafka's main class without arguments, so that it prints its usage and ends."""

from __future__ import annotations

import subprocess
from pathlib import Path

from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java


def run_kafka(
    java: Java, dist: Distribution, *flags: str, before: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the main class with JVM flags; `before` is put before the jars on the class path."""
    jars = ":".join(str(path) for path in ([before] if before else []) + list(dist.jars))
    command = [java.binary, *flags, "-cp", jars, "kafka.Kafka"]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
