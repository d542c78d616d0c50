"""Provide the base image of a Kafka image: the user's own, or one made from this host."""

from collections.abc import Callable

import docker
from docker.errors import APIError, ImageNotFound

from insync.brokers.docker.engine import container
from insync.brokers.images import host_base
from insync.brokers.images.recipe import Base
from insync.brokers.kafka.java import OLDEST, Java, parse_settings
from insync.errors import InputError

_ASK_JAVA = 'exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XshowSettings:properties -version'


def prepare(
    client: docker.DockerClient, wanted: str | None, java: Java, tell: Callable[[str], None]
) -> Base:
    """Return the base `wanted`, pulled if it is missing; None means the base made from this host.

    Raises InputError when the base cannot be pulled, or has no Java that runs Kafka.
    """
    if wanted is None:
        name = host_base.tag(java)
        tell(f"base {name}: from this host's Java")
        host_base.ensure(client, java)
    else:
        name = wanted
        tell(f"base {name}")
    image = image_named(client, name, tell)
    its = java_of(client, image, name)
    return Base(image.id, name, its.binary, its.description)


def java_of(client: docker.DockerClient, image: docker.models.images.Image, name: str) -> Java:
    """Return the Java in a base, by its path there; raises InputError if none runs Kafka."""
    its = parse_settings(_ask(client, image.id, name), f"base {name}")
    if its.version < OLDEST:
        raise InputError(f"base {name}: has Java {its.version}, expected {OLDEST} or newer")
    return its


def image_named(
    client: docker.DockerClient, name: str, tell: Callable[[str], None]
) -> docker.models.images.Image:
    """Return the image of a name, pulled if it is missing; raises InputError if it cannot be."""
    try:
        return client.images.get(name)
    except ImageNotFound:
        tell(f"base {name}: pulling")
    try:
        # Without a tag docker-py pulls all tags.
        return client.images.pull(name, tag=None if _tagged(name) else "latest")
    except APIError as error:
        raise InputError(f"base {name}: cannot be pulled: {error.explanation or error}") from error


def _tagged(name: str) -> bool:
    return "@" in name or ":" in name.rpartition("/")[2]


def _ask(client: docker.DockerClient, image: str, name: str) -> str:
    """Return what the Java in an image prints about itself."""
    with container(client, image, ["sh", "-c", _ASK_JAVA]) as asked:
        try:
            asked.start()
            code = asked.wait()["StatusCode"]
            output: str = asked.logs().decode(errors="replace")
        except APIError as error:
            message = " ".join(str(error.explanation or error).split())
            raise InputError(f"base {name}: has no shell that runs: {message}") from error
    if code != 0:
        raise InputError(f"base {name}: its java does not run: {' '.join(output.split())}")
    return output
