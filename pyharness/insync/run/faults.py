"""From a scenario's planned faults to the faults themselves, on the cluster that they act on."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from insync.brokers.cluster.admin import create_topic, partitions
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.links.rules import Treatment
from insync.brokers.docker.process import ContainerProcess
from insync.brokers.kafka import process
from insync.brokers.kafka.ports import LOOPBACK
from insync.errors import InsyncError
from insync.faults.base import Fault, Occasion
from insync.faults.kinds.disk_broken import FULL, READ_ONLY, BrokenDiskFault, Way
from insync.faults.kinds.disk_stall import DiskStallFault
from insync.faults.kinds.disk_throttle import DiskThrottleFault
from insync.faults.kinds.elect import ElectFault, ElectPlan
from insync.faults.kinds.freeze import FreezeFault
from insync.faults.kinds.kill import KillFault
from insync.faults.kinds.link import LinkFault
from insync.faults.kinds.lost_log import LostLogFault
from insync.faults.kinds.neighbour import NeighbourFault
from insync.faults.kinds.queue_stall import QueueStallFault
from insync.faults.kinds.quota import QuotaFault
from insync.faults.kinds.stall import StallFault
from insync.faults.support.control import Site
from insync.faults.support.disk.blkio import Rates
from insync.faults.support.freezer import ByPause, BySignal, Freezer
from insync.faults.support.shares import ContainerShare, GroupShare, Share
from insync.nodes import node_words
from insync.run.arm_cluster import ArmCluster
from insync.run.context import ArmContext
from insync.running import Running
from insync.scenario import faults as planned
from insync.scenario.model import Scenario
from insync.scenario.roles import ring
from insync.workload.prefill import prefill

FILLED_SECONDS: Final = 20.0


def build(context: ArmContext, topic: str, repeat: int, spec: planned.Fault) -> Fault:
    """Return the fault that `spec` plans, on the running cluster; nothing is done yet."""
    arm_cluster = context.arm_cluster
    occasion = Occasion(
        arm=context.arm, repeat=repeat, kind=spec.kind, broker=spec.broker,
        planned_ms=spec.end_ms - spec.at_ms,
    )  # fmt: skip
    match spec:
        case planned.Stall():
            targets = [f"{topic}-{partition}" for partition in spec.partitions]
            at = replace(occasion, target=targets, site=spec.site, mode=spec.mode)
            alive = partial(_alive, arm_cluster, spec.broker)
            return StallFault(arm_cluster.controls[spec.broker], at, spec.delay_ms, alive)
        case planned.Freeze():
            return FreezeFault(partial(_freezer, arm_cluster, spec.broker), occasion)
        case planned.CpuQuota():
            return QuotaFault(
                partial(_share, arm_cluster, spec.broker), spec.quota_percent, occasion
            )
        case planned.CpuNeighbour():
            start = partial(_bound_process, arm_cluster.home)
            node = partial(_process, arm_cluster, spec.broker)
            return NeighbourFault(node, start, spec.neighbours, occasion)
        case planned.Kill():
            return _kill(arm_cluster, spec, occasion)
        case planned.LostLog():
            data = arm_cluster.cluster.nodes[spec.broker].data_dir
            return LostLogFault(_kill(arm_cluster, spec, occasion), data, topic)
        case planned.QueueStall():
            threads = context.plan.scenario.broker.num_io_threads
            return _queue_stall(
                arm_cluster, f"{topic}-q{spec.broker}-{spec.at_ms}", spec, threads, occasion
            )
        case planned.Link():
            return _link(arm_cluster.links, spec, occasion)
        case planned.DiskStall():
            at = replace(occasion, mode=spec.mode)
            sites = [Site[operation.upper()] for operation in spec.operations]
            return DiskStallFault(arm_cluster.disks.gates[spec.broker], sites, at, spec.delay_ms)
        case planned.DiskThrottle():
            node = partial(_process, arm_cluster, spec.broker)
            rates = Rates(spec.read_bytes_per_s, spec.write_bytes_per_s)
            folder = arm_cluster.cluster.nodes[spec.broker].data_dir
            return DiskThrottleFault(node, folder, rates, occasion)
        case planned.DiskFull():
            return _broken_disk(arm_cluster, FULL, occasion)
        case planned.DiskReadOnly():
            return _broken_disk(arm_cluster, READ_ONLY, occasion)
        case planned.Elect():
            return _elect(arm_cluster, topic, spec, occasion, context.plan.scenario)


def _process(arm_cluster: ArmCluster, broker: int) -> Running:
    """Return a broker's process of this moment: a kill replaces it."""
    return arm_cluster.cluster.nodes[broker].process


