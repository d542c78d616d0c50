"""Prepare a Kafka version once per Java, so that its nodes start quickly.

This makes the format of a new KRaft node, and an AppCDS archive of the classes that a node
loads, which halves the time of its start. The archive is valid only for the Java and the jars
it was dumped with, so its folder's name contains a digest of both.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from insync.brokers.kafka import cache, formats
from insync.brokers.kafka.archive import dump
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java
from insync.brokers.kafka.versions import Release
from insync.errors import InsyncError

_FORMATS = "formats"
_WITHOUT_ELR = "formats-without-elr"
_ELR = "eligible.leader.replicas.version"
_ARCHIVE = "classes.jsa"


def warm(
    release: Release, jars: tuple[Path, ...], java: Java, folder: Path, tell: Callable[[str], None]
) -> Distribution:
    """Return `release` with its formats and, if this Java can dump one, its archive in `folder`.

    Raises InsyncError when StorageTool fails; a failed dump is only reported.
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


def without_elr(dist: Distribution) -> Path:
    """Return formatted nodes with eligible leader replicas turned off; the default has them on.

    They are made once and stay in the cache. Raises InsyncError when StorageTool fails.
    """
    ready = dist.formats.with_name(_WITHOUT_ELR)
    if not ready.is_dir():
        with cache.locked(ready):
            if not ready.is_dir():
                with cache.atomic_folder(ready) as made, cache.scratch(ready) as scratch:
                    formats.make_templates(replace(dist, formats=made), scratch, {_ELR: 0})
    return ready


def fingerprint(jars: Sequence[Path], java: Java) -> str:
    """Return a digest of what an archive depends on: the Java; each jar's path, size, time.

    The JVM checks the same facts and silently ignores an archive that does not match.
    """
    digest = hashlib.sha256(f"{java.home}\0{java.description}".encode())
    for jar in jars:
        facts = jar.stat()
        digest.update(f"\0{jar}\0{facts.st_size}\0{facts.st_mtime_ns}".encode())
    return digest.hexdigest()[:16]


def _prepare(
    release: Release, jars: tuple[Path, ...], java: Java, ready: Path, tell: Callable[[str], None]
) -> None:
    with cache.atomic_folder(ready) as made, cache.scratch(ready) as scratch:
        cold = Distribution(release, java, jars, made / _FORMATS, cds=None)
        if not release.zookeeper:
            formats.make_templates(cold, scratch)
        _try_dump(cold, made / _ARCHIVE, scratch, tell)


def _try_dump(
    cold: Distribution, archive: Path, scratch: Path, tell: Callable[[str], None]
) -> None:
    try:
        dump(cold, archive, scratch)
    except (InsyncError, OSError) as error:
        archive.unlink(missing_ok=True)
        tell(f"warning: no quick start for kafka {cold.version}, nodes start slower: {error}")
