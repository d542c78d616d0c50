"""List the Kafka versions this project can run and the pinned jars of each (dists/*.toml)."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from insync.closest import did_you_mean
from insync.errors import InputError

DEFAULT = "4.3.1"


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
    def file_name(self) -> str:
        """The file's name in the cache; unique within a release."""
        beside = f"-{self.classifier}" if self.classifier else ""
        return f"{self.name}-{self.revision}{beside}.jar"


@dataclass(frozen=True)
class Release:
    """A Kafka version: its jars, sorted by file name, and its special properties.

    If `zookeeper` is true its brokers need ZooKeeper; otherwise they need a KRaft controller.
    `elr` says whether new clusters keep eligible leader replicas (KIP-966), which can then be
    turned off.
    """

    version: str
    jars: tuple[Jar, ...]
    zookeeper: bool = False
    elr: bool = False


def known() -> tuple[str, ...]:
    """Return all versions, oldest first."""
    names = [entry.name for entry in files(__package__).joinpath("dists").iterdir()]
    versions = (name.removesuffix(".toml") for name in names if name.endswith(".toml"))
    return tuple(sorted(versions, key=numbers))


def numbers(version: str) -> tuple[int, ...]:
    """Return the numbers of a version, by which versions are compared."""
    return tuple(int(part) for part in version.split("."))


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
