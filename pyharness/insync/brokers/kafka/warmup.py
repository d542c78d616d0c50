"""Prepare a Kafka version once per Java, so that its nodes start quickly.

This makes the format of a new KRaft node, and an AppCDS archive of the classes that a node
loads, which halves the time of its start. The archive is valid only for the Java and the jars
it was dumped with, so its folder's name contains a digest of both.
"""

import hashlib
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from insync.brokers.kafka import cache, formats, process
from insync.brokers.kafka.distribution import Distribution, node_flags
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.ports import LOOPBACK, free_ports
from insync.brokers.kafka.versions import Release
from insync.errors import InsyncError

_FORMATS = "formats"
_ARCHIVE = "classes.jsa"


def warm(
    release: Release, jars: tuple[Path, ...], java: Java, folder: Path, tell: Callable[[str], None]
) -> Distribution:
    """Return `release` with its formats and, if this Java can dump one, its archive in `folder`.

    Raises InsyncError when StorageTool fails; a failed dump is only reported.
    """

    def prepare(made: Path) -> None:
        tell(f"kafka {release.version}: preparing its quick start, once per Java")
        cold = Distribution(release, java, jars, made / _FORMATS, cds=None)
        with TemporaryDirectory(dir=made, ignore_cleanup_errors=True) as scratch:
            if not release.zookeeper:
                formats.make_templates(cold, Path(scratch))
            try:
                dump(cold, made / _ARCHIVE, Path(scratch))
            except (InsyncError, OSError) as error:
                (made / _ARCHIVE).unlink(missing_ok=True)
                tell(f"warning: no quick start for kafka {cold.version}: {error}")

    ready = cache.filled(folder / f"warm-{fingerprint(jars, java)}", prepare)
    archive = ready / _ARCHIVE
    return Distribution(
        release, java, jars, ready / _FORMATS, archive if archive.is_file() else None
    )


def without_elr(dist: Distribution) -> Path:
    """Return formatted nodes with eligible leader replicas turned off; the default has them on.

    They are made once and stay in the cache. Raises InsyncError when StorageTool fails.
    """

    def make(made: Path) -> None:
        with TemporaryDirectory(dir=made, ignore_cleanup_errors=True) as scratch:
            words = ("--feature", "eligible.leader.replicas.version=0")
            formats.make_templates(replace(dist, formats=made), Path(scratch), words)

    return cache.filled(dist.formats.with_name("formats-without-elr"), make)


def fingerprint(jars: Sequence[Path], java: Java) -> str:
    """Return a digest of what an archive depends on: the Java; each jar's path, size, time.

    The JVM checks the same facts and silently ignores an archive that does not match.
    """
    digest = hashlib.sha256(f"{java.home}\0{java.description}".encode())
    for jar in jars:
        facts = jar.stat()
        digest.update(f"\0{jar}\0{facts.st_size}\0{facts.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


_WITHIN_S = 60.0
_POLL_S = 0.05


def dump(cold: Distribution, archive: Path, scratch: Path) -> None:
    """Write the file `archive`, using the folder `scratch`; raises InsyncError if that fails."""
    port, other_port = free_ports(2)
    settings = scratch / "server.properties"
    text = sample_settings(cold.release, scratch, port, other_port)
    settings.write_text(text, encoding="utf-8")
    with ExitStack() as ending:
        if cold.release.zookeeper:
            file = scratch / "zookeeper.properties"
            lines = zookeeper_settings(scratch / formats.METADATA, other_port).items()
            file.write_text("".join(f"{key}={value}\n" for key, value in lines))
            flags = [*ZOOKEEPER_FLAGS, *node_flags(scratch)]
            command = cold.command(flags, ZOOKEEPER_MAIN, str(file))
            server = process.start(command, log=scratch / "zookeeper.log", folder=scratch)
            ending.callback(process.kill, [server])
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
    roles = {"broker": port, "controller": other_port}
    return formats.smallest(roles, folder, other_port)


def started(release: Release) -> str:
    """Return the log text that says that the node has started."""
    return "[KafkaServer id=1] started" if release.zookeeper else "Kafka Server started"


def _dump(cold: Distribution, settings: Path, archive: Path) -> None:
    """Start a node and stop it as soon as it has started; its JVM writes the archive on exit."""
    scratch = settings.parent
    log = scratch / "node.log"
    flags = [*node_flags(scratch), f"-XX:ArchiveClassesAtExit={archive}"]
    command = cold.command(flags, "kafka.Kafka", str(settings))
    node = process.start(command, log=log, folder=scratch)
    # It has no clients, so it is enough that its log says that it has started.
    until, says = time.monotonic() + _WITHIN_S, started(cold.release)
    try:
        while says not in log.read_text(encoding="utf-8", errors="replace"):
            if node.poll() is not None or time.monotonic() > until:
                raise InsyncError(f"a node did not start: {process.complaint(log)}")
            time.sleep(_POLL_S)
        node.send_signal(signal.SIGTERM)
        node.wait(_WITHIN_S)
    except subprocess.TimeoutExpired:
        raise InsyncError(f"no archive within {_WITHIN_S:g} s") from None
    finally:
        process.kill([node])
    if not archive.is_file():
        raise InsyncError(f"the JVM wrote no archive: {process.complaint(log)}")


ZOOKEEPER_MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain"
ZOOKEEPER_FLAGS = (
    # No fsync: the kernel keeps what was written when the process is killed, which is enough.
    "-Dzookeeper.forceSync=no",
    # The log grows by this many KiB of zeros at a time; the default is 64 MiB.
    "-Dzookeeper.preAllocSize=1024",
    # Otherwise it looks for log4j 1.
    "-Dzookeeper.jmx.log4j.disable=true",
)


def zookeeper_settings(data: Path, port: int, host: str = LOOPBACK) -> dict[str, str]:
    """Return the configuration of the ZooKeeper of old brokers, whose version is that of its jar.

    `data` is the folder for its log and snapshots. It listens only at this port of this host.
    """
    return {
        "dataDir": str(data),
        "clientPortAddress": host,
        "clientPort": str(port),
        # The precision, in ms, with which sessions expire.
        "tickTime": "500",
        # The default maximum is 20 ticks.
        "maxSessionTimeout": "60000",
        "admin.enableServer": "false",
    }
