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


def brokers_of(value: object) -> int:
    """Return the number of brokers; raises InputError."""
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST_BROKERS:
        raise InputError(f"brokers: {value!r}, expected a whole number from 1 to {_MOST_BROKERS}")
    return value


def text_of(name: str, value: object) -> str:
    """Return the argument `name`, which is a string; raises InputError."""
    if not isinstance(value, str):
        raise InputError(f"{name}: {value!r}, expected a string")
    return value


def settings_of(value: object) -> dict[str, str]:
    """Return broker settings as they are written to server.properties; raises InputError."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"settings: {value!r}, expected a mapping of names to values")
    return {_name(name): _setting(name, each) for name, each in value.items()}


def _name(name: object) -> str:
    if not isinstance(name, str) or not name:
        raise InputError(f"settings: the name {name!r}, expected the name of a broker config")
    return name


def _setting(name: object, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | Path):
        raise InputError(f"settings: {name}: {value!r}, expected a string, an int or a bool")
    return str(value)


def jvm_of(value: object) -> tuple[str, ...]:
    """Return flags of a JVM; raises InputError."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"jvm: {value!r}, expected a list of JVM flags")
    for each in value:
        if not isinstance(each, str) or not each.startswith("-"):
            raise InputError(f"jvm: {each!r}, expected a JVM flag such as '-Xmx1g'")
    return tuple(value)


def folder_of(value: object) -> Path | None:
    """Return the folder of the cluster, None for a temporary one; raises InputError."""
    if value is None:
        return None
    if not isinstance(value, str | Path) or value == "":
        raise InputError(f"folder: {value!r}, expected a path")
    return Path(value)


def faults_of(value: object, brokers: int) -> tuple[str, ...]:
    """Return the names of fault kinds, each once; raises InputError."""
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InputError(f"faults: {value!r}, expected a list of fault kinds")
    if value and brokers != BROKERS:
        raise InputError(f"brokers: {brokers}, expected {BROKERS} with faults")
    return tuple(dict.fromkeys(text_of("faults", each) for each in value))


Plugin = Literal["read", "request"]
_KINDS: Final[Mapping[str, type[NodeCluster]]] = {
    "local": LocalCluster,
    "docker": ContainerCluster,
}
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
        self._brokers = brokers_of(brokers)
        self._kafka = text_of("kafka", kafka)
        self.kind = text_of("cluster", cluster)
        self.why = "the argument cluster"
        self._settings = {
            **_copies(min(brokers, _MOST_COPIES)),
            **settings_of(settings),
        }
        self._plugin = None if plugin is None else text_of("plugin", plugin)
        self._folder = folder_of(folder)
        self._kinds = faults_of(faults, self._brokers)
        self._jvm = jvm_of(jvm)
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
