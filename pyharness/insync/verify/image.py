"""Copy Kafka's jars out of an image, so that its build runs as local processes do.

What is judged are the jars; the image's own start script, JVM flags and base are not.
"""

import shutil
import tarfile
from contextlib import closing
from pathlib import Path, PurePosixPath
from typing import Any, Final

import docker
from docker.errors import ImageNotFound, NotFound

from insync.brokers.docker.engine import client, container, docker_errors, packed
from insync.brokers.kafka import cache
from insync.errors import InputError

FOLDERS: Final = (
    "/opt/kafka/libs",  # apache/kafka, Strimzi, insync
    "/usr/share/java/kafka",  # Confluent
    "/opt/bitnami/kafka/libs",
    "/kafka/libs",
)
"""Where images have Kafka's jars, if no CLASSPATH names the folder."""


def jars_of(name: str) -> Path:
    """Return a folder of the cache with the jars of an image; it is made once per image.

    Raises InputError without an engine or the image, and for an image without Kafka's jars.
    """
    with closing(client()) as engine, docker_errors(f"--image {name}"):
        try:
            image = engine.images.get(name)
        except ImageNotFound:
            raise InputError(
                f"--image {name}: no such image here, expected one that `docker images` lists"
            ) from None
        digest = str(image.id).removeprefix("sha256:")[:16]
        folder = cache.root() / "kafka" / "images" / digest
        if not folder.is_dir():
            with cache.locked(folder), cache.atomic_folder(folder) as made:
                _copy(engine, image, name, made)
        return folder


def _copy(engine: docker.DockerClient, image: Any, name: str, made: Path) -> None:
    places = [*_class_path(image.attrs), *FOLDERS]
    with container(engine, image.id, ["true"]) as unpacked:
        for place in dict.fromkeys(places):
            try:
                with packed(unpacked, place) as content:
                    if _unpack(content, made):
                        return
            except NotFound:
                continue
    raise InputError(
        f"--image {name}: no jars in {', '.join(dict.fromkeys(places))}, expected Kafka's jars"
    )


def _class_path(attributes: dict[str, Any]) -> list[str]:
    """Return the folders of the class path that an image sets, if any."""
    variables = (attributes.get("Config") or {}).get("Env") or ()
    path = next((each[10:] for each in variables if each.startswith("CLASSPATH=")), "")
    entries = [PurePosixPath(each) for each in path.split(":") if each.startswith("/")]
    return [str(each.parent if each.name.endswith(("*", ".jar")) else each) for each in entries]


def _unpack(content: tarfile.TarFile, made: Path) -> bool:
    """Copy the jars of an archive by their names alone; return whether there were any.

    A link to a jar in the same folder, as Confluent's images have, is followed.
    """
    jars = [each for each in content if each.name.endswith(".jar")]
    for member in jars:
        try:
            source = content.extractfile(member)
        except KeyError:  # a link out of the folder
            continue
        if source is not None:
            with source, (made / Path(member.name).name).open("wb") as target:
                shutil.copyfileobj(source, target)
    return any(made.iterdir())
