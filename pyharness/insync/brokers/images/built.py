"""Find the images that exist, for clusters of containers to start their nodes from.

The labels of an image say what it was made of. An image that this insync would build
differently is stale and is not used.
"""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass

import docker
from docker.errors import ImageNotFound

from insync.brokers.docker import engine
from insync.brokers.images import recipe
from insync.brokers.images.image import Image, image_of, tag
from insync.brokers.kafka.versions import Release
from insync.errors import InputError


@dataclass(frozen=True)
class Found:
    """An image that exists; `fresh` says whether this insync would build the same one."""

    kafka: str
    tag: str
    id: str
    base: recipe.Base | None
    size_bytes: int
    fresh: bool


def require(release: Release) -> Image:
    """Return the image of `release`.

    Raises InputError without an engine, without an image, and for a stale image.
    """
    version = release.version
    with closing(engine.client()) as client:
        found = find(client, release)
    wanted = f"expected it from `insync image build --kafka {version}`"
    if found is None:
        raise InputError(f"image {tag(version)}: not built, {wanted}")
    if found.base is None or not found.fresh:
        raise InputError(
            f"image {tag(version)}: stale, this insync builds a different one, {wanted}"
        )
    return image_of(release, found.base.java)


def find(client: docker.DockerClient, release: Release) -> Found | None:
    """Return the engine's image of `release`, None if it has none."""
    name = tag(release.version)
    try:
        image = client.images.get(name)
    except ImageNotFound:
        return None
    base = _base(image.labels)
    fresh = base is not None and recipe.digest(release, base) == image.labels.get(recipe.LABEL)
    return Found(release.version, name, image.id, base, image.attrs["Size"], fresh)


def _base(labels: Mapping[str, str]) -> recipe.Base | None:
    try:
        return recipe.base_of(labels)
    except KeyError:
        return None
