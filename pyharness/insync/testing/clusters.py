"""The cluster of a test, whatever it runs as: as the command line and the test ask for it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from insync.brokers.docker import engine
from insync.brokers.images.built import require
from insync.brokers.kafka.builds import find
from insync.errors import InputError
from insync.nodes import BROKERS
from insync.run.request import ClusterKind
from insync.testing.faults import Injected, possible
from insync.testing.kafka_cluster import KafkaCluster
from insync.testing.options import Asked


class ExistingCluster:
    """Brokers that insync did not start: of a `KafkaCluster` it has what clients can know."""

    kind, why, arm = "existing", "--insync-cluster", "stock"

    def __init__(self, asked: Asked) -> None:
        self.bootstrap = asked.bootstrap or ""
        self.kafka = asked.kafka

    def lifted(self) -> Sequence[Injected]:
        """Return no fault: none can be injected."""
        return ()

    def describe(self) -> str:
        """Return what the brokers are."""
        return f"cluster: {self.kind} ({self.why}), Kafka {self.kafka}, {self.bootstrap}"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(KafkaCluster, name):
            raise AttributeError(name)
        raise InputError(f"{name}: --insync-cluster existing, expected brokers of insync's own")


@contextmanager
def started(
    asked: Asked, keys: Mapping[str, Any], folder: Path
) -> Iterator[KafkaCluster | ExistingCluster]:
    """Start the cluster that is asked for, and stop it at the end of the block.

    `keys` are arguments of `KafkaCluster`; `faults` of None are those that cost healthy brokers
    nothing. Raises InputError for what cannot be.
    """
    if asked.cluster == "existing":
        yield ExistingCluster(asked)
        return
    kind, why = chosen(asked)
    wanted = dict(keys)
    if "faults" in wanted and wanted["faults"] is None:
        three = wanted.get("brokers", BROKERS) == BROKERS
        wanted["faults"] = possible(kind, folder) if three else ()
    with KafkaCluster(kafka=asked.kafka, cluster=kind, folder=folder, **wanted) as own:
        own.why = why
        yield own


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
