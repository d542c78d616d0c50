"""What a scenario's faults need: of the brokers' environment, and of the machine."""

from insync.faults import cgroups, cpu_groups
from insync.faults.cgroup_places import here
from insync.scenario.faults import CpuQuota, QueueStall, Stall
from insync.scenario.model import Scenario


def stalled(scenario: Scenario) -> set[int]:
    """Return the brokers that must run under the stall shim."""
    return {fault.broker for fault in scenario.faults if isinstance(fault, Stall | QueueStall)}


def stall_rules(scenario: Scenario) -> int:
    """Return how many stall rules a scenario uses up in all its repeats of one arm."""
    targets = sum(len(fault.partitions) for fault in scenario.faults if isinstance(fault, Stall))
    queues = sum(isinstance(fault, QueueStall) for fault in scenario.faults)
    return (targets + queues * scenario.broker.num_io_threads) * scenario.repeats


def unavailable(scenario: Scenario) -> str | None:
    """Return why a scenario's faults cannot be injected on this machine, or None.

    Control groups that a killed harness left behind are removed on the way.
    """
    cgroups.sweep(here("cpu"))
    if any(isinstance(fault, CpuQuota) for fault in scenario.faults):
        return cpu_groups.unavailable()
    return None
