"""The cluster of a test: one call, and all of it gone at the end."""

import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Final, Literal, Self

from insync import arms
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.containers import ContainerCluster
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import Node
from insync.brokers.cluster.ready import await_ready
from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.resolve import distribution
from insync.brokers.kafka.versions import find
from insync.errors import InputError
from insync.run.arm_support import require_arms
from insync.run.plan import require_agent
from insync.run.request import DEFAULT_KAFKA, ClusterKind
from insync_bridge import BridgeClient, BridgeError, PartitionState

Plugin = Literal["read", "request"]
_KINDS: Final[Mapping[str, type[NodeCluster]]] = {
    "local": LocalCluster,
    "docker": ContainerCluster,
}
_SERVES_WITHIN_S: Final = 60.0
_MOST_COPIES: Final = 3


class KafkaCluster:
    """Brokers from 1 on and a controller, started on entering the `with` block.

    Entering raises InputError if what was asked cannot be had here, such as an image that is
    not built, and InsyncError with the last lines of its log if a node does not start.
    """

    def __init__(
        self,
        *,
        brokers: int = 3,
        kafka: str = DEFAULT_KAFKA,
        cluster: ClusterKind = "docker",
        settings: Mapping[str, str] | None = None,
        plugin: Plugin | None = None,
        folder: Path | None = None,
    ) -> None:
        """Plan it.

        Args:
            brokers: how many; internal topics have so many replicas, but 3 at most.
            kafka: their version.
            cluster: what they run in, processes of this host or containers.
            settings: added to every node's server.properties; these win.
            plugin: the scope of the plugin in them; None is Kafka as it is.
            folder: a new folder for settings, logs and data, which stays; else one that goes.

        """
        self._brokers = brokers
        self._kafka = kafka
        self._kind = cluster
        self._settings = {**_copies(min(brokers, _MOST_COPIES)), **(settings or {})}
        self._plugin = plugin
        self._folder = folder
        self._stack = ExitStack()
        self._cluster: NodeCluster

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = self._folder or Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix="insync-"))
            )
            self._cluster = stack.enter_context(self._made(folder.absolute()))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def bootstrap(self) -> str:
        """The brokers' addresses, for clients on this host."""
        return self._cluster.bootstrap

    @property
    def nodes(self) -> Mapping[int, Node]:
        """The nodes by their id: the brokers, the controller, before KRaft a ZooKeeper."""
        return self._cluster.nodes

    def kill(self, number: int) -> None:
        """Kill a node and wait until it is gone."""
        self._cluster.kill(number)

    def restart(self, number: int, within_s: float = _SERVES_WITHIN_S) -> None:
        """Start a killed broker again, on what it left, and wait until it serves.

        On KRaft that is not before the end of its old session. Raises InsyncError after
        `within_s`.
        """
        self._cluster.restart(number)
        brokers = [node for node in self.nodes.values() if node.process.poll() is None]
        await_ready(brokers, within_s)

    def replicas(self, topic: str, partition: int) -> PartitionState:
        """Return a partition as its leader sees it, with every replica's lag.

        InputError without the plugin, or if no broker says that it leads the partition.
        """
        if self._plugin is None:
            raise InputError("replicas: plugin is None, expected one whose bridge can be asked")
        silent = []
        for number in range(1, self._brokers + 1):
            try:
                with BridgeClient.connect(self._bridge / f"bridge-{number}.json") as client:
                    state = client.replicas(topic, partition)
            except BridgeError as error:  # of a broker that is gone, or about to serve
                silent.append(f"; {error}")
                continue
            if state is not None:
                return state
        raise InputError(f"replicas: {topic}-{partition}: no broker leads it{''.join(silent)}")

    def _made(self, folder: Path) -> NodeCluster:
        if self._kind not in _KINDS:
            raise InputError(f"cluster: {self._kind!r}, expected one of: {', '.join(_KINDS)}")
        arm = self._plugin or "stock"
        if arm not in arms.ARMS:
            raise InputError(f"plugin: {arm!r}, expected None, read or request")
        find(self._kafka)  # said first: a version that is none has no arms
        require_arms([arm], self._kafka)
        dist = distribution(self._kafka, find_java())
        self._bridge = folder / "bridge"
        return _KINDS[self._kind](
            dist,
            folder,
            brokers=self._brokers,
            settings={**arms.settings(arm), **self._settings},
            agent=_agent(arm, self._bridge),
        )


def _copies(count: int) -> dict[str, str]:
    """Return the settings of internal topics on so many brokers."""
    return {
        "offsets.topic.replication.factor": str(count),
        "transaction.state.log.replication.factor": str(count),
        "transaction.state.log.min.isr": str(max(1, count - 1)),
    }


def _agent(arm: str, folder: Path) -> AgentSpec | None:
    jar = require_agent([arm])
    if jar is None:
        return None
    folder.mkdir(parents=True)
    return AgentSpec(jar=jar, events_dir=folder, bridge_dir=folder)
