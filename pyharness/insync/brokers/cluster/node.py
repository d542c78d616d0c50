"""Describe one Kafka node (folder, port, log, process), and prepare its folder."""

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
    """Additional environment, paths and settings of one broker.

    Args:
        environment: variables of its JVM, in addition to those of the harness.
        files: paths outside its folder that the JVM reads, such as a library to preload.
        shared: paths outside its folder that the JVM also writes, such as a control file.
        settings: added to its server.properties; these override all others.
        flags: flags of its JVM; these override those of the harness.

    """

    environment: Mapping[str, str] = field(default_factory=dict)
    files: Sequence[Path] = ()
    shared: Sequence[Path] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    flags: Sequence[str] = ()


NO_EXTRAS = NodeExtras()


Role = Literal["zookeeper", "controller", "broker"]
TEMPORARY = "tmp"
SETTINGS = "server.properties"
LOG = "stdout.log"


@dataclass(frozen=True)
class NodePlan:
    """The plan of a node before it runs; `folder` is absolute and belongs to the node only."""

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
        """The file for all of its output."""
        return self.folder / LOG

    def started(self, process: Running) -> "Node":
        """Return the running node of this plan."""
        return Node(self.id, self.role, self.folder, self.port, process)


@dataclass(frozen=True)
class Node:
    """A node that was started; its process may have ended."""

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
        """The folder that holds the partitions' folders, the first of several."""
        return self.folder / formats.DATA

    @property
    def data_dirs(self) -> list[Path]:
        """All folders that hold partitions' folders."""
        return formats.log_dirs_in(self.folder)

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
        """The file with all of the node's output."""
        return self.folder / LOG


def prepare(plan: NodePlan, templates: Path | None, cluster: str) -> None:
    """Create the node's folder with its settings, formatted for the cluster with id `cluster`.

    `templates` holds a formatted node of each role. The node's data folder may already exist if
    it is empty, for example as a mount point. Its settings may name further data folders. On
    ZooKeeper nothing needs formatting, so `templates` is None, and the first broker creates the
    cluster id.
    """
    (plan.folder / TEMPORARY).mkdir(parents=True)
    if templates is not None:
        more = [Path(each) for each in plan.settings["log.dirs"].split(",")[1:]]
        formats.copy(templates / plan.role, plan.folder, node=plan.id, cluster=cluster, more=more)
    plan.settings_file.write_text(properties.text(plan.settings), encoding="ascii")


def has_data(folder: Path) -> bool:
    """Whether the folder of a node has its data."""
    return any((folder / part).is_dir() for part in (formats.DATA, formats.METADATA))


def remove_data(folder: Path) -> None:
    """Remove the data of a stopped node; keep its settings and its log.

    A mount point stays, empty.
    """
    for part in (*formats.log_dirs_in(folder), folder / formats.METADATA, folder / TEMPORARY):
        shutil.rmtree(part, ignore_errors=True)
