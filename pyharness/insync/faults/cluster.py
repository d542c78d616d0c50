"""The running cluster that faults act on, and all that they may ask of it.

Only a run loads this module: it knows brokers, which scenarios do not.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from insync.brokers.cluster import admin, clocks
from insync.brokers.cluster.admin import begin_topic, create_topic, delete_topic
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.links.proxies import Links
from insync.brokers.cluster.node import Node
from insync.brokers.docker.process import ContainerProcess
from insync.brokers.kafka import process, wire
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.ports import LOOPBACK
from insync.errors import InsyncError
from insync.faults.support.control import ControlFile
from insync.faults.support.disk.passthrough import Passthrough
from insync.faults.support.disk.volume import Volume
from insync.nodes import BROKERS, CONTROLLER_ID, ring
from insync.running import Running
from insync.workload.prefill import burst, prefill

FILLED_SECONDS: Final = 20.0
TOPIC_SECONDS: Final = 5.0
MANY_SECONDS: Final = 120.0
"""For thousands of partitions."""
OLD_RECORD_BYTES: Final = 1 << 19
ANSWERS_WITHIN_S: Final = 5.0
TIMEOUT_MS: Final = 4_000
LISTS_WITHIN_S: Final = 0.5
SEEN_WITHIN_S: Final = 2.0
API_VERSIONS: Final = (18, 0)
DESCRIBE_QUORUM: Final = (55, 0)
QUORUM: Final = b"\2\x13__cluster_metadata\2\0\0\0\0\0\0\0"
"""The body that asks for the one partition of the metadata log."""
ALTER_REPLICA_LOG_DIRS: Final = (34, 1)

Assignment = Mapping[int, tuple[Sequence[int], Sequence[int]]]
"""By partition, its replicas and its ISR."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Disks:
    """The control files of file systems that can be stalled, and the volumes, by broker.

    `tracked` are those of a node whose power can fail.
    """

    gates: Mapping[int, ControlFile] = field(default_factory=dict)
    volumes: Mapping[int, Volume] = field(default_factory=dict)
    tracked: Mapping[int, Sequence[Passthrough]] = field(default_factory=dict)


NO_DISKS: Final = Disks()


