"""Provide the jars of Kafka's tests: pinned and cached as the brokers' jars are, or the user's."""

import hashlib
import tomllib
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path

from insync.brokers.kafka import cache, versions
from insync.brokers.kafka.resolve import cached_jars
from insync.brokers.kafka.versions import Release, jar
from insync.errors import InputError


class NoTestJarsError(InputError):
    """There are no pinned test jars for a version of Kafka."""


def pinned() -> tuple[str, ...]:
    """Return the versions whose test jars are pinned, oldest first."""
    names = [entry.name for entry in files(__package__).joinpath("pins").iterdir()]
    found = (name.removesuffix(".toml") for name in names if name.endswith(".toml"))
    return tuple(sorted(found, key=versions.numbers))


def released_jars(release: Release, tell: Callable[[str], None]) -> tuple[Path, ...]:
    """Return a build's own jars; those of a released version are fetched first if missing."""
    libs = cache.root() / "kafka" / release.name / "libs"
    return release.files or cached_jars(release, libs, tell)


def pinned_jars(version: str, tell: Callable[[str], None]) -> tuple[Path, ...]:
    """Return the jars of a version's tests, and the libraries that these need.

    Raises NoTestJarsError if none are pinned for the version, and InputError as a broker's jars do.
    """
    if version not in pinned():
        raise NoTestJarsError(
            f"test jars: none known for Kafka {version}, expected one of {', '.join(pinned())}, or"
            " --test-jars with a folder of them"
        )
    text = files(__package__).joinpath("pins", f"{version}.toml").read_text(encoding="utf-8")
    jars = tuple(jar(entry["id"], entry["sha256"]) for entry in tomllib.loads(text)["jars"])
    tests = Release(version=f"{version}'s tests", jars=jars)
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
    """Return a digest of the names and contents of jars."""
    whole = hashlib.sha256()
    for each in jars:
        whole.update(f"{each.name}\0".encode())
        with each.open("rb") as content:
            whole.update(hashlib.file_digest(content, "sha256").digest())
    return whole.hexdigest()
