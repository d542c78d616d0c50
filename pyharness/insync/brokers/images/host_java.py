"""Provide a Java for a host that has none: that of a base image, copied into the user's cache.

The host needs one to format the nodes' folders, to read their logs, and for Apache Spark.
`find_java` finds the copy.
"""

import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final

import docker

from insync.brokers.docker.engine import container, packed
from insync.brokers.images import base as bases
from insync.brokers.kafka import cache
from insync.brokers.kafka.java import Java, find_java, in_cache, located
from insync.errors import InputError

_COPY: Final = "/insync-java"
_COPY_WITHOUT_LINKS: Final = f'cp -rL "$1" {_COPY} || test -x {_COPY}/bin/java'
"""Links may lead out of the folder, as Debian's do, and some of them to nothing."""


def provide(client: docker.DockerClient, base: str | None, tell: Callable[[str], None]) -> Java:
    """Return this host's Java; if it has none, copy that of the image `base` into the cache.

    Raises InputError for a host without a Java and without `base`, and for a Java that does not run
    on this host.
    """
    if base is None or located() is not None:
        return find_java()
    image = bases.image_named(client, base, tell)
    home = bases.java_of(client, image, base).home
    tell(f"java: this host has none, copying that of {base}")
    folder = in_cache()
    with cache.locked(folder), cache.atomic_folder(folder) as made:
        _copy(client, image.id, home, made)
    try:
        return find_java()
    except InputError as error:
        shutil.rmtree(folder)
        raise InputError(f"base {base}: its Java does not run on this host: {error}") from error


def _copy(client: docker.DockerClient, image: str, home: Path, made: Path) -> None:
    with container(
        client, image, ["sh", "-c", _COPY_WITHOUT_LINKS, "sh", str(home)], user="0"
    ) as copying:
        copying.start()
        if copying.wait()["StatusCode"] != 0:
            said = " ".join(copying.logs().decode(errors="replace").split())
            raise InputError(f"java: {home} of the base cannot be copied: {said}")
        with packed(copying, f"{_COPY}/.") as content:
            for member in content:
                _extract(content, member, made)


def _extract(content: tarfile.TarFile, member: tarfile.TarInfo, made: Path) -> None:
    """Write a folder or a file; there are no links in a copy, and no path may lead out of it."""
    place = PurePosixPath(member.name)
    if place.is_absolute() or ".." in place.parts:
        return
    target = made / place
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
        return
    source = content.extractfile(member)
    if source is not None:
        target.parent.mkdir(parents=True, exist_ok=True)
        with source, target.open("wb") as out:
            shutil.copyfileobj(source, out)
        target.chmod(0o755 if member.mode & 0o100 else 0o644)
