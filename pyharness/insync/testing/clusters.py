"""The cluster of a test, whatever it runs as: as the command line and the test ask for it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from insync.brokers.docker import engine
from insync.brokers.images.built import require
from insync.brokers.kafka.builds import find
from insync.errors import InputError
from insync.nodes import BROKERS
from insync.run.request import ClusterKind
from insync.testing.faults import Faults, Injected
from insync.testing.kafka_cluster import KafkaCluster
from insync.testing.options import Asked
from insync.testing.prepared import possible
from insync_bridge import PartitionState

LAST_LINES: Final = 8


class PytestCluster:
    """A cluster of a test; one that insync did not start has only its `bootstrap`.

    `kind` is what its brokers run as, `why` how that was chosen, `kafka` their version, and `arm`
    what they are: "stock", or the scope of the plugin.
    """

    def __init__(
        self, asked: Asked, own: KafkaCluster | None, kind: str, why: str, arm: str
    ) -> None:
        self._own = own
        self._bootstrap = asked.bootstrap or ""
        self.kind = kind
        self.why = why
        self.kafka = asked.kafka if own is None else find(asked.kafka).name
        self.arm = arm

    @property
    def bootstrap(self) -> str:
        """The brokers' addresses, for clients."""
        return self._bootstrap if self._own is None else self._own.bootstrap

    @property
    def fault(self) -> Faults:
        """A function that injects a fault for a block."""
        return self._started("fault").fault

    @property
    def nodes(self) -> Mapping[int, Any]:
        """The nodes by id, as `KafkaCluster` has them."""
        return self._started("nodes").nodes

    def kill(self, number: int) -> None:
        """Kill a node and wait until it has ended."""
        self._started("kill").kill(number)

    def restart(self, number: int) -> None:
        """Start a killed broker again, and wait until it serves requests."""
        self._started("restart").restart(number)

    def replicas(self, topic: str, partition: int) -> PartitionState:
        """Return a partition as its leader sees it; only with the plugin."""
        return self._started("replicas").replicas(topic, partition)

    def lifted(self) -> Sequence[Injected]:
        """Return the faults that were injected so far."""
        return () if self._own is None else tuple(self._own.fault.lifted)

    def describe(self) -> str:
        """Return what the brokers are, and the last lines that each printed."""
        lines = [f"cluster: {self.kind} ({self.why}), Kafka {self.kafka}, {self.bootstrap}"]
        for node in () if self._own is None else self._own.nodes.values():
            lines.append(f"{node.role} {node.id}, the last lines of {node.log}:")
            lines += [f"  {line}" for line in _last_lines(node.log)]
        return "\n".join(lines)

    def _started(self, what: str) -> KafkaCluster:
        if self._own is None:
            raise InputError(f"{what}: --insync-cluster existing, expected brokers of insync's own")
        return self._own


@contextmanager
def started(asked: Asked, keys: Mapping[str, Any], folder: Path) -> Iterator[PytestCluster]:
    """Start the cluster that is asked for, and stop it at the end of the block.

    `keys` are arguments of `KafkaCluster`; `faults` of None are those that cost healthy brokers
    nothing. Raises InputError for what cannot be.
    """
    if asked.cluster == "existing":
        yield PytestCluster(asked, None, "existing", "--insync-cluster", "stock")
        return
    kind, why = chosen(asked)
    wanted = dict(keys)
    if "faults" in wanted and wanted["faults"] is None:
        three = wanted.get("brokers", BROKERS) == BROKERS
        wanted["faults"] = possible(kind, folder) if three else ()
    own = KafkaCluster(kafka=asked.kafka, cluster=kind, folder=folder, **wanted)
    with own:
        yield PytestCluster(asked, own, kind, why, wanted.get("plugin") or "stock")


def chosen(asked: Asked) -> tuple[ClusterKind, str]:
    """Return what the nodes run as, and why."""
    if asked.cluster == "local" or asked.cluster == "docker":
        return asked.cluster, "--insync-cluster"
    release = find(asked.kafka)
    if release.path is not None:
        return "local", "auto: an own build"
    try:
        with closing(engine.client()):
            require(release)
    except InputError as error:
        return "local", f"auto: {error}"
    return "docker", "auto"


def _last_lines(log: Path) -> list[str]:
    """Return the last lines of a node's log; none if there is no log."""
    try:
        text = log.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return []
    return text.splitlines()[-LAST_LINES:]
