"""What a scenario's faults require: of the cluster, and of the machine."""

from pathlib import Path

from insync.brokers.kafka.versions import Release
from insync.errors import InputError
from insync.faults.kind import ClusterKind, Requirements
from insync.faults.registry import KINDS, why_not
from insync.faults.spec import Planned
from insync.faults.support import cgroups
from insync.faults.support.cgroup_places import everywhere
from insync.faults.support.disk import mounts
from insync.scenario.model import Scenario


def stalled(scenario: Scenario) -> set[int]:
    """Return the brokers that must run under the stall shim."""
    needs = ((fault, _required(scenario, fault)) for fault in scenario.faults)
    return {fault.broker for fault, need in needs if need.stall_rules or need.clock}


def stall_rules(scenario: Scenario) -> int:
    """Return how many stall rules a scenario uses up in all its repeats of one arm."""
    rules = (_required(scenario, fault).stall_rules for fault in scenario.faults)
    return sum(rules) * scenario.repeats


def jvm_flags(scenario: Scenario, broker: int) -> set[str]:
    """Return the flags that a broker's JVM must have."""
    own = (_required(scenario, fault) for fault in scenario.faults if fault.broker == broker)
    return {flag for needs in own for flag in needs.jvm_flags}


def tracks_flushes(scenario: Scenario, node: int) -> bool:
    """Whether the file systems under a node's folders must know what was flushed."""
    own = (fault for fault in scenario.faults if fault.broker == node)
    return any(_required(scenario, fault).tracks_flushes for fault in own)


def disk_rules(scenario: Scenario, broker: int) -> int:
    """Return how many rules of a broker's file system it uses up in all its repeats."""
    own = (fault for fault in scenario.faults if fault.broker == broker)
    return sum(_required(scenario, fault).disk_rules for fault in own) * scenario.repeats


def breaks_links(scenario: Scenario) -> bool:
    """Whether a fault breaks any link, so that brokers must replicate through proxies."""
    return (
        any(_required(scenario, fault).links for fault in scenario.faults)
        or breaks_client_links(scenario)
        or breaks_controller_link(scenario)
    )


def breaks_client_links(scenario: Scenario) -> bool:
    """Whether clients must reach brokers through proxies."""
    return any(_required(scenario, fault).client_links for fault in scenario.faults)


def breaks_controller_link(scenario: Scenario) -> bool:
    """Whether brokers must reach the controller through a proxy."""
    return any(_required(scenario, fault).controller_link for fault in scenario.faults)


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


def _required(scenario: Scenario, fault: Planned) -> Requirements:
    return KINDS[fault.kind].requires(fault, scenario.broker.num_io_threads)


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
