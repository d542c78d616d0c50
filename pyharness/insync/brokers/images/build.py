"""Build the image of a Kafka version; the build context goes to the engine as one tar file."""

import io
import tarfile
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import docker
from docker.errors import APIError, ImageNotFound

from insync.brokers.docker.engine import container
from insync.brokers.images import built
from insync.brokers.images.built import Base, Found, image_of
from insync.brokers.kafka import formats, warmup
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import OLDEST, parse_settings
from insync.errors import InputError, InsyncError

_SAMPLE = "sample"
# One fixed time for all files, so that the same jars give the same image everywhere.
_MTIME = 1_500_000_000
_QUOTED = 5


def build(
    client: docker.DockerClient,
    dist: Distribution,
    base: built.Base,
    tell: Callable[[str], None],
    *,
    cached: bool = True,
) -> tuple[Found, bool]:
    """Return the image of `dist` on `base`, and whether it was built now.

    Without `cached` the image is always built again. Raises InsyncError with the output of the
    engine and of the failed step when the build fails.
    """
    before = built.find(client, dist.release)
    if cached and before and before.fresh and before.base and before.base.id == base.id:
        return before, False
    tag = image_of(dist.release, base.java).tag
    with tempfile.TemporaryFile() as context:
        _pack(dist, base, context)
        context.seek(0)
        try:
            answers = client.api.build(
                fileobj=context,
                custom_context=True,
                tag=tag,
                buildargs={
                    "BASE": base.name,
                    "JAVA": str(base.java),
                    "STARTED": warmup.started(dist.release),
                },
                labels=built.labels(dist.release, base),
                # The sample node connects to nothing but itself.
                network_mode="none",
                nocache=not cached,
                rm=True,
                forcerm=True,
                decode=True,
            )
            _follow(answers, tag, tell)
        except APIError as error:
            raise InsyncError(f"image {tag}: {error.explanation or error}") from error
    made = built.find(client, dist.release)
    if made is None:
        raise InsyncError(f"image {tag}: built, but the engine does not list it")
    if before and before.id != made.id:
        # The replaced image has no name any more; a container that still runs on it keeps it.
        with suppress(APIError):
            client.images.remove(before.id)
    return made, True


def _pack(dist: Distribution, base: built.Base, context: IO[bytes]) -> None:
    texts = built.texts(image_of(dist.release, base.java), dist.release)
    with (
        tarfile.open(fileobj=context, mode="w", dereference=True) as tar,
        tempfile.TemporaryDirectory() as scratch,
    ):
        for name, text in texts.items():
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(text.encode()), 0o755 if name.endswith(".sh") else 0o644
            tar.addfile(_plain(entry), io.BytesIO(text.encode()))
        for jar in dist.jars:
            tar.add(jar, arcname=f"libs/{jar.name}", filter=_plain)
        if not dist.release.zookeeper:
            folder = Path(scratch)
            formats.copy(dist.formats / "controller", folder, node=1, cluster=formats.new_id())
            tar.add(folder, arcname=_SAMPLE, filter=_plain)


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
    image = _image(client, name, tell)
    java = parse_settings(_ask(client, image.id, name), f"base {name}")
    if java.version < OLDEST:
        raise InputError(f"base {name}: has Java {java.version}, expected {OLDEST} or newer")
    return Base(image.id, name, java.binary, java.description)


def _image(
    client: docker.DockerClient, name: str, tell: Callable[[str], None]
) -> docker.models.images.Image:
    try:
        return client.images.get(name)
    except ImageNotFound:
        tell(f"base {name}: pulling")
    try:
        # Without a tag docker-py pulls all tags.
        tagged = "@" in name or ":" in name.rpartition("/")[2]
        return client.images.pull(name, tag=None if tagged else "latest")
    except APIError as error:
        raise InputError(f"base {name}: cannot be pulled: {error.explanation or error}") from error


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
