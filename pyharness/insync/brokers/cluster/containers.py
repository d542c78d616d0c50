"""Run a cluster of containers on its own network: as close to production as one host can get.

Each node has a folder on this host, which its container sees at the same path, so settings,
logs, control files and connection files have the same paths on both sides. Clients of this host
reach the brokers at ports of loopback; other hosts cannot reach them.
"""

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import docker
from docker.types import LogConfig
from testcontainers.core.container import DockerContainer
from testcontainers.core.network import Network

from insync.artifacts import LAB_JAR
from insync.brokers.cluster.addresses import INSIDE, Addresses, InNetwork, host_name
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.node import TEMPORARY, AgentSpec, Node, NodePlan
from insync.brokers.cluster.ready import PortTakenError
from insync.brokers.docker import engine, process
from insync.brokers.docker.engine import docker_errors
from insync.brokers.docker.process import ContainerProcess
from insync.brokers.images.image import Image, require
from insync.brokers.kafka import formats
from insync.brokers.kafka.distribution import LOG_CONFIG, node_flags
from insync.brokers.kafka.ports import LOOPBACK
from insync.errors import InputError, InsyncError

_ROOT: Final = 0
_USER: Final = 1000  # the image's user kafka
# Set explicitly, because the engine's default may be a log driver that cannot be read.
_READABLE_LOG: Final = LogConfig(type=LogConfig.types.JSON)
_UNENCRYPTED: Final = "-Dinsync.bridge.unencrypted=true"
"""Without it the bridge refuses every address but loopback."""
# A restarted container may have another address, so names must be resolved each time.
_FORGET_ADDRESSES: Final = ("-Dsun.net.inetaddr.ttl=0", "-Dsun.net.inetaddr.negative.ttl=0")


def user() -> tuple[int, int]:
    """Return user and group of the nodes in containers: this process's own, but never root."""
    if os.getuid() == _ROOT:
        return _USER, _USER
    return os.getuid(), os.getgid()


def make_accessible(plan: NodePlan, agent: AgentSpec | None) -> None:
    """Make the container's user the owner of all that the node writes; raises OSError."""
    if os.getuid() != _ROOT:
        return
    for path in (*_written(plan, agent), *plan.folder.rglob("*")):
        os.chown(path, *user())


def container_of(
    plan: NodePlan,
    *,
    cluster: str,
    network: Network,
    image: Image,
    memory_mib: int,
    agent: AgentSpec | None,
) -> DockerContainer:
    """Return the node's container, ready to be started; `agent` is None if it runs without."""
    name = host_name(plan.id)
    container = DockerContainer(image.tag)
    container.image = image.tag  # without a registry prefix from Testcontainers
    container.with_name(f"insync-{cluster}-{plan.id}")
    container.with_network(network).with_network_aliases(name)
    # This host connects to the bridge at the container's own address, in a network of the run.
    bridge = [f"-Dinsync.bridge.address={name}", _UNENCRYPTED] if agent else []
    flags = [
        *plan.flags, *bridge, *_FORGET_ADDRESSES, *node_flags(plan.folder / TEMPORARY),
        *plan.extras.flags,
    ]  # fmt: skip
    container.with_command(image.command(flags, plan.main, str(plan.settings_file)))
    container.with_envs(**plan.extras.environment)
    # with_bind_ports takes no host: it would publish on every address.
    container.ports[f"{INSIDE}/tcp"] = (LOOPBACK, plan.port)  # type: ignore[assignment]
    jars = [agent.jar.absolute(), LAB_JAR] if agent else []
    for path in (LOG_CONFIG, *plan.extras.files, *jars):
        container.with_volume_mapping(path, str(path), "ro")
    for path in _written(plan, agent):
        container.with_volume_mapping(path, str(path), "rw")
    return container.with_kwargs(
        hostname=name,
        user="{}:{}".format(*user()),
        working_dir=str(plan.folder),
        log_config=_READABLE_LOG,
        # A health check runs in the node's control group and would use CPU time of a starved node.
        healthcheck={"test": ["NONE"]},
        labels=process.labels(cluster, plan.log),
        # Do not ask this host's name server for a node that has ended.
        dns=[LOOPBACK],
        dns_search=["."],
        cap_drop=["ALL"],
        security_opt=["no-new-privileges"],
        mem_limit=memory_mib << 20,
        memswap_limit=memory_mib << 20,
    )