@dataclass(frozen=True, kw_only=True, slots=True)
class FaultCluster:
    """A running cluster, and what was prepared for the faults of its scenarios.

    Attributes:
        controls: the stall control file of each broker that can be stalled.
        home: the folder with the files of the nodes.
        links: the proxies between the nodes; None unless a fault changes a link.
        disks: the file systems under brokers' log folders that disk faults need.

    """

    kafka: Distribution
    cluster: NodeCluster
    controls: Mapping[int, ControlFile]
    home: Path
    links: Links | None = None
    disks: Disks = NO_DISKS

    def node(self, number: int) -> Node:
        """Return a node: its folders, its port, its log."""
        return self.cluster.nodes[number]

    def process(self, number: int) -> Running:
        """Return a node's process of this moment: a restart replaces it."""
        nodes = self.cluster.nodes
        return nodes[number].process if number in nodes else _Foreign()

    def container(self, number: int) -> ContainerProcess | None:
        """Return a node's container; None where it is a process of this host."""
        process = self.process(number)
        return process if isinstance(process, ContainerProcess) else None

    def start(self, command: Sequence[str]) -> Running:
        """Start a process that ends with this one at the latest."""
        log = self.home / "neighbours.log"
        return process.start(command, log=log, folder=self.home, environment=dict(os.environ))

    @property
    def proxies(self) -> Links:
        """The proxies between the nodes; raises InsyncError if there are none."""
        if self.links is None:
            raise InsyncError("no proxies between the nodes, expected them for a link's fault")
        return self.links

    def make_filled_topic(self, topic: str, broker: int, partitions: int) -> None:
        """Create a topic on one broker alone, with a record in each partition."""
        create_topic(self.cluster.bootstrap, topic, [[broker]] * partitions, {})
        prefill(self.cluster.bootstrap, topic, range(partitions), FILLED_SECONDS)

    def make_old_records(self, topic: str, broker: int, partitions: int, size: int) -> None:
        """Create a topic on one broker alone, with so many bytes of records in each partition."""
        create_topic(self.cluster.bootstrap, topic, [[broker]] * partitions, {})
        records = size // OLD_RECORD_BYTES
        for partition in range(partitions):
            burst(self.cluster.bootstrap, topic, partition, records, OLD_RECORD_BYTES)

    def make_clock_topic(self, topic: str, broker: int) -> None:
        """Create a topic on one broker alone, whose records have the times of their appends."""
        clocks.make_topic(self.cluster.bootstrap, topic, [broker])

    def clock_reading(self, topic: str, broker: int) -> clocks.Reading | None:
        """Read a broker's clock with such a topic; None if it does not answer."""
        return clocks.read_clock(self._server(broker), topic)

    def make_idle_topic(self, topic: str, broker: int, partitions: int) -> None:
        """Create a topic whose partitions a broker leads, and wait until all replicas follow."""
        replicas = [ring(broker)] * partitions
        create_topic(self.cluster.bootstrap, topic, replicas, {}, within_s=MANY_SECONDS)

    def begin_topic(self, topic: str, broker: int, partitions: int) -> None:
        """Create a topic whose partitions a broker leads, without waiting for it."""
        begin_topic(self.cluster.bootstrap, topic, [ring(broker)] * partitions, TOPIC_SECONDS)

    def create_topic(self, topic: str, leaders: Sequence[int], configs: Mapping[str, str]) -> None:
        """Create a topic with these leaders and configs; raises InsyncError if it is refused."""
        replicas = [ring(leader) for leader in leaders]
        begin_topic(self.cluster.bootstrap, topic, replicas, TOPIC_SECONDS)
        if configs:
            self.update_topic_configs(topic, configs)

    def delete_topic(self, topic: str) -> None:
        """Delete a topic."""
        delete_topic(self.cluster.bootstrap, topic, TOPIC_SECONDS)

    def assignment_seen_by(self, broker: int, topic: str) -> Assignment:
        """Return replicas and ISR of each partition as a broker knows them; raises InsyncError."""
        seen = self._metadata(broker, topic)
        return {each: (seen.replicas[each], isr) for each, (_, isr) in seen.partitions.items()}

    def leaders_seen_by(self, broker: int, topic: str) -> Mapping[int, int]:
        """Return the leader of each partition as one broker knows it; raises InsyncError."""
        seen = self._metadata(broker, topic).partitions
        return {partition: leader for partition, (leader, _) in seen.items()}

    def active_controller(self) -> int:
        """Return the controller that leads the others; raises InsyncError if nobody knows."""
        controllers = self.cluster.controllers
        if len(controllers) < 2:
            return CONTROLLER_ID
        for each in controllers:
            with suppress(OSError):
                request = wire.framed(DESCRIBE_QUORUM, QUORUM, flexible=True)
                answer = wire.call(each.port, request, ANSWERS_WITHIN_S)
                # Header, error, and of the one topic its name, and the one partition.
                *_, error, leader = wire.Fields(answer).take("ixhBB18sBihi")
                if error == 0 and leader >= 0:
                    return int(leader)
        raise InsyncError(f"no active controller: none of {len(controllers)} knows one")

    def serves(self, number: int) -> bool:
        """Whether a node answers, and if it is a broker, another one lists it."""
        try:
            request = wire.framed(API_VERSIONS, b"", flexible=False)
            wire.call(self.node(number).port, request, LISTS_WITHIN_S)
        except OSError:
            return False
        return self.node(number).role != "broker" or self.is_listed(number)

    def is_listed(self, broker: int) -> bool:
        """Whether another broker lists this one, as it does unless the controller fences it."""
        others = [node for node in self.cluster.nodes.values() if node.role == "broker"]
        for node in others:
            if node.id != broker:
                with suppress(OSError):
                    seen = wire.ask_metadata(f"{LOOPBACK}:{node.port}", None, LISTS_WITHIN_S)
                    return broker in seen.brokers
        return False

    def open_transactions(self, broker: int) -> set[str]:
        """Return the ids whose transactions a broker coordinates and nobody has ended yet."""
        with suppress(OSError):
            listed = wire.transactions(self.node(broker).port, ["Ongoing"], ANSWERS_WITHIN_S)
            return {name for name, _ in listed}
        return set()

    def update_configs(self, broker: int, settings: Mapping[str, str | None]) -> None:
        """Set configs of a broker, or delete those that are None; raises InsyncError."""
        admin.update_broker(self._server(broker), broker, settings)

    def configs_in_force(self, broker: int, settings: Mapping[str, str]) -> int:
        """Return how many of the settings the broker says that it has; raises InsyncError."""
        return admin.in_force(self._server(broker), broker, settings)

    def update_topic_configs(self, topic: str, settings: Mapping[str, str | None]) -> None:
        """Set configs of a topic, or delete those that are None; raises InsyncError."""
        admin.update_topic(self.cluster.bootstrap, topic, settings)

    def assign(
        self,
        topic: str,
        partition: int,
        replicas: Sequence[int] | None,
        last: Collection[int] = (),
    ) -> None:
        """Assign replicas, in this order, to a partition; raises InsyncError if refused.

        None cancels the reassignment that is in progress. The brokers in `last` are asked last.
        """
        request = wire.reassign(topic, partition, replicas, TIMEOUT_MS)
        self._ask_any(request, f"reassignment of {topic}", last)

    def adding(self, topic: str, partitions: Sequence[int]) -> Mapping[int, Sequence[int]]:
        """Return which brokers a reassignment adds to which partition; raises InsyncError."""
        request = wire.list_reassignments(topic, partitions, TIMEOUT_MS)
        answers = []
        for broker in self._who_reassigns():
            try:
                return wire.adding(wire.call(self.node(broker).port, request, ANSWERS_WITHIN_S))
            except OSError as error:
                answers.append(f"broker {broker}: {error}")
        raise InsyncError(f"reassignments of {topic}: {', '.join(answers)}")

    def _who_reassigns(self) -> Sequence[int]:
        """Return whom to ask: on ZooKeeper only the controller; on KRaft brokers forward it."""
        return [CONTROLLER_ID] if self.kafka.release.zookeeper else range(1, BROKERS + 1)

    def move_log_dirs(self, broker: int, body: bytes) -> None:
        """Ask a broker to move replicas; raises InsyncError if it refuses one, or is silent."""
        request = wire.framed(ALTER_REPLICA_LOG_DIRS, body, flexible=False)
        try:
            answer = wire.Fields(wire.call(self.node(broker).port, request, ANSWERS_WITHIN_S))
        except OSError as error:
            raise InsyncError(f"broker {broker}: no answer: {error}") from error
        answer.take("ii")  # header, throttle time
        for _ in range(answer.count()):
            topic = (answer.content("h") or b"").decode()
            for _ in range(answer.count()):
                partition, code = answer.take("ih")
                if code != 0:
                    raise InsyncError(f"broker {broker}: {topic}-{partition}: error {code}")

    def elect(
        self,
        topic: str,
        partitions: Sequence[int],
        last: Collection[int] = (),
        *,
        unclean: bool = False,
    ) -> None:
        """Elect the first replica of each partition; raises InsyncError if that is refused.

        If `unclean`, it need not be in the ISR, and only a partition without a leader gets one. The
        brokers in `last` are asked last.
        """
        how = wire.UNCLEAN if unclean else wire.PREFERRED
        request = wire.elect(topic, partitions, TIMEOUT_MS, how)
        self._ask_any(request, f"election of {topic}", last)

    def _ask_any(self, request: bytes, what: str, last: Collection[int] = ()) -> None:
        """Ask broker after broker, so that none waits for a stall, until the controller has it.

        Raises InsyncError with all answers if none did `what` was asked.
        """
        answers = []
        for broker in sorted(self._who_reassigns(), key=lambda broker: broker in last):
            port = self.node(broker).port
            try:
                code = wire.ask(port, request, ANSWERS_WITHIN_S)
            except OSError as error:
                answers.append(f"{port}: {error}")
                continue
            if code == 0:
                return
            answers.append(f"{port}: error {code}")
            if code != wire.NOT_CONTROLLER:
                break
        raise InsyncError(f"{what}: {', '.join(answers)}")

    def _metadata(self, broker: int, topic: str) -> wire.Metadata:
        try:
            return wire.ask_metadata(self._server(broker), topic, SEEN_WITHIN_S)
        except OSError as error:
            raise InsyncError(f"broker {broker}: no answer: {error}") from error

    def _server(self, broker: int) -> str:
        return f"{LOOPBACK}:{self.node(broker).port}"


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
