"""What a scenario requires: its faults of cluster and machine, its clients of the version."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from insync.artifacts import CLIENTS_JAR, built
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import LOG_CONFIG, SHORT_LIVED, Distribution
from insync.brokers.kafka.versions import Release, numbers
from insync.clients import Client, uses
from insync.errors import InputError
from insync.faults.kind import ClusterKind, Requirements
from insync.faults.registry import KINDS, why_not
from insync.faults.support import cgroups
from insync.faults.support.cgroup_places import everywhere
from insync.faults.support.disk import mounts
from insync.scenario.model import Scenario, Workload
from insync.workload.java import Driver


def _required(scenario: Scenario, broker: int | None = None) -> list[tuple[int, Requirements]]:
    """Return the broker of each fault, or of those of one broker, and what the fault requires."""
    return [
        (fault.broker, KINDS[fault.kind].requires(fault, scenario.broker.num_io_threads))
        for fault in scenario.faults
        if broker in (None, fault.broker)
    ]


def stalled(scenario: Scenario) -> set[int]:
    """Return the brokers that must run under the stall shim."""
    return {broker for broker, need in _required(scenario) if need.stall_rules or need.clock}


def stall_rules(scenario: Scenario) -> int:
    """Return how many stall rules a scenario uses up in all its repeats of one arm."""
    return sum(need.stall_rules for _, need in _required(scenario)) * scenario.repeats


def jvm_flags(scenario: Scenario, broker: int) -> set[str]:
    """Return the flags that a broker's JVM must have."""
    return {flag for _, need in _required(scenario, broker) for flag in need.jvm_flags}


def tracks_flushes(scenario: Scenario, node: int) -> bool:
    """Whether the file systems under a node's folders must know what was flushed."""
    return any(need.tracks_flushes for _, need in _required(scenario, node))


def disk_rules(scenario: Scenario, broker: int) -> int:
    """Return how many rules of a broker's file system it uses up in all its repeats."""
    return sum(need.disk_rules for _, need in _required(scenario, broker)) * scenario.repeats


def breaks_links(scenario: Scenario) -> bool:
    """Whether a fault breaks any link, so that brokers must replicate through proxies."""
    needs = [need for _, need in _required(scenario)]
    return any(need.links or need.client_links or need.controller_link for need in needs)


def breaks_client_links(scenario: Scenario) -> bool:
    """Whether clients must reach brokers through proxies."""
    return any(need.client_links for _, need in _required(scenario))


def breaks_controller_link(scenario: Scenario) -> bool:
    """Whether brokers must reach the controller through a proxy."""
    return any(need.controller_link for _, need in _required(scenario))


def require_controllers(scenario: Scenario, release: Release) -> None:
    """Check that a release can have a scenario's controllers; raises InputError on ZooKeeper."""
    broker = scenario.broker
    if release.zookeeper and (broker.controllers > 1 or broker.combined):
        key = "combined: True" if broker.combined else f"controllers: {broker.controllers}"
        raise InputError(
            f"broker.{key}, expected none: on ZooKeeper, as with Kafka {release.version}, there is"
            " one controller"
        )


def require_controller_proxy(scenario: Scenario, release: Release) -> None:
    """Check that a controller can have a proxy; raises InputError for one on ZooKeeper."""
    if release.zookeeper and breaks_controller_link(scenario):
        raise InputError(
            f"faults: controller-link on Kafka {release.version}, expected a version on KRaft:"
            " on ZooKeeper it is the controller that connects to brokers"
        )


def unavailable(scenario: Scenario, cluster: ClusterKind, out: Path) -> str | None:
    """Return why a scenario's faults cannot be injected on this machine, or None.

    `out` is where the run is to be recorded. Control groups and mounts that a killed harness
    left behind are removed first.
    """
    cgroups.sweep(everywhere())
    mounts.sweep()
    kinds = sorted({fault.kind for fault in scenario.faults})
    reasons = (why_not(kind, cluster, out) for kind in kinds)
    return next((reason for reason in reasons if reason is not None), None)


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
        raise InputError(
            f"--client {client}: Kafka {release.version} has no Java client that can be run,"
            f" expected Kafka {_written(OLDEST)} or newer, or --client librdkafka"
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
