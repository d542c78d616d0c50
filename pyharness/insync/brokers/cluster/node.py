"""Describe one Kafka node (folder, port, log, process), and prepare its folder."""

import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from insync.artifacts import LAB_JAR
from insync.brokers.cluster import properties
from insync.brokers.kafka import formats
from insync.errors import InputError
from insync.running import Running

_EVENTS_FILES: Final = 1_000
"""The most event files of a node that its agent keeps; each has 100 MiB."""


@dataclass(frozen=True)
class AgentSpec:
    """The agent's jar and the folders for its events and connection files, one file per node.

    `on_controller` says whether a KRaft controller has the agent too; without it the controller
    does not honour a leader that steps down. A controller opens no bridge. `holds` enables pause
    points, at which tests stop threads over the bridge. `nodes` are the ids of the nodes that start
    with the agent, None for all. `unknown_methods` is whether methods may be woven that no known
    build has. `cache` is the folder in which the agents of nodes on this machine keep their woven
    classes, None for no cache.
    """

    jar: Path
    events_dir: Path
    bridge_dir: Path
    on_controller: bool = True
    holds: bool = False
    nodes: Collection[int] | None = None
    unknown_methods: bool = False
    cache: Path | None = None

    def events_file(self, node: int) -> Path:
        return self.events_dir.absolute() / f"broker-{node}.jsonl"

    def flag(self, node: int) -> str:
        """Return the JVM flag for one node; raises InputError if a path contains a comma."""
        events = self.events_file(node)
        bridge = self.bridge_dir.absolute() / f"bridge-{node}.json"
        for path in (LAB_JAR, events, bridge):
            if "," in str(path):
                raise InputError(f"agent: the path {path} has a comma, expected one without")
        # A run keeps every event; a broker without the agent would not be the arm that it is named.
        arguments = f"lab={LAB_JAR},events={events},events-files={_EVENTS_FILES},bridge={bridge}"
        arguments += ",on-unsupported=fail"
        if self.holds:
            arguments += ",pause-points=on"
        if self.unknown_methods:
            arguments += ",unknown-methods=allow"
        # An option cannot hold a comma, and a node starts without the cache, too.
        if self.cache is not None and "," not in str(self.cache.absolute()):
            arguments += f",cache={self.cache.absolute()}"
        return f"-javaagent:{self.jar.absolute()}={arguments}"


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
        return self.folder / SETTINGS

    @property
    def log(self) -> Path:
        """The file for all of its output."""
        return self.folder / LOG

    def started(self, process: Running) -> "Node":
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
        return self.process.pid

    @property
    def data_dir(self) -> Path:
        """The folder that holds the partitions' folders, the first of several."""
        return self.folder / formats.DATA

    @property
    def data_dirs(self) -> list[Path]:
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
        return self.folder / LOG


def prepare(plan: NodePlan, templates: Path | None, cluster: str) -> None:
    """Create the node's folder with its settings, formatted for the cluster with id `cluster`.

    `templates` holds a formatted node of each role. The node's data folder may already exist if
    it is empty, for example as a mount point. On ZooKeeper nothing needs formatting, so
    `templates` is None, and the first broker creates the cluster id.
    """
    (plan.folder / TEMPORARY).mkdir(parents=True)
    if templates is not None:
        role = "controller" if "controller" in plan.settings["process.roles"] else "broker"
        more = [Path(each) for each in plan.settings["log.dirs"].split(",")[1:]]
        formats.copy(templates / role, plan.folder, node=plan.id, cluster=cluster, more=more)
    plan.settings_file.write_text(properties.text(plan.settings), encoding="ascii")


def has_data(folder: Path) -> bool:
    return any((folder / part).is_dir() for part in (formats.DATA, formats.METADATA))


def remove_data(folder: Path) -> None:
    """Remove the data of a stopped node; keep its settings and its log.

    A mount point stays, empty.
    """
    for part in (*formats.log_dirs_in(folder), folder / formats.METADATA, folder / TEMPORARY):
        shutil.rmtree(part, ignore_errors=True)
