"""What a scenario's faults need: of the brokers' environment, and of the machine."""

from pathlib import Path

from insync.faults.catalogue import why_not
from insync.faults.support import cgroups
from insync.faults.support.cgroup_places import here
from insync.faults.support.disk import mounts
from insync.run.request import ClusterKind
from insync.scenario.faults import Link, QueueStall, Stall
from insync.scenario.model import Scenario


def stalled(scenario: Scenario) -> set[int]:
    """Return the brokers that must run under the stall shim."""
    return {fault.broker for fault in scenario.faults if isinstance(fault, Stall | QueueStall)}


def stall_rules(scenario: Scenario) -> int:
    """Return how many stall rules a scenario uses up in all its repeats of one arm."""
    targets = sum(len(fault.partitions) for fault in scenario.faults if isinstance(fault, Stall))
    queues = sum(isinstance(fault, QueueStall) for fault in scenario.faults)
    return (targets + queues * scenario.broker.num_io_threads) * scenario.repeats


def breaks_links(scenario: Scenario) -> bool:
    """Whether what is replicated must go through proxies."""
    return any(isinstance(fault, Link) for fault in scenario.faults)


def unavailable(scenario: Scenario, cluster: ClusterKind, out: Path) -> str | None:
    """Return why a scenario's faults cannot be injected on this machine, or None.

    `out` is where the run is to be recorded. What a killed harness left behind, control groups
    and mounts, is removed on the way.
    """
    cgroups.sweep([*here("cpu"), *here("blkio")])
    mounts.sweep()
    kinds = sorted({fault.kind for fault in scenario.faults})
    reasons = (why_not(kind, cluster, out) for kind in kinds)
    return next((reason for reason in reasons if reason is not None), None)
