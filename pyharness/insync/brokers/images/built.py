"""List what a Kafka image contains beside the jars, and find the images that exist.

The labels of an image say what it was made of. An image that this insync would build
differently is stale and is not used.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

import docker
from docker.errors import ImageNotFound

from insync.brokers.docker import engine
from insync.brokers.kafka import warmup, zookeeper
from insync.brokers.kafka.distribution import LOG_CONFIG, node_flags
from insync.brokers.kafka.formats import METADATA
from insync.brokers.kafka.versions import Release
from insync.errors import InputError

REPOSITORY = "insync-kafka"
# Names the HOST:PORT that the health check connects to, and can be set for each container.
_HOME = Path("/opt/kafka")


@dataclass(frozen=True)
class Image:
    """One image; all paths are paths inside it.

    `jars` is the class path, in the order in which the AppCDS archive `cds` was dumped.
    """

    tag: str
    java: Path
    jars: tuple[Path, ...]
    cds: Path

    def command(self, flags: Sequence[str], main: str, *arguments: str) -> list[str]:
        """Return the command that runs the class `main` with `arguments`, using the archive."""
        return self._java([f"-XX:SharedArchiveFile={self.cds}", *flags], main, *arguments)

    def dump_command(self, flags: Sequence[str], main: str, *arguments: str) -> list[str]:
        """Return the same command, but one that writes the archive when the JVM exits."""
        return self._java([f"-XX:ArchiveClassesAtExit={self.cds}", *flags], main, *arguments)

    def _java(self, flags: Sequence[str], main: str, *arguments: str) -> list[str]:
        class_path = ":".join(str(jar) for jar in self.jars)
        return [str(self.java), *flags, "-cp", class_path, main, *arguments]


def tag(version: str) -> str:
    return f"{REPOSITORY}:{version}"


def image_of(release: Release, java: Path) -> Image:
    """Return the image of `release` on a base whose launcher is `java`."""
    jars = tuple(_HOME / "libs" / jar.file_name for jar in release.jars)
    return Image(tag(release.version), java, jars, _HOME / "classes.jsa")


LABEL = "insync.recipe"
# The sample node's folder during the build. No other process there can take its ports.
SAMPLE = Path("/tmp/sample")  # noqa: S108  # a path inside the image
_PORT, _OTHER_PORT = 9092, 9093
_SETTINGS, _ZOOKEEPER = "server.properties", "zookeeper.properties"


@dataclass(frozen=True)
class Base:
    """A base image: its id, its name, its Java's launcher and that Java's full name."""

    id: str
    name: str
    java: Path
    jre: str


def labels(release: Release, base: Base) -> dict[str, str]:
    """Return the labels of the image of `release` on `base`, its recipe's digest among them."""
    return {
        "insync.kafka": release.version,
        "insync.base": base.name,
        "insync.base.id": base.id,
        "insync.java": str(base.java),
        "insync.jre": base.jre,
        LABEL: digest(release, base),
    }


def base_of(labelled: Mapping[str, str]) -> Base | None:
    """Return the base that an image's labels name, if they name one."""
    names = ("insync.base.id", "insync.base", "insync.java", "insync.jre")
    try:
        number, name, java, jre = (labelled[each] for each in names)
    except KeyError:
        return None
    return Base(number, name, Path(java), jre)


def digest(release: Release, base: Base) -> str:
    """Return a digest of everything that the image depends on."""
    jars = [jar.sha256 for jar in release.jars]
    whole = [base.id, str(base.java), jars, texts(image_of(release, base.java), release)]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]


def texts(image: Image, release: Release) -> dict[str, str]:
    """Return the text files of the build context, by name."""
    flags = node_flags(SAMPLE, SAMPLE / LOG_CONFIG.name)
    node = image.dump_command(flags, "kafka.Kafka", str(SAMPLE / _SETTINGS))
    made = {
        "Dockerfile": _shipped("Dockerfile"),
        "health.sh": _shipped("health.sh"),
        "sample/dump.sh": _shipped("dump.sh"),
        f"sample/{LOG_CONFIG.name}": LOG_CONFIG.read_text(encoding="utf-8"),
        "sample/node.args": _arguments(node),
        f"sample/{_SETTINGS}": warmup.sample_settings(release, SAMPLE, _PORT, _OTHER_PORT),
    }
    if release.zookeeper:
        flags = [*zookeeper.FLAGS, *flags]
        server = image.command(flags, zookeeper.MAIN, str(SAMPLE / _ZOOKEEPER))
        settings = zookeeper.settings(SAMPLE / METADATA, _OTHER_PORT)
        made["sample/zookeeper.args"] = _arguments(server)
        made[f"sample/{_ZOOKEEPER}"] = "".join(f"{key}={settings[key]}\n" for key in settings)
    return made


def _arguments(command: list[str]) -> str:
    """Return a java command as the content of an argument file: all words but `java` itself."""
    return "\n".join(command[1:]) + "\n"


@cache
def _shipped(name: str) -> str:
    return files(__package__).joinpath("context", name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Found:
    """An image that exists; `fresh` says whether this insync would build the same one."""

    kafka: str
    tag: str
    id: str
    base: Base | None
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
    base = base_of(image.labels)
    fresh = base is not None and digest(release, base) == image.labels.get(LABEL)
    return Found(release.version, name, image.id, base, image.attrs["Size"], fresh)
