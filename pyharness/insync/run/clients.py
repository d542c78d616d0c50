"""Check and run the clients of a workload that not every version, or not this process, has."""

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
from insync.scenario.model import Workload
from insync.workload.java.driver import Driver

OLDEST_CONSUMER: Final = (4, 0)
"""From here on brokers serve KIP-848's protocol without a switch."""
OLDEST_JAVA: Final = (3, 0)
"""From here on the Java consumer tells its lag."""


def require_groups(workload: Workload, release: Release) -> None:
    """Check the protocol and the clients of each group; raises InputError."""
    version = numbers(release.version)
    for index, group in enumerate(workload.groups):
        where = f"workload.groups[{index}]"
        if group.protocol == "consumer" and version < OLDEST_CONSUMER:
            raise InputError(
                f"{where}.protocol: 'consumer', expected 'classic': Kafka {release.version} has"
                f" no other, {_written(OLDEST_CONSUMER)} is the first that has"
            )
        if uses(workload.client, "java") and version < OLDEST_JAVA:
            raise InputError(
                f"{where}: Kafka {release.version} with the client {workload.client}, expected"
                f" Kafka {_written(OLDEST_JAVA)} or newer for a group, or the client librdkafka"
            )


def _written(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


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
