"""Build the images of Kafka and a Java, list what is in them beside the jars, and find them.

The labels of an image say what it was made of. An image that this insync would build
differently is stale and is not used. The build context goes to the engine as one tar file.
"""

import hashlib
import io
import json
import tarfile
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

import docker
from docker.errors import APIError, ImageNotFound

from insync.brokers.docker import engine
from insync.brokers.docker.engine import why
from insync.brokers.kafka import formats, warmup
from insync.brokers.kafka.distribution import LOG_CONFIG, Distribution, java_command, node_flags
from insync.brokers.kafka.formats import METADATA
from insync.brokers.kafka.java import OLDEST, parse_settings
from insync.brokers.kafka.versions import Release
from insync.errors import InputError, InsyncError

REPOSITORY = "insync-kafka"
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

    def command(
        self, flags: Sequence[str], main: str, *arguments: str, dumps: bool = False
    ) -> list[str]:
        """Return the command that runs the class `main`, using the archive.

        If it `dumps`, the command writes the archive when the JVM exits.
        """
        archive = "ArchiveClassesAtExit" if dumps else "SharedArchiveFile"
        flags = [f"-XX:{archive}={self.cds}", *flags]
        return [*java_command(self.java, self.jars, flags), main, *arguments]


def tag(version: str) -> str:
    return f"{REPOSITORY}:{version}"


def image_of(release: Release, java: Path) -> Image:
    jars = tuple(_HOME / "libs" / jar.file_name for jar in release.jars)
    return Image(tag(release.version), java, jars, _HOME / "classes.jsa")


LABEL, _BASE = "insync.recipe", "insync.built-on"
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
    named = json.dumps(asdict(base), default=str)
    return {"insync.kafka": release.version, _BASE: named, LABEL: digest(release, base)}


def base_of(labelled: Mapping[str, str]) -> Base | None:
    """Return the base that an image's labels name, if they name one."""
    named = json.loads(labelled.get(_BASE, "null"))
    return None if named is None else Base(**{**named, "java": Path(named["java"])})


def digest(release: Release, base: Base) -> str:
    """Return a digest of everything that the image depends on."""
    jars = [jar.sha256 for jar in release.jars]
    whole = [base.id, str(base.java), jars, texts(image_of(release, base.java), release)]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]


def texts(image: Image, release: Release) -> dict[str, str]:
    """Return the text files of the build context."""
    flags = node_flags(SAMPLE, SAMPLE / LOG_CONFIG.name)
    node = image.command(flags, "kafka.Kafka", str(SAMPLE / _SETTINGS), dumps=True)
    made = {
        "Dockerfile": _shipped("Dockerfile"),
        "health.sh": _shipped("health.sh"),
        "sample/dump.sh": _shipped("dump.sh"),
        f"sample/{LOG_CONFIG.name}": LOG_CONFIG.read_text(encoding="utf-8"),
        "sample/node.args": _arguments(node),
        f"sample/{_SETTINGS}": warmup.sample_settings(release, SAMPLE, _PORT, _OTHER_PORT),
    }
    if release.zookeeper:
        flags = [*warmup.ZOOKEEPER_FLAGS, *flags]
        server = image.command(flags, warmup.ZOOKEEPER_MAIN, str(SAMPLE / _ZOOKEEPER))
        settings = warmup.zookeeper_settings(SAMPLE / METADATA, _OTHER_PORT)
        made["sample/zookeeper.args"] = _arguments(server)
        made[f"sample/{_ZOOKEEPER}"] = "".join(f"{key}={settings[key]}\n" for key in settings)
    return made


def _arguments(command: list[str]) -> str:
    """Return a java command as the content of an argument file: all words but `java` itself."""
    return "\n".join(command[1:]) + "\n"


