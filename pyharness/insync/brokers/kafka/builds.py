"""Find the Kafka that a user names: a release by its number, or a build of their own.

An own build is a path: a folder of jars, an unpacked Kafka with its `libs`, or the .tgz of one. Its
version is read from its jars, which are used where they are, in the order of their names, as
Kafka's own start script does.
"""

import re
import shutil
import tarfile
import zipfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from insync.artifacts import sha256_of
from insync.brokers.kafka import cache as caches
from insync.brokers.kafka import releases
from insync.brokers.kafka.versions import ELR_SINCE, KRAFT_SINCE, Release, digest_of, numbers
from insync.errors import InputError

_LIBS: Final = "libs"
_PACKED: Final = (".tgz", ".tar.gz")
_BESIDE: Final = re.compile(r"-(sources|javadoc|scaladoc|test|test-sources|test-fixtures)\.jar$")
"""Jars that Kafka's build makes beside those that run."""
_OF_KAFKA: Final = re.compile(r"kafka(?:_2\.\d+|-[a-z-]+?)-(\d+\.\d+.*)\.jar$")
"""A jar of Kafka's own, and its version."""
_MAIN: Final = "kafka/Kafka.class"
_CLIENTS: Final = "org/apache/kafka/clients/NetworkClient.class"
_REPLICATION: Final = "org/apache/kafka/server/config/ReplicationConfigs.class"
_VERSION: Final = "kafka/kafka-version.properties"


def find(kafka: str) -> Release:
    """Return the release that a version or the path of an own build names; raises InputError."""
    return _own(Path(kafka).absolute()) if is_path(kafka) else releases.find(kafka)


def exact(kafka: str) -> str:
    """Return what `--kafka` names without doubt: of 4.0 its newest patch release."""
    return kafka if is_path(kafka) else releases.exact(kafka)


def is_path(kafka: str) -> bool:
    """Whether this names an own build: a version has no slash, and is not packed."""
    return "/" in kafka or kafka.endswith(_PACKED) or kafka in {".", ".."}


@cache
def _own(path: Path) -> Release:
    jars = _jars(path)
    version = _version(path, jars)
    number = numbers(version)
    return Release(
        version, (), zookeeper=number < KRAFT_SINCE, elr=number >= ELR_SINCE, path=path, files=jars,
        build=digest_of((jar.name, sha256_of(jar)) for jar in jars)[:8],
    )  # fmt: skip


def _jars(path: Path) -> tuple[Path, ...]:
    """Return the jars that run, by name; raises InputError if there are none."""
    folder = _unpacked(path) if path.is_file() else path
    if (folder / _LIBS).is_dir():
        folder /= _LIBS
    try:
        jars = sorted(each for each in folder.glob("*.jar") if not _BESIDE.search(each.name))
    except OSError as error:
        raise InputError(f"kafka: {path}: {error.strerror}") from error
    if not jars:
        raise InputError(
            f"kafka: {path}: has no jars, expected a folder of Kafka's jars, an unpacked Kafka with"
            f" {_LIBS}/, or the .tgz of one"
        )
    return tuple(jars)


def _unpacked(file: Path) -> Path:
    """Return the folder in the cache with the jars of a .tgz; it is made once per content."""

    def fill(made: Path) -> None:
        try:
            with tarfile.open(file) as packed:
                for member in packed:
                    place = Path(member.name)
                    # By their names alone: a path in an archive may lead out of the folder.
                    is_jar = place.suffix == ".jar" and place.parent.name == _LIBS
                    source = packed.extractfile(member) if is_jar else None
                    if source is not None:
                        with source, (made / place.name).open("wb") as target:
                            shutil.copyfileobj(source, target)
        except (tarfile.TarError, EOFError, OSError) as error:
            raise InputError(f"kafka: {file}: not a readable .tgz: {error}") from error

    return caches.filled(caches.root() / "kafka" / "unpacked" / sha256_of(file)[:16], fill)


def _version(path: Path, jars: Sequence[Path]) -> str:
    """Return the one version of Kafka's jars; raises InputError for none, or for several."""
    mains, clients = _with(jars, _MAIN), _with(jars, _CLIENTS)
    for found, what in ((mains, "the broker (class kafka.Kafka)"), (clients, "Kafka's clients")):
        if len(found) != 1:
            seen = ", ".join(jar.name for jar in found) or "none"
            raise InputError(f"kafka: {path}: jars with {what}: {seen}, expected one")
    version = _written_in(clients[0])
    named = {jar.name: match[1] for jar in jars if (match := _OF_KAFKA.match(jar.name))}
    written = {jar.name: _written_in(jar) for jar in _with(jars, _VERSION)}
    both = [*named.items(), *written.items()]
    other = next((name for name, each in both if each != version), None)
    if other is not None:
        raise InputError(
            f"kafka: {path}: mixed versions: {other} beside {clients[0].name} of {version},"
            " expected one version"
        )
    return version


def _with(jars: Sequence[Path], entry: str) -> list[Path]:
    return [jar for jar in jars if _content(jar, entry) is not None]


def _written_in(jar: Path) -> str:
    """Return the version that Kafka's build wrote into a jar; raises InputError if it did not."""
    text = (_content(jar, _VERSION) or b"").decode()
    found = re.search(r"^version=(\d+\.\d+\S*)$", text, re.MULTILINE)
    if found is None:
        raise InputError(f"kafka: {jar}: expected {_VERSION} in it, with a line version=")
    return found[1]


def undefined(release: Release, configs: Iterable[str]) -> str | None:
    """Return the first of some configs that a release's brokers do not define, or None.

    Only an own build can define more than Kafka does. A config's name is a constant of the class
    that defines it.
    """
    text = b"".join(_content(jar, _REPLICATION) or b"" for jar in release.files)
    return next((name for name in configs if name.encode() not in text), None)


def _content(jar: Path, entry: str) -> bytes | None:
    """Return an entry of a jar, None if it has none; raises InputError for what is not a jar."""
    try:
        with zipfile.ZipFile(jar) as content:
            return content.read(entry) if entry in content.NameToInfo else None
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"kafka: {jar}: not a readable jar: {error}") from error
