"""Make a base image from this host's Java, the libraries it needs, and busybox.

This needs no registry, and containers run the same Java as local clusters.
"""

import io
import tarfile
import tempfile
from pathlib import Path
from typing import IO

import docker
from docker.errors import APIError, ImageNotFound

from insync.brokers.images import host_files, recipe
from insync.brokers.kafka.java import Java
from insync.errors import InsyncError

REPOSITORY = "insync-base"
_CHUNK = 1 << 20
_TEXTS = {
    "etc/passwd": "root:x:0:0:root:/root:/bin/sh\n",
    "etc/group": "root:x:0:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}


def tag(java: Java) -> str:
    """Return the name of the base made from `java`."""
    return f"{REPOSITORY}:jre{java.version}"


def ensure(client: docker.DockerClient, java: Java) -> None:
    """Make the base of `java`, unless one exists that was made from the same files.

    Raises InputError when the host lacks a tool, InsyncError when the engine refuses the image.
    """
    files = host_files.collect(java)
    settings = [
        f"ENV PATH={host_files.JRE}/bin:/bin",
        f"ENV JAVA_HOME={host_files.JRE}",
        f'LABEL insync.jre="{java.description}"',
    ]
    made_of = host_files.fingerprint(files, *settings, *_TEXTS.values())
    if _recipe(client, tag(java)) == made_of:
        return
    settings.append(f"LABEL {recipe.LABEL}={made_of}")
    with tempfile.TemporaryFile() as archive:
        _pack(files, archive)
        archive.seek(0)
        output = _import(client, tag(java), archive, settings)
    if _recipe(client, tag(java)) != made_of:
        raise InsyncError(f"image {tag(java)}: not built: {output}")


def _import(client: docker.DockerClient, name: str, archive: IO[bytes], settings: list[str]) -> str:
    """Send the tar file of the root folder to the engine; return its answer."""
    repository, _, version = name.partition(":")
    # docker-py declares a chunked body but leaves the chunking to its caller.
    chunks = iter(lambda: archive.read(_CHUNK), b"")
    try:
        output: str = client.api.import_image_from_stream(
            chunks, repository=repository, tag=version, changes=settings
        )
    except APIError as error:
        raise InsyncError(f"image {name}: not built: {error.explanation or error}") from error
    return output


def _recipe(client: docker.DockerClient, name: str) -> str | None:
    try:
        found: str | None = client.images.get(name).labels.get(recipe.LABEL)
    except ImageNotFound:
        return None
    return found


def _pack(files: dict[Path, Path], archive: IO[bytes]) -> None:
    """Write the tar file of the root folder.

    Modification times are kept because the JVM compares those of its own files.
    """
    with tarfile.open(fileobj=archive, mode="w", dereference=True) as tar:
        temporary = tarfile.TarInfo("tmp")
        temporary.type, temporary.mode = tarfile.DIRTYPE, 0o1777
        tar.addfile(temporary)
        for name, text in _TEXTS.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            tar.addfile(entry, io.BytesIO(text.encode()))
        for at, file in sorted(files.items()):
            tar.add(file, arcname=str(at).lstrip("/"), filter=_as_root)
        for applet in host_files.applets():
            link = tarfile.TarInfo(f"bin/{applet}")
            link.type, link.linkname = tarfile.SYMTYPE, host_files.BUSYBOX.name
            tar.addfile(link)


def _as_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mode |= 0o444 | (0o111 if entry.mode & 0o100 else 0)
    return entry
