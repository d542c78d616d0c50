"""One Kafka node as a local process: its folder, its port, its log."""

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from insync.cluster import properties
from insync.kafka import formats, process
from insync.kafka.distribution import Distribution
from insync.kafka.jvm import node_flags
from insync.running import Running

Role = Literal["zookeeper", "controller", "broker"]
TEMPORARY = "tmp"
SETTINGS = "server.properties"


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
    environment: Mapping[str, str] = field(default_factory=dict)


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
        return self.folder / "stdout.log"

    def remove_data(self) -> None:
        """Remove all but the settings and the log; for a node that has stopped.

        A mount point stays, empty.
        """
        for part in (formats.DATA, formats.METADATA, TEMPORARY):
            shutil.rmtree(self.folder / part, ignore_errors=True)


def start(plan: NodePlan, dist: Distribution, cluster: str) -> Node:
    """Format the node's folder for the cluster with the id `cluster`, and start the node.

    Its data folder may be there, empty: it may be a mount. On ZooKeeper there is nothing to
    format, and the first broker makes up the cluster's id.
    """
    (plan.folder / TEMPORARY).mkdir(parents=True)
    if not dist.release.zookeeper:
        formats.copy(dist.formats / plan.role, plan.folder, node=plan.id, cluster=cluster)
    (plan.folder / SETTINGS).write_text(properties.text(plan.settings), encoding="ascii")
    return start_again(plan, dist)


def start_again(plan: NodePlan, dist: Distribution) -> Node:
    """Start a node that has run before, on what it has left."""
    flags = [*plan.flags, *node_flags(plan.folder / TEMPORARY)]
    running = process.start(
        dist.command(flags, plan.main, str(plan.folder / SETTINGS)),
        log=plan.folder / "stdout.log",
        folder=plan.folder,
        environment={**os.environ, **plan.environment},
    )
    return Node(plan.id, plan.role, plan.folder, plan.port, running)