def _alive(arm_cluster: ArmCluster, broker: int) -> bool:
    return _process(arm_cluster, broker).poll() is None


def _freezer(arm_cluster: ArmCluster, broker: int) -> Freezer:
    process = _process(arm_cluster, broker)
    return ByPause(process) if isinstance(process, ContainerProcess) else BySignal(process)


def _share(arm_cluster: ArmCluster, broker: int) -> Share:
    process = _process(arm_cluster, broker)
    if isinstance(process, ContainerProcess):
        return ContainerShare(process)
    return GroupShare(process, str(broker))


def _bound_process(home: Path, command: Sequence[str]) -> Running:
    """Start a process that ends with this one at the latest."""
    return process.start(
        command, log=home / "neighbours.log", folder=home, environment=dict(os.environ)
    )


def _link(links: Links | None, spec: planned.Link, occasion: Occasion) -> Fault:
    if links is None:
        raise InsyncError("no proxies between the brokers, expected them for a link's fault")
    treatment = Treatment(
        cut=spec.mode == "cut", delay_s=spec.delay_ms / 1000, bytes_per_s=spec.bytes_per_s
    )
    pair = (spec.broker, spec.peer)
    at = replace(occasion, target=[node_words(spec.peer)], mode=spec.mode)
    return LinkFault(
        partial(links.treat, *pair, treatment), partial(links.free, *pair),
        partial(links.passed, *pair), at,
    )  # fmt: skip


def _broken_disk(arm_cluster: ArmCluster, way: Way, occasion: Occasion) -> Fault:
    broker = occasion.broker
    return BrokenDiskFault(
        arm_cluster.disks.volumes[broker], way, partial(_process, arm_cluster, broker),
        partial(arm_cluster.cluster.kill, broker),
        partial(arm_cluster.cluster.restart, broker), occasion,
    )  # fmt: skip


def _kill(
    arm_cluster: ArmCluster, spec: planned.Kill | planned.LostLog, occasion: Occasion
) -> Fault:
    return KillFault(
        partial(_process, arm_cluster, spec.broker),
        partial(arm_cluster.cluster.kill, spec.broker),
        partial(arm_cluster.cluster.restart, spec.broker),
        occasion,
    )


def _queue_stall(
    arm_cluster: ArmCluster, topic: str, spec: planned.QueueStall, threads: int, occasion: Occasion
) -> Fault:
    def make(name: str, count: int) -> None:
        create_topic(arm_cluster.cluster.bootstrap, name, [[spec.broker]] * count, {})
        prefill(arm_cluster.cluster.bootstrap, name, range(count), FILLED_SECONDS)

    def port() -> int:
        return arm_cluster.cluster.nodes[spec.broker].port

    return QueueStallFault(arm_cluster.controls[spec.broker], port, make, topic, threads, occasion)


def _elect(
    arm_cluster: ArmCluster, topic: str, spec: planned.Elect, occasion: Occasion, scenario: Scenario
) -> Fault:
    led_by = scenario.workload.leaders
    first = ring(spec.broker)
    # The old leader is asked last: it may be the one that does not answer.
    asked = arm_cluster.election_brokers(last={led_by[partition] for partition in spec.partitions})
    plan = ElectPlan(topic=topic, replicas=dict.fromkeys(spec.partitions, first))
    at = replace(occasion, target=[f"{topic}-{partition}" for partition in spec.partitions])

    def ports() -> list[int]:
        return [arm_cluster.cluster.nodes[broker].port for broker in asked]

    return ElectFault(ports, partial(_leaders, arm_cluster, spec.broker, topic), plan, at)


def _leaders(arm_cluster: ArmCluster, broker: int, topic: str) -> Mapping[int, int]:
    """Return who leads each partition, as one broker knows it; raises InsyncError."""
    try:
        seen = partitions(f"{LOOPBACK}:{arm_cluster.cluster.nodes[broker].port}", topic)
    except OSError as error:
        raise InsyncError(f"broker {broker}: no answer: {error}") from error
    return {partition: leader for partition, (leader, _) in seen.items()}
