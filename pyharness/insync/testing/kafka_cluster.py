"""Start a cluster for a test with one call, and remove all of it at the end."""

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Final, Literal, Self

from insync import arms
from insync.brokers.cluster.common import NodeCluster
from insync.brokers.cluster.containers import ContainerCluster
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec, Node
from insync.brokers.cluster.ready import await_ready
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.cache import woven_classes
from insync.brokers.kafka.java import find_java
from insync.brokers.kafka.resolve import distribution
from insync.errors import InputError
from insync.faults.support.shim import require_shim
from insync.nodes import BROKERS
from insync.run.arm_cluster import assembled
from insync.run.plan import require_agent
from insync.run.request import DEFAULT_KAFKA, ClusterKind
from insync.run.requirements import stalled
from insync.run.version_support import require_arms
from insync.testing.faults import Faults, Injected, require_kinds, scenario_of
from insync_bridge import BridgeClient, BridgeError, PartitionState

_MOST_BROKERS: Final = 99


def require(holds: bool, name: str, value: object, expected: str) -> None:
    """Check the argument `name`; raises InputError."""
    if not holds:
        raise InputError(f"{name}: {value!r}, expected {expected}")


def settings_of(settings: Mapping[str, object] | None) -> dict[str, str]:
    """Return broker settings as they are written to server.properties; raises InputError."""
    given = {} if settings is None else settings
    require(isinstance(given, Mapping), "settings", given, "a mapping of names to values")
    written = {}
    for name, value in given.items():
        if not isinstance(name, str) or not name:
            raise InputError(f"settings: the name {name!r}, expected the name of a broker config")
        simple = isinstance(value, str | int | Path)
        require(simple, f"settings: {name}", value, "a string, an int or a bool")
        written[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return written


def _listed(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


Plugin = Literal["read", "request"]
_KINDS: Final[Mapping[str, type[NodeCluster]]] = {"local": LocalCluster, "docker": ContainerCluster}
_SERVES_WITHIN_S: Final = 60.0
_MOST_COPIES: Final = 3
_LAST_LINES: Final = 8


class KafkaCluster:
    """A cluster of brokers, with ids from 1, and a controller; entering the `with` block starts it.

    Entering raises InputError if the request is impossible here, for example because an image is
    not built, and InsyncError with lines of the node's log if a node does not start.
    """

    def __init__(
        self,
        *,
        brokers: int = 3,
        kafka: str = DEFAULT_KAFKA,
        cluster: ClusterKind = "docker",
        settings: Mapping[str, str | int | bool] | None = None,
        plugin: Plugin | None = None,
        folder: Path | str | None = None,
        faults: Sequence[str] = (),
        jvm: Sequence[str] = (),
    ) -> None:
        """Plan the cluster; raises InputError for a wrong argument.

        Args:
            brokers: number of brokers, 1 to 99; internal topics have as many replicas, at most 3.
            kafka: the Kafka version, or the path of an own build, which runs as local processes.
            cluster: "local" for processes of this host, "docker" for containers.
            settings: added to every node's server.properties; these override all others. A bool is
                written as true or false.
            plugin: the plugin's scope in the brokers; None means stock Kafka.
            folder: a new folder for settings, logs and data, which is kept; None means a temporary
                folder.
            faults: names of the fault kinds that `fault` can inject, on a cluster of three brokers.
            jvm: flags of the brokers' JVMs; these override those of the harness, which are for
                short starts and small heaps.

        """
        whole = isinstance(brokers, int) and not isinstance(brokers, bool)
        most = f"a whole number from 1 to {_MOST_BROKERS}"
        require(whole and 1 <= brokers <= _MOST_BROKERS, "brokers", brokers, most)
        named = {"kafka": kafka, "cluster": cluster, "plugin": "" if plugin is None else plugin}
        for name, value in named.items():
            require(isinstance(value, str), name, value, "a string")
        require(isinstance(folder, str | Path | None) and folder != "", "folder", folder, "a path")
        require(_listed(faults), "faults", faults, "a list of fault kinds")
        for each in faults:
            require(isinstance(each, str), "faults", each, "a string")
        require(not faults or brokers == BROKERS, "brokers", brokers, f"{BROKERS} with faults")
        require(_listed(jvm), "jvm", jvm, "a list of JVM flags")
        for each in jvm:
            flag = isinstance(each, str) and each.startswith("-")
            require(flag, "jvm", each, "a JVM flag such as '-Xmx1g'")
        self._brokers, self._kafka, self._plugin = brokers, kafka, plugin
        self.kind: str = cluster
        self.why = "the argument cluster"
        self._settings = {**_copies(min(brokers, _MOST_COPIES)), **settings_of(settings)}
        self._folder = None if folder is None else Path(folder)
        self._kinds, self._jvm = tuple(dict.fromkeys(faults)), tuple(jvm)
        self._faults: Faults
        self._stack = ExitStack()
        self._cluster: NodeCluster

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = self._folder or Path(
                stack.enter_context(tempfile.TemporaryDirectory(prefix="insync-"))
            )
            self._start(folder.absolute(), stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @property
    def bootstrap(self) -> str:
        """The brokers' addresses, for clients on this host."""
        return self._cluster.client_bootstrap

    @property
    def nodes(self) -> Mapping[int, Node]:
        """The nodes by id: the brokers, the controller, and before KRaft a ZooKeeper."""
        return self._cluster.nodes

    @property
    def fault(self) -> Faults:
        """A function that injects a fault for a block: `with kafka.fault("freeze", 1): ...`."""
        return self._faults

    @property
    def kafka(self) -> str:
        """The brokers' version."""
        return find(self._kafka).name

    @property
    def arm(self) -> str:
        """What the brokers are: "stock", or the scope of the plugin."""
        return self._plugin or "stock"

    def lifted(self) -> Sequence[Injected]:
        """Return the faults that were injected so far."""
        return tuple(self._faults.lifted)

    def describe(self) -> str:
        """Return what the brokers are, and the last lines that each printed."""
        lines = [f"cluster: {self.kind} ({self.why}), Kafka {self.kafka}, {self.bootstrap}"]
        for node in self.nodes.values():
            lines.append(f"{node.role} {node.id}, the last lines of {node.log}:")
            with suppress(OSError):  # it has printed nothing yet
                text = node.log.read_text(encoding="utf-8", errors="replace")
                lines += [f"  {line}" for line in text.splitlines()[-_LAST_LINES:]]
        return "\n".join(lines)

    def kill(self, number: int) -> None:
        """Kill a node and wait until it has ended."""
        self._cluster.kill(number)

    def restart(self, number: int, within_s: float = _SERVES_WITHIN_S) -> None:
        """Start a killed broker again with its old data, and wait until it serves requests.

        On KRaft it serves only after its old session has ended. Raises InsyncError after `within_s`
        seconds.
        """
        self._cluster.restart(number)
        brokers = [node for node in self.nodes.values() if node.process.poll() is None]
        await_ready(brokers, within_s)

    def replicas(self, topic: str, partition: int) -> PartitionState:
        """Return a partition as its leader sees it, with every replica's lag.

        Raises InputError without the plugin, or if no broker leads the partition.
        """
        if self._plugin is None:
            raise InputError("replicas: plugin is None, expected read or request")
        silent = []
        for number in range(1, self._brokers + 1):
            try:
                with BridgeClient.connect(self._bridge / f"bridge-{number}.json") as client:
                    state = client.replicas(topic, partition)
            except BridgeError as error:  # the broker has ended, or does not serve yet
                silent.append(f"; {error}")
                continue
            if state is not None:
                return state
        raise InputError(f"replicas: {topic}-{partition}: no broker leads it{''.join(silent)}")

    def _start(self, folder: Path, stack: ExitStack) -> None:
        """Start the cluster; `stack` gets what ends with it. Raises InputError or InsyncError."""
        if self.kind not in _KINDS:
            raise InputError(f"cluster: {self.kind!r}, expected one of: {', '.join(_KINDS)}")
        arm = self.arm
        if arm not in arms.ARMS:
            raise InputError(f"plugin: {arm!r}, expected None, read or request")
        find(self._kafka)  # before the check of the arms: an unknown version has none
        require_arms([arm], self._kafka)
        dist = distribution(self._kafka, find_java())
        if dist.release.path is not None and self.kind != "local":
            raise InputError(f"cluster: {self.kind!r}, expected 'local': kafka is an own build")
        self._bridge = folder / "bridge"
        agent = _agent(arm, self._bridge, local=self.kind == "local")
        cluster: ClusterKind = "local" if self.kind == "local" else "docker"
        require_kinds(self._kinds, cluster, folder)
        wanted = scenario_of(self._kinds)
        running = stack.enter_context(
            assembled(
                [wanted], arm, dist, folder, kind=_KINDS[self.kind], agent=agent,
                settings={**arms.settings(arm), **self._settings},
                shim=require_shim() if stalled(wanted) else None,
                keep=self._folder is not None, brokers=self._brokers, flags=self._jvm,
            )
        )  # fmt: skip
        self._cluster = running.cluster
        self._faults = Faults(running, wanted, self._kinds)


def _copies(count: int) -> dict[str, str]:
    """Return the settings for internal topics with `count` replicas."""
    return {
        "offsets.topic.replication.factor": str(count),
        "transaction.state.log.replication.factor": str(count),
        "transaction.state.log.min.isr": str(max(1, count - 1)),
    }


def _agent(arm: str, folder: Path, *, local: bool) -> AgentSpec | None:
    jar = require_agent([arm])
    if jar is None:
        return None
    folder.mkdir(parents=True)
    kept = woven_classes() if local else None
    return AgentSpec(jar=jar, events_dir=folder, bridge_dir=folder, cache=kept)