def _written(plan: NodePlan, agent: AgentSpec | None) -> list[Path]:
    folders = [agent.events_dir.absolute(), agent.bridge_dir.absolute()] if agent else []
    return [plan.folder, *plan.extras.shared, *folders]


_PORT_TAKEN: Final = ("port is already allocated", "address already in use")


@dataclass(kw_only=True, eq=False)
class ContainerCluster(NodeCluster):
    """A fresh cluster; entering the `with` block starts it and leaving the block stops it.

    The start first removes what killed harnesses left behind. Entering raises InsyncError, with
    lines of the node's log, when a node does not start. After `stop` the containers are removed,
    and the nodes' logs and data are in their folders. Its `dist` is the same Kafka version on this
    host; `image` replaces the built image of that version; `memory_mib` is for each node. To make
    one raises InputError also without an engine or an image.
    """

    image: Image | None = None
    memory_mib: int = 512

    def __post_init__(self) -> None:
        super().__post_init__()
        if ":" in str(self.folder):
            raise InputError(f"folder: {self.folder} has a colon, expected one without")
        self._image = self.image or require(self.dist.release)
        self._id = formats.new_id()
        self._network: Network
        self._containers: dict[int, Any] = {}

    def stop(self) -> None:
        """Kill every node and remove all containers and the network; may be called again."""
        try:
            with ThreadPoolExecutor() as threads:
                list(threads.map(self.kill, list(self.nodes)))
        finally:
            self._containers.clear()
            with _engine() as client:
                process.remove(client, self._id)

    def _addresses(self) -> Addresses:
        return InNetwork(self.links, "" if self.links is None else self._gateway(), self._at)

    def _gateway(self) -> str:
        with _engine() as client:
            network = client.networks.get(self._network.id)
        return str(network.attrs["IPAM"]["Config"][0]["Gateway"])

    def _at(self, number: int) -> str:
        """Return the address of a node's container, which this host reaches as well."""
        if number not in self._containers:
            raise ConnectionRefusedError(f"node {number} is not started yet")
        container = self._containers[number]
        with docker_errors(f"node {number}"):
            container.reload()
        return str(container.attrs["NetworkSettings"]["Networks"][self._network.name]["IPAddress"])

    def _prepare(self) -> None:
        with _engine() as client:
            process.sweep(client)
            engine.prepare(client)
            marks = {"labels": process.labels(self._id)}
            self._network = Network(docker_network_kw=marks).create()
        super()._prepare()
        for plan in self._planned.values():
            make_accessible(plan, self.agent)

    def _run_all(self, planned: Sequence[NodePlan]) -> None:
        with ThreadPoolExecutor(len(planned)) as threads:
            for node in threads.map(self._run, planned):
                self.nodes[node.id] = node

    def _run(self, plan: NodePlan) -> Node:
        try:
            with docker_errors(f"{plan.role} {plan.id}"):
                container = self._started(plan)
        except InsyncError as error:
            if any(words in str(error) for words in _PORT_TAKEN):
                raise PortTakenError(str(error)) from error
            raise
        return plan.started(ContainerProcess(container, plan.log))

    def _started(self, plan: NodePlan) -> Any:
        """Start the node's container; create it first if it does not exist."""
        if plan.id in self._containers:
            container = self._containers[plan.id]
            container.start()
            return container
        made = container_of(
            plan, cluster=self._id, network=self._network, image=self._image,
            memory_mib=self.memory_mib, agent=self._agent_of(plan),
        )  # fmt: skip
        self._containers[plan.id] = made.start().get_wrapped_container()
        return self._containers[plan.id]


@contextmanager
def _engine() -> Iterator[docker.DockerClient]:
    """Yield a client of the engine; convert its errors to InsyncErrors of one line."""
    with docker_errors("cluster"), closing(engine.client()) as client:
        yield client
