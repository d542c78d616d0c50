"""Containers that are made to look into an image, and removed at once."""

import tarfile
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import docker

_IN_MEMORY: Final = 8 << 20


@contextmanager
def container(
    client: docker.DockerClient, image: str, command: Sequence[str], **options: Any
) -> Iterator[Any]:
    """Yield a container without a network, which is not started; remove it at the end."""
    made = client.containers.create(image, entrypoint=list(command), network_mode="none", **options)
    try:
        yield made
    finally:
        made.remove(force=True)


@contextmanager
def packed(container: Any, folder: str) -> Iterator[tarfile.TarFile]:
    """Yield a folder of a container as a tar file; raises docker's NotFound if there is none."""
    stream, _ = container.get_archive(folder)
    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
        for chunk in stream:
            file.write(chunk)
        file.seek(0)
        with tarfile.open(fileobj=file, mode="r:") as content:
            yield content
