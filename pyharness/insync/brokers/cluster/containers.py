"""Run a cluster of containers on its own network: as close to production as one host can get.

Each node has a folder on this host, which its container sees at the same path, so settings,
logs, control files and connection files have the same paths on both sides. Clients of this host
reach the brokers at ports of loopback; other hosts cannot reach them.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import docker
from testcontainers.core.network import Network

from insync.brokers.cluster.addresses import Addresses, InNetwork
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.container_plan import (
    DEFAULT_LIMITS,
    Limits,
    Surroundings,
    container_of,
    make_accessible,
)
from insync.brokers.cluster.links.listeners import LinkedInNetwork
from insync.brokers.cluster.node import Node, NodePlan
from insync.brokers.cluster.ready import PortTakenError
from insync.brokers.docker import engine, leftovers
from insync.brokers.docker.engine import docker_errors
from insync.brokers.docker.process import ContainerProcess
from insync.brokers.images.built import require
from insync.brokers.images.image import Image
from insync.brokers.kafka import formats
from insync.brokers.kafka.distribution import Distribution
from insync.errors import InputError, InsyncError

_PORT_TAKEN: Final = ("port is already allocated", "address already in use")


class ContainerCluster(NodeCluster):
    """A fresh cluster; entering the `with` block starts it and leaving the block stops it.

    The start first removes what killed harnesses left behind. Entering raises InsyncError, with
    lines of the node's log, when a node does not start. After `stop` the containers are removed,
    and the nodes' logs and data are in their folders.
    """

    addresses = InNetwork()

    def __init__(
        self,
        dist: Distribution,
        folder: Path,
        *,
        image: Image | None = None,
        limits: Limits = DEFAULT_LIMITS,
        **options: Any,
    ) -> None:
        """Plan a cluster as NodeCluster does, with its `options`.

        `dist` is the same Kafka version on this host; `image` replaces the built image of that
        version; `limits` apply to each node. Raises InputError also without an engine or an image.
        """
        super().__init__(dist, folder, **options)
        if ":" in str(self._folder):
            raise InputError(f"folder: {self._folder} has a colon, expected one without")
        self._image = image or require(dist.release)
        self._limits = limits
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
                leftovers.remove(client, self._id)

    def _addresses(self) -> Addresses:
        if self._links is None:
            return self.addresses
        return LinkedInNetwork(self._links, self._gateway(), self._at)

    def _gateway(self) -> str:
        """Return this host's address in the network."""
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
            leftovers.sweep(client)
            engine.prepare(client)
            marks = {"labels": leftovers.labels(self._id)}
            self._network = Network(docker_network_kw=marks).create()
        super()._prepare()
        for plan in self._planned.values():
            make_accessible(plan, self._agent)

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
        around = Surroundings(
            cluster=self._id,
            network=self._network,
            image=self._image,
            limits=self._limits,
            agent=self._agent_of(plan),
        )
        self._containers[plan.id] = container_of(plan, around).start().get_wrapped_container()
        return self._containers[plan.id]


@contextmanager
def _engine() -> Iterator[docker.DockerClient]:
    """Yield a client of the engine; convert its errors to InsyncErrors of one line."""
    with docker_errors("cluster"), closing(engine.client()) as client:
        yield client
