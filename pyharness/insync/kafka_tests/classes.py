"""Find the jars of Kafka's tests, which classes they have, and which of these share a JVM.

The jars are pinned and cached as the brokers' jars are, or the user's.
"""

import tomllib
import zipfile
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from insync.artifacts import sha256_of
from insync.brokers.kafka import cache, versions
from insync.brokers.kafka.resolve import cached_jars
from insync.brokers.kafka.versions import numbers
from insync.errors import InputError, InsyncError, require_known


@dataclass(frozen=True)
class TestClass:
    """One of Kafka's test classes, as classes.toml describes it."""

    __test__ = False  # pytest would collect it

    name: str
    jvm: str
    short: bool = False
    brokers: bool = False
    since: str = "0"

    @property
    def simple(self) -> str:
        return self.name.rpartition(".")[2]


def listed() -> tuple[TestClass, ...]:
    """Return every class that classes.toml names, in its order."""
    data = tomllib.loads(_text("classes.toml"))
    return tuple(TestClass(**entry) for entry in data["classes"])


def find_classes(
    version: str,
    jars: Sequence[Path],
    *,
    short: bool = False,
    only: Collection[str] | None = None,
) -> tuple[TestClass, ...]:
    """Return the classes to run that the test jars have, all or `only` those with these names.

    Raises InputError if there is none, or none with one of the names.
    """
    inside = {entry for jar in jars for entry in _entries(jar)}
    found = tuple(
        each
        for each in listed()
        if each.name.replace(".", "/") + ".class" in inside
        and numbers(version) >= numbers(each.since)
        and (each.short or not short)
    )
    if not found:
        raise InputError(
            f"test jars: {jars[0].parent if jars else 'none'}: none of Kafka's test classes in"
            f" them, expected the jars kafka_2.13-{version}-test.jar and others"
        )
    names = [each.simple for each in found]
    require_known("--only", only or (), names)
    return tuple(each for each in found if only is None or each.simple in only)


def _entries(jar: Path) -> list[str]:
    try:
        with zipfile.ZipFile(jar) as content:
            return content.namelist()
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"test jars: {jar}: not a readable jar: {error}") from error


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def pinned() -> tuple[str, ...]:
    """Return the versions whose test jars are pinned, oldest first."""
    return versions.listed(Path(__file__).with_name("pins"))


def pinned_jars(version: str, tell: Callable[[str], None]) -> tuple[Path, ...]:
    """Return the jars of a version's tests, and the libraries that these need.

    Raises InsyncError if none are pinned for the version, and InputError as a broker's jars do.
    """
    if version not in pinned():
        raise InsyncError(
            f"unknown: test jars: none known for Kafka {version}, expected one of"
            f" {', '.join(pinned())}, or --test-jars with a folder of them"
        )
    tests = versions.read(_text(f"pins/{version}.toml"), version=f"{version}'s tests")
    return cached_jars(tests, cache.root() / "kafka-tests" / version / "libs", tell)


def own_jars(folder: Path) -> tuple[Path, ...]:
    """Return the jars in a folder of the user's; raises InputError if it has none."""
    try:
        jars = tuple(sorted(folder.absolute().glob("*.jar")))
    except OSError as error:
        raise InputError(f"--test-jars {folder}: {error.strerror}") from error
    if not jars:
        raise InputError(
            f"--test-jars {folder}: no jars in it, expected Kafka's test jars and their libraries"
        )
    return jars


def digest(jars: Sequence[Path]) -> str:
    return versions.digest_of((each.name, sha256_of(each)) for each in jars)
