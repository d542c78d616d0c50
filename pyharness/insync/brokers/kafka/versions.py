"""List the Kafka versions this project can run and the pinned jars of each (dists/*.toml)."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path

from insync.closest import did_you_mean
from insync.errors import InputError

DEFAULT = "4.3.1"
KRAFT_SINCE = (3, 3)
"""The first version that runs on KRaft here; brokers of older ones need ZooKeeper."""


@dataclass(frozen=True)
class Jar:
    """One artifact of Maven Central, with the SHA-256 its file must have.

    `classifier` is for a jar beside a module's main one, such as that of its tests.
    """

    org: str
    name: str
    revision: str
    sha256: str
    classifier: str = ""

    @property
    def id(self) -> str:
        """Its coordinates: group:name:version, and the classifier if it has one."""
        beside = f":{self.classifier}" if self.classifier else ""
        return f"{self.org}:{self.name}:{self.revision}{beside}"

    @property
    def file_name(self) -> str:
        """The file's name in the cache; unique within a release."""
        beside = f"-{self.classifier}" if self.classifier else ""
        return f"{self.name}-{self.revision}{beside}.jar"


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
    def name(self) -> str:
        """The name of its results: the version, and the digest of an own build: 4.3.1+1a2b3c4d."""
        return f"{self.version}+{self.build}" if self.build else self.version


def known() -> tuple[str, ...]:
    """Return all versions, oldest first."""
    names = [entry.name for entry in files(__package__).joinpath("dists").iterdir()]
    versions = (name.removesuffix(".toml") for name in names if name.endswith(".toml"))
    return tuple(sorted(versions, key=numbers))


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions are compared: of 4.3.1-rc0 4, 3 and 1."""
    parts = re.split(r"[-+]", version)[0].split(".")
    return tuple(int(part) if part.isdigit() else 0 for part in parts)


@cache
def find(version: str) -> Release:
    """Return the release `version`; raises InputError, listing the known ones, if unknown."""
    if version not in known():
        names = ", ".join(known())
        near = did_you_mean(version, known())
        raise InputError(f"kafka: unknown version '{version}', expected one of {names}{near}")
    text = files(__package__).joinpath("dists", f"{version}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    jars = (jar(entry["id"], entry["sha256"]) for entry in data.pop("jars"))
    return Release(jars=tuple(sorted(jars, key=lambda jar: jar.file_name)), **data)


def jar(coordinates: str, sha256: str) -> Jar:
    """Return the artifact that `group:name:version` or `group:name:version:classifier` names."""
    org, name, revision, *classifier = coordinates.split(":")
    return Jar(org, name, revision, sha256, *classifier)
