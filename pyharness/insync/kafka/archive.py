"""The AppCDS archive of the classes that a node loads, dumped by a node that starts and stops."""

import os
import signal
import subprocess
import time
from pathlib import Path

from insync.errors import InsyncError
from insync.kafka import formats, process, zookeeper
from insync.kafka.distribution import Distribution
from insync.kafka.jvm import node_flags
from insync.kafka.ports import LOOPBACK, free_ports

_STARTED_ON_KRAFT = "Kafka Server started"
_STARTED_ON_ZOOKEEPER = "[KafkaServer id=1] started"
_WITHIN_S = 60.0
_POLL_S = 0.05


def dump(cold: Distribution, archive: Path, scratch: Path) -> None:
    """Write the file `archive`, working in the folder `scratch`; InsyncError when it fails."""
    settings = scratch / "server.properties"
    if cold.release.zookeeper:
        port, zookeeper_port = free_ports(2)
        settings.write_text(_on_zookeeper(scratch, port, zookeeper_port), encoding="utf-8")
        server = _start_zookeeper(cold, scratch, zookeeper_port)
        try:
            _dump(cold, settings, archive, _STARTED_ON_ZOOKEEPER)
        finally:
            process.kill([server])
    else:
        formats.copy(cold.formats / "controller", scratch, node=1, cluster=formats.new_id())
        settings.write_text(_combined_node(scratch), encoding="utf-8")
        _dump(cold, settings, archive, _STARTED_ON_KRAFT)


def _combined_node(folder: Path) -> str:
    broker, controller = free_ports(2)
    return f"""process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{LOOPBACK}:{controller}
listeners=PLAINTEXT://{LOOPBACK}:{broker},CONTROLLER://{LOOPBACK}:{controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
controller.listener.names=CONTROLLER
log.dirs={folder / formats.DATA}
metadata.log.dir={folder / formats.METADATA}
"""


def _on_zookeeper(folder: Path, port: int, zookeeper_port: int) -> str:
    return f"""broker.id=1
zookeeper.connect={LOOPBACK}:{zookeeper_port}
listeners=PLAINTEXT://{LOOPBACK}:{port}
log.dirs={folder / formats.DATA}
"""


def _start_zookeeper(cold: Distribution, scratch: Path, port: int) -> "subprocess.Popen[bytes]":
    file = scratch / "zookeeper.properties"
    settings = zookeeper.settings(scratch / formats.METADATA, port)
    file.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    command = cold.command([*zookeeper.FLAGS, *node_flags(scratch)], zookeeper.MAIN, str(file))
    log = scratch / "zookeeper.log"
    return process.start(command, log=log, folder=scratch, environment=os.environ)


def _dump(cold: Distribution, settings: Path, archive: Path, started: str) -> None:
    """Start a node and stop it once it has started; the JVM writes the archive as it exits."""
    scratch = settings.parent
    log = scratch / "node.log"
    flags = [*node_flags(scratch), f"-XX:ArchiveClassesAtExit={archive}"]
    command = cold.command(flags, "kafka.Kafka", str(settings))
    node = process.start(command, log=log, folder=scratch, environment=os.environ)
    try:
        _await_started(node, log, started)
        node.send_signal(signal.SIGTERM)
        node.wait(_WITHIN_S)
    except subprocess.TimeoutExpired:
        raise InsyncError(f"no archive within {_WITHIN_S:g} s") from None
    finally:
        process.kill([node])
    if not archive.is_file():
        raise InsyncError(f"the JVM wrote no archive: {process.complaint(log)}")


def _await_started(node: "subprocess.Popen[bytes]", log: Path, started: str) -> None:
    """Until the log says so: this node serves nobody, so nothing else needs to be true."""
    until = time.monotonic() + _WITHIN_S
    while started not in log.read_text(encoding="utf-8", errors="replace"):
        if node.poll() is not None or time.monotonic() > until:
            raise InsyncError(f"a node did not start: {process.complaint(log)}")
        time.sleep(_POLL_S)