def _shipped(name: str) -> str:
    return (Path(__file__).with_name("context") / name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class BuiltImage:
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


def find(client: docker.DockerClient, release: Release) -> BuiltImage | None:
    name = tag(release.version)
    try:
        image = client.images.get(name)
    except ImageNotFound:
        return None
    base = base_of(image.labels)
    fresh = base is not None and digest(release, base) == image.labels.get(LABEL)
    return BuiltImage(release.version, name, image.id, base, image.attrs["Size"], fresh)


# One fixed time for all files, so that the same jars give the same image everywhere.
_MTIME = 1_500_000_000
_QUOTED = 5


def build(
    client: docker.DockerClient,
    dist: Distribution,
    base: Base,
    tell: Callable[[str], None],
    *,
    cached: bool = True,
) -> tuple[BuiltImage, bool]:
    """Return the image of `dist` on `base`, and whether it was built now.

    Without `cached` the image is always built again. Raises InsyncError with the output of the
    engine and of the failed step when the build fails.
    """
    before = find(client, dist.release)
    if cached and before and before.fresh and before.base and before.base.id == base.id:
        return before, False
    tag, started = image_of(dist.release, base.java).tag, warmup.started(dist.release)
    with tempfile.TemporaryFile() as context:
        _pack(dist, base, context)
        context.seek(0)
        try:
            answers = client.api.build(
                fileobj=context, custom_context=True, tag=tag, labels=labels(dist.release, base),
                buildargs={"BASE": base.name, "JAVA": str(base.java), "STARTED": started},
                # The sample node connects to nothing but itself.
                network_mode="none", nocache=not cached, rm=True, forcerm=True, decode=True,
            )  # fmt: skip
            _follow(answers, tag, tell)
        except APIError as error:
            raise InsyncError(f"image {tag}: {why(error)}") from error
    made = find(client, dist.release)
    if made is None:
        raise InsyncError(f"image {tag}: built, but the engine does not list it")
    if before and before.id != made.id:
        # The replaced image has no name any more; a container that still runs on it keeps it.
        with suppress(APIError):
            client.images.remove(before.id)
    return made, True


def _pack(dist: Distribution, base: Base, context: IO[bytes]) -> None:
    written = texts(image_of(dist.release, base.java), dist.release)
    with (
        tarfile.open(fileobj=context, mode="w", dereference=True) as tar,
        tempfile.TemporaryDirectory() as scratch,
    ):
        for name, text in written.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(text.encode()), 0o755 if name.endswith(".sh") else 0o644
            tar.addfile(_plain(entry), io.BytesIO(text.encode()))
        for jar in dist.jars:
            tar.add(jar, arcname=f"libs/{jar.name}", filter=_plain)
        if not dist.release.zookeeper:
            folder = Path(scratch)
            formats.copy(dist.formats / "controller", folder, node=1, cluster=formats.new_id())
            tar.add(folder, arcname="sample", filter=_plain)


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Make the entry readable for every user of the container."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = _MTIME
    entry.mode |= 0o755 if entry.isdir() else 0o444
    return entry


def _follow(answers: Iterable[Mapping[str, Any]], tag: str, tell: Callable[[str], None]) -> None:
    """Report each build step as it begins; raises InsyncError when one fails."""
    output: deque[str] = deque(maxlen=_QUOTED)
    for answer in answers:
        if "error" in answer:
            words = " | ".join([*output, str(answer["error"])])
            raise InsyncError(f"image {tag}: build failed: {words}")
        text = str(answer.get("stream", "")).strip()
        if text.startswith("Step "):
            tell(f"image {tag}: {text.partition(' : ')[0].lower()}")
            output.clear()
        elif text:
            output.append(text)


_ASK_JAVA = 'exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XshowSettings:properties -version'


def prepare(client: docker.DockerClient, name: str, tell: Callable[[str], None]) -> Base:
    """Return the base of a name, pulled if it is missing.

    Raises InputError when the base cannot be pulled, or has no Java that runs Kafka.
    """
    tell(f"base {name}")
    try:
        image = client.images.get(name)
    except ImageNotFound:
        tell(f"base {name}: pulling")
        # Without a tag docker-py pulls all tags.
        tagged = "@" in name or ":" in name.rpartition("/")[2]
        try:
            image = client.images.pull(name, tag=None if tagged else "latest")
        except APIError as error:
            raise InputError(f"base {name}: cannot be pulled: {why(error)}") from error
    java = parse_settings(_ask(client, image.id, name), f"base {name}")
    if java.version < OLDEST:
        raise InputError(f"base {name}: has Java {java.version}, expected {OLDEST} or newer")
    return Base(image.id, name, java.binary, java.description)


def _ask(client: docker.DockerClient, image: str, name: str) -> str:
    command = ["sh", "-c", _ASK_JAVA]
    asked = client.containers.create(image, entrypoint=command, network_mode="none")
    try:
        asked.start()
        code = asked.wait()["StatusCode"]
        output: str = asked.logs().decode(errors="replace")
    except APIError as error:
        raise InputError(f"base {name}: has no shell that runs: {why(error)}") from error
    finally:
        asked.remove(force=True)
    if code != 0:
        raise InputError(f"base {name}: its java does not run: {' '.join(output.split())}")
    return output
