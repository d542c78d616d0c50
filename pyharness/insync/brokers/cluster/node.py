"""One Kafka node: its folder, its port, its log, whatever it runs in."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from insync.brokers.cluster import properties
from insync.brokers.kafka import formats
from insync.running import Running


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeExtras:
    """One broker's own environment, paths and settings.

    Args:
        environment: variables of its JVM, beside those of the harness.
        files: paths outside its folder that the JVM reads, such as a library to preload.
        shared: paths outside its folder that it writes to as well, such as a control file.
        settings: added to its server.properties; these win over all others.

    """

    environment: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[Path] = ()
    shared: Sequence[Path] = ()
    settings: Mapping[str, str] = field(default_factory=dict)


NO_EXTRAS = NodeExtras()


Role = Literal["zookeeper", "controller", "broker"]
TEMPORARY = "tmp"
SETTINGS = "server.properties"
LOG = "stdout.log"


@dataclass(frozen=True)
class NodePlan:
    """What a node is to be, before it runs; `folder` is absolute and the node's own."""

    id: int
    role: Role
    folder: Path
    port: int
    settings: Mapping[str, str]
    main: str = "kafka.Kafka"
    flags: Sequence[str] = ()
    extras: NodeExtras = NO_EXTRAS

    @property
    def settings_file(self) -> Path:
        """Its server.properties."""
        return self.folder / SETTINGS

    @property
    def log(self) -> Path:
        """The file for all that it prints."""
        return self.folder / LOG

    def started(self, process: Running) -> "Node":
        """Return the node that it is now."""
        return Node(self.id, self.role, self.folder, self.port, process)


@dataclass(frozen=True)
class Node:
    """A node that was started; its process may have ended since."""

    id: int
    role: Role
    folder: Path
    port: int
    process: Running

    @property
    def pid(self) -> int:
        """The process id of the node's JVM."""
        return self.process.pid

    @property
    def data_dir(self) -> Path:
        """Where the partitions' folders are."""
        return self.folder / formats.DATA

    @property
    def metadata_log(self) -> Path:
        """The folder of a KRaft node's copy of the metadata log."""
        return self.folder / formats.METADATA / "__cluster_metadata-0"

    @property
    def transaction_log(self) -> Path:
        """The folder of a ZooKeeper's log."""
        return self.folder / formats.METADATA / "version-2"

    @property
    def log(self) -> Path:
        """The file with all that the node printed."""
        return self.folder / LOG


def prepare(plan: NodePlan, templates: Path | None, cluster: str) -> None:
    """Make the node's folder with its settings, formatted for the cluster with the id `cluster`.

    `templates` holds a formatted node of each role. Its data folder may be there, empty: it may
    be a mount. On ZooKeeper there is nothing to format, so there are none, and the first broker
    makes up the cluster's id.
    """
    (plan.folder / TEMPORARY).mkdir(parents=True)
    if templates is not None:
        formats.copy(templates / plan.role, plan.folder, node=plan.id, cluster=cluster)
    plan.settings_file.write_text(properties.text(plan.settings), encoding="ascii")


def remove_data(folder: Path) -> None:
    """Remove all but the settings and the log of a node that has stopped.

    A mount point stays, empty.
    """
    for part in (formats.DATA, formats.METADATA, TEMPORARY):
        shutil.rmtree(folder / part, ignore_errors=True)
