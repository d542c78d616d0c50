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
from insync.faults.registry import KINDS, tags_of, why_not
from insync.faults.support import cgroups
from insync.faults.support.cgroup_places import everywhere
from insync.faults.support.disk import mounts
from insync.scenario.model import Scenario
from insync.workload.java import Driver


def needs(*scenarios: Scenario, broker: int | None = None) -> Requirements:
    """Return what the faults of scenarios, or those of one broker, require of an arm's cluster.

    The rules are those that they use up in all their repeats.
    """
    every = [
        (each.repeats, KINDS[fault.kind].requires(fault, each.broker.num_io_threads))
        for each in scenarios
        for fault in each.faults
        if broker in (None, fault.broker)
    ]
    return Requirements(
        stall_rules=sum(times * need.stall_rules for times, need in every),
        disk_rules=sum(times * need.disk_rules for times, need in every),
        tracks_flushes=any(need.tracks_flushes for _, need in every),
        links=any(need.links for _, need in every),
        client_links=any(need.client_links for _, need in every),
        controller_links=any(need.controller_links for _, need in every),
        answers=any(need.answers for _, need in every),
        clock=any(need.clock for _, need in every),
        jvm_flags=tuple(sorted({flag for _, need in every for flag in need.jvm_flags})),
    )


def stalled(*scenarios: Scenario) -> set[int]:
    """Return the brokers that must run under the stall shim."""
    brokers = {fault.broker for each in scenarios for fault in each.faults}
    required = {broker: needs(*scenarios, broker=broker) for broker in brokers}
    return {broker for broker, need in required.items() if need.stall_rules or need.clock}


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


OLDEST_RACKS: Final = (2, 4)
"""From here on a broker tells a consumer which replica is nearest (KIP-392)."""
OLDEST_CONSUMER: Final = (4, 0)
"""From here on brokers serve KIP-848's protocol without a switch."""
OLDEST_JAVA: Final = (2, 8)
"""Older clients lack methods of today's API."""
OLDEST_JAVA_GROUP: Final = (3, 0)
"""From here on the Java consumer tells its lag."""


def require_version(scenario: Scenario, release: Release) -> None:
    """Check that a release has what a scenario asks for; raises InputError."""
    if problem := next(_lacking(scenario, release), None):
        raise InputError(problem)


def _lacking(scenario: Scenario, release: Release) -> Iterator[str]:
    broker, version, kafka = scenario.broker, numbers(release.version), f"Kafka {release.version}"
    protocol, client = broker.inter_broker_protocol_version, scenario.workload.client
    if protocol is not None and not release.zookeeper:
        yield (
            f"broker.inter_broker_protocol_version: {protocol!r}, expected none: {kafka} has no"
            " such choice, only a version on ZooKeeper has"
        )
    if release.zookeeper and needs(scenario).controller_links:
        yield (
            f"faults: a link or answers of a controller on {kafka}, expected a version on KRaft: on"
            " ZooKeeper it is the controller that connects to brokers"
        )
    if release.zookeeper and (broker.controllers > 1 or broker.combined):
        key = "combined: True" if broker.combined else f"controllers: {broker.controllers}"
        yield (
            f"broker.{key}, expected none: on ZooKeeper, as with {kafka}, there is one controller"
        )
    if uses(client, "java"):
        built(CLIENTS_JAR)
        if version < OLDEST_JAVA:
            yield (
                f"--client {client}: {kafka} has no Java client that can be run, expected Kafka"
                f" {_written(OLDEST_JAVA)} or newer, or --client librdkafka"
            )
    if scenario.workload.read_from is not None and version < OLDEST_RACKS:
        yield (
            f"workload.read_from on {kafka}, expected Kafka {_written(OLDEST_RACKS)} or newer:"
            " consumers of older brokers read from leaders"
        )
    for fault in scenario.faults:
        oldest, why = tags_of(fault).oldest or ((0, 0), "")
        if version < oldest:
            needs_kafka = f"expected Kafka {_written(oldest)} or newer"
            yield f"faults: {fault.kind} on {kafka}, {needs_kafka}: {why}"
    for index, group in enumerate(scenario.workload.groups):
        where = f"workload.groups[{index}]"
        if group.protocol == "consumer" and version < OLDEST_CONSUMER:
            yield (
                f"{where}.protocol: 'consumer', expected 'classic': {kafka} has no other,"
                f" {_written(OLDEST_CONSUMER)} is the first that has"
            )
        if uses(client, "java") and version < OLDEST_JAVA_GROUP:
            yield (
                f"{where}: {kafka} with the client {client}, expected Kafka"
                f" {_written(OLDEST_JAVA_GROUP)} or newer for a group, or the client librdkafka"
            )


def _written(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


MAIN: Final = "insync.clients.Main"
LOG: Final = "java-clients.log"
MEMORY: Final = ("-Xmx512m", "-XX:+ExitOnOutOfMemoryError")
"""Room for what producers keep during a stall; without enough of it the run fails, not a thread."""


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
    jvm = process.start(command, log=log, folder=home, piped=True)
    driver = Driver(jvm, str(log))
    try:
        yield driver
    finally:
        driver.close()
        process.kill([jvm])
