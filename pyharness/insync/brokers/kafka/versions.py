"""List the Kafka versions whose jars are pinned (dists/*.toml): those that the tests run."""

import hashlib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from insync.artifacts import sha256_of

DISTS = Path(__file__).with_name("dists")
DEFAULT = "4.3.1"
KRAFT_SINCE = (3, 3)
"""The first version that runs on KRaft here; brokers of older ones need ZooKeeper."""
ELR_SINCE = (4, 1)
"""The first version whose new clusters keep eligible leader replicas (KIP-966)."""


@dataclass(frozen=True)
class Jar:
    """One artifact of Maven Central, with the SHA-256 its file must have.

    `id` is group:name:version, with a :classifier for a jar beside a module's main one, such as
    that of its tests.
    """

    id: str
    sha256: str

    @property
    def parts(self) -> list[str]:
        return self.id.split(":")

    @property
    def file_name(self) -> str:
        """The file's name in the cache; unique within a release."""
        return f"{'-'.join(self.parts[1:])}.jar"


@dataclass(frozen=True)
class Release:
    """A Kafka version: its jars, sorted by file name, and its special properties.

    If `zookeeper` is true its brokers need ZooKeeper; otherwise they need a KRaft controller.
    `elr` says whether new clusters keep eligible leader replicas (KIP-966), which can then be
    turned off. Of a build of the user's own (`builds.py`), `path` is what they named, `files` are
    its jars, where they are, and `build` is a digest of them.
    """

    version: str
    jars: tuple[Jar, ...]
    zookeeper: bool = False
    elr: bool = False
    path: Path | None = None
    files: tuple[Path, ...] = ()
    build: str = ""

    @property
    def digest(self) -> str:
        own = ((file.name, sha256_of(file)) for file in self.files)
        return digest_of(own if self.files else ((jar.file_name, jar.sha256) for jar in self.jars))

    @property
    def name(self) -> str:
        """The name of its results: the version, and the digest of an own build: 4.3.1+1a2b3c4d."""
        return f"{self.version}+{self.build}" if self.build else self.version


def known() -> tuple[str, ...]:
    return listed(DISTS)


def listed(folder: Path) -> tuple[str, ...]:
    """Return the versions that have a list of pinned jars in a folder, oldest first."""
    return tuple(sorted((each.stem for each in folder.glob("*.toml")), key=numbers))


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions are compared: of 4.3.1-rc0 4, 3 and 1."""
    parts = re.split(r"[-+]", version)[0].split(".")
    return tuple(int(part) if part.isdigit() else 0 for part in parts)


@cache
def pinned(version: str) -> Release:
    return read((DISTS / f"{version}.toml").read_text(encoding="utf-8"))


def read(text: str, **more: str) -> Release:
    """Return the release of a list of pinned jars, with `more` than the list has."""
    data = {**tomllib.loads(text), **more}
    jars = (Jar(**entry) for entry in data.pop("jars"))
    return Release(jars=tuple(sorted(jars, key=lambda jar: jar.file_name)), **data)


def digest_of(files: Iterable[tuple[str, str]]) -> str:
    """Return one SHA-256 of the names and SHA-256s of files, in any order."""
    lines = (f"{name}\0{sha256}\n" for name, sha256 in sorted(files))
    return hashlib.sha256("".join(lines).encode()).hexdigest()
