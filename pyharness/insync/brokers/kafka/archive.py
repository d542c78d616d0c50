"""Dump the AppCDS archive of the classes that a node loads, by starting and stopping a node."""

import os
import signal
import subprocess
import time
from pathlib import Path

from insync.brokers.kafka import formats, process, zookeeper
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.jvm import node_flags
from insync.brokers.kafka.ports import LOOPBACK, free_ports
from insync.brokers.kafka.versions import Release
from insync.errors import InsyncError

_WITHIN_S = 60.0
_POLL_S = 0.05


def dump(cold: Distribution, archive: Path, scratch: Path) -> None:
    """Write the file `archive`, using the folder `scratch`; raises InsyncError if that fails."""
    port, other_port = free_ports(2)
    settings = scratch / "server.properties"
    text = sample_settings(cold.release, scratch, port, other_port)
    settings.write_text(text, encoding="utf-8")
    if cold.release.zookeeper:
        server = _start_zookeeper(cold, scratch, other_port)
        try:
            _dump(cold, settings, archive)
        finally:
            process.kill([server])
    else:
        formats.copy(cold.formats / "controller", scratch, node=1, cluster=formats.new_id())
        _dump(cold, settings, archive)


def sample_settings(release: Release, folder: Path, port: int, other_port: int) -> str:
    """Return the settings of the node that is started: broker 1 at `port`, its data in `folder`.

    `other_port` is the port of its own controller, or of its ZooKeeper.
    """
    if release.zookeeper:
        return f"""broker.id=1
zookeeper.connect={LOOPBACK}:{other_port}
listeners=PLAINTEXT://{LOOPBACK}:{port}
log.dirs={folder / formats.DATA}
"""
    return f"""process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{LOOPBACK}:{other_port}
listeners=PLAINTEXT://{LOOPBACK}:{port},CONTROLLER://{LOOPBACK}:{other_port}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs={folder / formats.DATA}
metadata.log.dir={folder / formats.METADATA}
"""


def started(release: Release) -> str:
    """Return the log text that says that the node has started."""
    return "[KafkaServer id=1] started" if release.zookeeper else "Kafka Server started"


def _start_zookeeper(cold: Distribution, scratch: Path, port: int) -> "subprocess.Popen[bytes]":
    file = scratch / "zookeeper.properties"
    settings = zookeeper.settings(scratch / formats.METADATA, port)
    file.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    command = cold.command([*zookeeper.FLAGS, *node_flags(scratch)], zookeeper.MAIN, str(file))
    log = scratch / "zookeeper.log"
    return process.start(command, log=log, folder=scratch, environment=os.environ)


def _dump(cold: Distribution, settings: Path, archive: Path) -> None:
    """Start a node and stop it as soon as it has started; its JVM writes the archive on exit."""
    scratch = settings.parent
    log = scratch / "node.log"
    flags = [*node_flags(scratch), f"-XX:ArchiveClassesAtExit={archive}"]
    command = cold.command(flags, "kafka.Kafka", str(settings))
    node = process.start(command, log=log, folder=scratch, environment=os.environ)
    try:
        _await_started(node, log, started(cold.release))
        node.send_signal(signal.SIGTERM)
        node.wait(_WITHIN_S)
    except subprocess.TimeoutExpired:
        raise InsyncError(f"no archive within {_WITHIN_S:g} s") from None
    finally:
        process.kill([node])
    if not archive.is_file():
        raise InsyncError(f"the JVM wrote no archive: {process.complaint(log)}")


def _await_started(node: "subprocess.Popen[bytes]", log: Path, says: str) -> None:
    """Wait until the log says that the node has started; it has no clients, so that is enough."""
    until = time.monotonic() + _WITHIN_S
    while says not in log.read_text(encoding="utf-8", errors="replace"):
        if node.poll() is not None or time.monotonic() > until:
            raise InsyncError(f"a node did not start: {process.complaint(log)}")
        time.sleep(_POLL_S)
