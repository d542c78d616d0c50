"""What a Kafka version is prepared with, once per Java.

That is the format of a new node, and an AppCDS archive of the classes that a node loads, which
halves its start. The archive fits only the very Java and the very jars it was dumped with, so
their folder is named after both.
"""

import hashlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from insync.errors import InsyncError
from insync.kafka import cache, formats, process
from insync.kafka.distribution import Distribution
from insync.kafka.java import Java
from insync.kafka.jvm import node_flags
from insync.kafka.ports import LOOPBACK, free_ports
from insync.kafka.versions import Release

_FORMATS = "formats"
_ARCHIVE = "classes.jsa"
_STARTED = "Kafka Server started"
_WITHIN_S = 60.0
_POLL_S = 0.05


def warm(
    release: Release, jars: tuple[Path, ...], java: Java, folder: Path, tell: Callable[[str], None]
) -> Distribution:
    """`release` with its formats and, where this Java can dump one, its archive, in `folder`.

    InsyncError when StorageTool fails; a failed dump is only told.
    """
    ready = folder / f"warm-{fingerprint(jars, java)}"
    archive = ready / _ARCHIVE
    if not ready.is_dir():
        with cache.locked(ready):
            if not ready.is_dir():
                tell(f"kafka {release.version}: preparing its quick start, once per Java")
                _prepare(release, jars, java, ready, tell)
    cds = archive if archive.is_file() else None
    return Distribution(release, java, jars, ready / _FORMATS, cds)


def fingerprint(jars: Sequence[Path], java: Java) -> str:
    """Return a digest of what an archive depends on: the Java; each jar's path, size, time.

    The JVM checks the same and silently goes without an archive that does not fit.
    """
    digest = hashlib.sha256(f"{java.home}\0{java.description}".encode())
    for jar in jars:
        facts = jar.stat()
        digest.update(f"\0{jar}\0{facts.st_size}\0{facts.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def _prepare(
    release: Release, jars: tuple[Path, ...], java: Java, ready: Path, tell: Callable[[str], None]
) -> None:
    with cache.made_whole(ready) as made, cache.scratch(ready) as scratch:
        cold = Distribution(release, java, jars, made / _FORMATS, cds=None)
        formats.make_templates(cold, scratch)
        _try_dump(cold, made / _ARCHIVE, scratch, tell)


def _try_dump(
    cold: Distribution, archive: Path, scratch: Path, tell: Callable[[str], None]
) -> None:
    formats.copy(cold.formats / "controller", scratch, node=1, cluster=formats.new_id())
    properties = scratch / "server.properties"
    try:
        properties.write_text(_combined_node(scratch), encoding="utf-8")
        _dump(cold, properties, archive, scratch)
    except (InsyncError, OSError) as error:
        archive.unlink(missing_ok=True)
        tell(f"warning: no quick start for kafka {cold.version}, nodes start slower: {error}")


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


def _dump(cold: Distribution, properties: Path, archive: Path, scratch: Path) -> None:
    """Start a node and stop it once it has started; the JVM writes the archive as it exits."""
    log = scratch / "node.log"
    flags = [*node_flags(scratch), f"-XX:ArchiveClassesAtExit={archive}"]
    command = cold.command(flags, "kafka.Kafka", str(properties))
    node = process.start(command, log=log, folder=scratch, environment=os.environ)
    try:
        _await_started(node, log)
        node.send_signal(signal.SIGTERM)
        node.wait(_WITHIN_S)
    except subprocess.TimeoutExpired:
        raise InsyncError(f"no archive within {_WITHIN_S:g} s") from None
    finally:
        process.kill([node])
    if not archive.is_file():
        raise InsyncError(f"the JVM wrote no archive: {process.complaint(log)}")


def _await_started(node: "subprocess.Popen[bytes]", log: Path) -> None:
    """Until the log says so: this node serves nobody, so nothing else needs to be true."""
    until = time.monotonic() + _WITHIN_S
    while _STARTED not in log.read_text(encoding="utf-8", errors="replace"):
        if node.poll() is not None or time.monotonic() > until:
            raise InsyncError(f"a node did not start: {process.complaint(log)}")
        time.sleep(_POLL_S)
