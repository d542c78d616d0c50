"""Start the JVM of the Java clients, for all repeats of an arm.

It runs on the class path of the brokers' Kafka, so the clients have the brokers' version. It ends
with the command, also after a kill -9.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from insync.artifacts import CLIENTS_JAR, built
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.jvm import LOG_CONFIG, SHORT_LIVED
from insync.brokers.kafka.versions import Release, numbers
from insync.clients import Client, uses
from insync.errors import InputError
from insync.workload.java.driver import Driver

MAIN: Final = "insync.clients.Main"
LOG: Final = "java-clients.log"
MEMORY: Final = ("-Xmx512m", "-XX:+ExitOnOutOfMemoryError")
"""Room for what producers keep during a stall; without enough of it the run fails, not a thread."""
OLDEST: Final = (2, 8)
"""Older clients lack methods of today's API."""


def require_clients(client: Client, release: Release) -> None:
    """Check that a version has the clients that a run asks for; raises InputError."""
    if not uses(client, "java"):
        return
    built(CLIENTS_JAR)
    if numbers(release.version) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        raise InputError(
            f"--client {client}: Kafka {release.version} has no Java client that can be run,"
            f" expected Kafka {oldest} or newer, or --client librdkafka"
        )


@contextmanager
def java_clients(kafka: Distribution, home: Path, client: Client) -> Iterator[Driver | None]:
    """Run the JVM of the Java clients for a block; without any Java client there is none.

    `home` is the folder for its log.
    """
    if not uses(client, "java"):
        yield None
        return
    home.mkdir(parents=True, exist_ok=True)
    flags = [*SHORT_LIVED, *MEMORY, f"-Dlog4j2.configurationFile={LOG_CONFIG}"]
    command = kafka.command(flags, MAIN, jars=[built(CLIENTS_JAR)])
    log = home / LOG
    jvm = process.start_piped(command, log=log, folder=home)
    driver = Driver(jvm, str(log))
    try:
        yield driver
    finally:
        driver.close()
        process.kill([jvm])
