"""Makes the faults that a scenario plans, on the running cluster of an arm."""

import os
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from insync.brokers.cluster import broker_configs, clocks
from insync.brokers.cluster.admin import (
    assignment,
    begin_topic,
    create_topic,
    delete_topic,
    partitions,
)
from insync.brokers.cluster.attached import AttachedCluster
from insync.brokers.cluster.clocks import Reading
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.links.rules import Passed, Treatment
from insync.brokers.cluster.node import LOG
from insync.brokers.docker.process import ContainerProcess
from insync.brokers.kafka import process
from insync.brokers.kafka.ports import LOOPBACK
from insync.errors import InsyncError
from insync.faults.base import Fault, FaultContext
from insync.faults.registry import KINDS
from insync.faults.spec import Planned
from insync.faults.support.control import ControlFile
from insync.faults.support.disk.volume import Volume
from insync.nodes import ring
from insync.run.arm_cluster import ArmCluster
from insync.run.context import ArmContext
from insync.running import Running
from insync.scenario.model import Scenario
from insync.workload.prefill import burst, prefill

FILLED_SECONDS: Final = 20.0
TOPIC_SECONDS: Final = 5.0
MANY_SECONDS: Final = 120.0
"""For thousands of partitions."""
OLD_RECORD_BYTES: Final = 1 << 19


def build(context: ArmContext, topic: str, repeat: int, spec: Planned) -> Fault:
    """Return the fault that `spec` plans, on the running cluster; nothing is done yet."""
    at = FaultContext(
        arm=context.arm, repeat=repeat, kind=spec.kind, broker=spec.broker,
        planned_ms=spec.end_ms - spec.at_ms, topic=topic,
    )  # fmt: skip
    cluster = ArmFaultCluster(context.arm_cluster, context.cell.scenario)
    return KINDS[spec.kind].inject(spec, at, cluster)


