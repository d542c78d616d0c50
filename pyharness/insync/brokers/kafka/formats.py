"""Format the folders of new nodes without starting a JVM for each node.

StorageTool runs once per version and role; its output is kept as a template. A new node is a
copy of the template with its own cluster id, node id and directory ids.
"""

import base64
import re
import shutil
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import SHORT_LIVED, Distribution
from insync.brokers.kafka.ports import LOOPBACK
from insync.errors import InsyncError

ROLES = ("controller", "broker")
_LISTENERS = {"controller": "CONTROLLER", "broker": "PLAINTEXT"}
DATA, METADATA = "data", "metadata"
_META = "meta.properties"
_WITHIN_S = 60.0


def new_id() -> str:
    """Return a fresh id in Kafka's format: 22 characters, the first one not a dash."""
    while True:
        made = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not made.startswith("-"):
            return made


def copy(
    template: Path, folder: Path, *, node: int, cluster: str, more: Sequence[Path] = ()
) -> None:
    """Format `folder` (its data and metadata) as node `node` of the cluster `cluster`.

    `more` are further folders for data. Each folder may already exist if it is empty.
    """
    places = [
        (DATA, folder / DATA),
        (METADATA, folder / METADATA),
        *((DATA, each) for each in more),
    ]
    for part, place in places:
        place.mkdir(exist_ok=True)
        for source in sorted((template / part).rglob("*")):
            # Copy only the bytes: the file system of `folder` may not support owners and times.
            target = place / source.relative_to(template / part)
            target.mkdir() if source.is_dir() else shutil.copyfile(source, target)
        meta = place / _META
        ids = {"cluster.id": cluster, "node.id": str(node), "directory.id": new_id()}
        meta.write_text(with_ids(meta.read_text(encoding="utf-8"), ids), encoding="utf-8")


def with_ids(meta: str, ids: dict[str, str]) -> str:
    """Return a meta.properties text with its ids replaced by those in `ids`."""
    for key, value in ids.items():
        meta = re.sub(rf"^{re.escape(key)}=.*$", f"{key}={value}", meta, flags=re.MULTILINE)
    return meta


def log_dirs(count: int) -> list[str]:
    """Return the names of a broker's `count` log directories, in its folder."""
    return [DATA, *(f"{DATA}-{number}" for number in range(2, count + 1))]


def log_dirs_in(folder: Path) -> list[Path]:
    """Return the log directories in a node's folder; the first one need not exist."""
    return [folder / DATA, *sorted(folder.glob(f"{DATA}-*/"))]


def make_templates(cold: Distribution, scratch: Path, words: Sequence[str] = ()) -> None:
    """Run StorageTool, with additional `words`, to format one node of each role in `cold.formats`.

    Raises InsyncError if StorageTool fails.
    """
    cluster = new_id()
    tools: dict[Path, subprocess.Popen[bytes]] = {}
    try:
        for node, role in enumerate(ROLES, 1):  # the copies change ports and ids
            properties, log = scratch / f"{role}.properties", scratch / f"format-{role}.log"
            text = smallest({role: 9092 + node}, cold.formats / role, 9093, node)
            properties.write_text(text, encoding="utf-8")
            command = cold.command(
                SHORT_LIVED, "kafka.tools.StorageTool",
                "format", "--cluster-id", cluster, "--config", str(properties),
                *words,
            )  # fmt: skip
            tools[log] = process.start(command, log=log, folder=scratch)
        for log, tool in tools.items():
            if tool.wait(_WITHIN_S) != 0:
                message = process.complaint(log)
                raise InsyncError(f"kafka {cold.version}: StorageTool failed: {message}")
    except subprocess.TimeoutExpired:
        raise InsyncError(
            f"kafka {cold.version}: StorageTool not done in {_WITHIN_S:.0f} s"
        ) from None
    finally:
        process.kill(tuple(tools.values()))


def smallest(roles: Mapping[str, int], folder: Path, voter: int, node: int = 1) -> str:
    """Return the smallest settings of a node in `folder`, with the port for each of its roles.

    `voter` is the port of the controller, node 1.
    """
    listeners = (f"{_LISTENERS[role]}://{LOOPBACK}:{port}" for role, port in roles.items())
    return f"""process.roles={",".join(roles)}
node.id={node}
controller.quorum.voters=1@{LOOPBACK}:{voter}
listeners={",".join(listeners)}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs={folder / DATA}
metadata.log.dir={folder / METADATA}
"""