@dataclass(frozen=True, slots=True)
class ArmFaultCluster:
    """A `FaultCluster`: the running cluster of an arm, and the scenario that is run on it."""

    arm_cluster: ArmCluster
    scenario: Scenario

    @property
    def leaders(self) -> Sequence[int]:
        """The broker that leads each partition when a repeat begins."""
        return self.scenario.workload.leaders

    @property
    def io_threads(self) -> int:
        """How many request handler threads a broker has."""
        return self.scenario.broker.num_io_threads

    def process(self, node: int) -> Running:
        """Return a node's process of this moment."""
        if isinstance(self.arm_cluster.cluster, AttachedCluster):
            return _Foreign()
        return self.arm_cluster.cluster.nodes[node].process

    def container(self, node: int) -> ContainerProcess | None:
        """Return a node's container; None where it is a process of this host."""
        process = self.process(node)
        return process if isinstance(process, ContainerProcess) else None

    def kill(self, node: int) -> None:
        """Kill a node; returns when its process has ended."""
        self.arm_cluster.cluster.kill(node)

    def restart(self, node: int) -> None:
        """Start a node that has ended."""
        self.arm_cluster.cluster.restart(node)

    def start(self, command: Sequence[str]) -> Running:
        """Start a process that ends with this one at the latest."""
        home = self.arm_cluster.home
        log = home / "neighbours.log"
        return process.start(command, log=log, folder=home, environment=dict(os.environ))

    def data_dir(self, broker: int) -> Path:
        """Return the folder of a broker's partitions."""
        return self.arm_cluster.cluster.nodes[broker].data_dir

    def folder(self, broker: int) -> Path:
        """Return a broker's own folder, in which its process runs."""
        return self.arm_cluster.cluster.nodes[broker].folder

    def log(self, node: int) -> Path:
        """Return the file with what a node writes to its output."""
        return self.arm_cluster.cluster.nodes[node].folder / LOG

    def port(self, broker: int) -> int:
        """Return the port at which clients of this host reach a broker."""
        return self.arm_cluster.cluster.nodes[broker].port

    def stall_control(self, broker: int) -> ControlFile:
        """Return the control file of the shim that a broker runs under."""
        return self.arm_cluster.controls[broker]

    def disk_control(self, broker: int) -> ControlFile:
        """Return the control file of the file system under a broker's log folder."""
        return self.arm_cluster.disks.gates[broker]

    def volume(self, broker: int) -> Volume:
        """Return the volume under a broker's log folder."""
        return self.arm_cluster.disks.volumes[broker]

    def settle_disks(self, node: int) -> None:
        """Count all that a node has written so far as flushed to its disk."""
        for folder in self.arm_cluster.disks.tracked[node]:
            folder.settle()

    def fail_power(self, node: int) -> Mapping[str, int]:
        """Take a dead node's files back to what was flushed of them; return what that took."""
        lost: Counter[str] = Counter()
        for folder in self.arm_cluster.disks.tracked[node]:
            lost.update(folder.fail_power())
        return lost

    def treat_link(
        self,
        pair: tuple[int, int],
        *,
        cut: bool,
        delay_ms: int,
        bytes_per_s: int,
        loss_percent: float,
        seed: int,
        only: tuple[int, int] | None,
    ) -> None:
        """Treat what two nodes send to each other, from now on."""
        treatment = Treatment(
            cut=cut, delay_s=delay_ms / 1000, bytes_per_s=bytes_per_s, loss=loss_percent / 100,
            seed=seed, only=only,
        )  # fmt: skip
        self._links.treat(*pair, treatment)

    def free_link(self, pair: tuple[int, int]) -> None:
        """Let everything pass between two nodes again."""
        self._links.free(*pair)

    def link_traffic(self, sender: int, receiver: int) -> Passed:
        """Return what a link carried in one direction since it is treated as it is now."""
        return self._links.passed_one_way(sender, receiver)

    @property
    def _links(self) -> Links:
        if self.arm_cluster.links is None:
            raise InsyncError("no proxies between the nodes, expected them for a link's fault")
        return self.arm_cluster.links

    def make_filled_topic(self, topic: str, broker: int, partitions: int) -> None:
        """Create a topic on one broker alone, with a record in each partition."""
        bootstrap = self.arm_cluster.cluster.bootstrap
        create_topic(bootstrap, topic, [[broker]] * partitions, {})
        prefill(bootstrap, topic, range(partitions), FILLED_SECONDS)

    def make_old_records(self, topic: str, broker: int, partitions: int, size: int) -> None:
        """Create a topic on one broker alone, with so many bytes of records in each partition."""
        bootstrap = self.arm_cluster.cluster.bootstrap
        create_topic(bootstrap, topic, [[broker]] * partitions, {})
        for partition in range(partitions):
            burst(bootstrap, topic, partition, size // OLD_RECORD_BYTES, OLD_RECORD_BYTES)

    def make_clock_topic(self, topic: str, broker: int) -> None:
        """Create a topic on one broker alone, whose records have the times of their appends."""
        clocks.make_topic(self.arm_cluster.cluster.bootstrap, topic, [broker])

    def clock_reading(self, topic: str, broker: int) -> Reading | None:
        """Read a broker's clock with such a topic; None if it does not answer."""
        return clocks.read_clock(f"{LOOPBACK}:{self.port(broker)}", topic)

    def make_idle_topic(self, topic: str, broker: int, partitions: int) -> None:
        """Create a topic whose partitions a broker leads, and wait until all replicas follow."""
        bootstrap = self.arm_cluster.cluster.bootstrap
        create_topic(bootstrap, topic, [ring(broker)] * partitions, {}, within_s=MANY_SECONDS)

    def begin_topic(self, topic: str, broker: int, partitions: int) -> None:
        """Create a topic whose partitions a broker leads, without waiting for it."""
        bootstrap = self.arm_cluster.cluster.bootstrap
        begin_topic(bootstrap, topic, [ring(broker)] * partitions, TOPIC_SECONDS)

    def delete_topic(self, topic: str) -> None:
        """Delete a topic."""
        delete_topic(self.arm_cluster.cluster.bootstrap, topic, TOPIC_SECONDS)

    def replicas_led_by(self, broker: int) -> Sequence[int]:
        """Return the replicas of a partition, in order, if `broker` is to lead it."""
        return ring(broker)

    def assignment_seen_by(
        self, broker: int, topic: str
    ) -> Mapping[int, tuple[Sequence[int], Sequence[int]]]:
        """Return replicas and ISR of each partition as a broker knows them; raises InsyncError."""
        try:
            return assignment(f"{LOOPBACK}:{self.port(broker)}", topic)
        except OSError as error:
            raise InsyncError(f"broker {broker}: no answer: {error}") from error

    def update_configs(self, broker: int, settings: Mapping[str, str | None]) -> None:
        """Set configs of a broker, or delete those that are None; raises InsyncError."""
        broker_configs.update(f"{LOOPBACK}:{self.port(broker)}", broker, settings)

    def configs_in_force(self, broker: int, settings: Mapping[str, str]) -> int:
        """Return how many of the settings the broker says that it has; raises InsyncError."""
        return broker_configs.in_force(f"{LOOPBACK}:{self.port(broker)}", broker, settings)

    def update_topic_configs(self, topic: str, settings: Mapping[str, str | None]) -> None:
        """Set configs of a topic, or delete those that are None; raises InsyncError."""
        broker_configs.update_topic(self.arm_cluster.cluster.bootstrap, topic, settings)

    def election_ports(self, last: Collection[int]) -> Sequence[int]:
        """Return the ports at which elections may be asked for; brokers in `last` come last."""
        return [self.port(node) for node in self.arm_cluster.election_brokers(last=last)]

    def leaders_seen_by(self, broker: int, topic: str) -> Mapping[int, int]:
        """Return the leader of each partition as one broker knows it; raises InsyncError."""
        try:
            seen = partitions(f"{LOOPBACK}:{self.port(broker)}", topic)
        except OSError as error:
            raise InsyncError(f"broker {broker}: no answer: {error}") from error
        return {partition: leader for partition, (leader, _) in seen.items()}


class _Foreign:
    """A process that insync did not start."""

    pid = 0

    def poll(self) -> int | None:
        """Return None: no fault of a run ends it."""
        return None

    def send_signal(self, sig: int, /) -> None:
        """Refuse."""
        raise InsyncError(f"signal {sig}: insync did not start the process")

    def wait(self, timeout: float | None = None) -> int:
        """Refuse."""
        raise InsyncError("insync did not start the process, so it does not wait for its end")
