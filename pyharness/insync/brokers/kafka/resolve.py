"""Fetch Kafka's jars into the user's cache once, check them, and use them offline afterwards.

`python -m` this module does so for the versions that it is given, or for the default one.
"""

import sys
from collections.abc import Callable
from pathlib import Path

from insync.artifacts import sha256_of
from insync.brokers.kafka import builds, cache, versions
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.releases import fetch
from insync.brokers.kafka.versions import Jar, Release
from insync.brokers.kafka.warmup import warm
from insync.errors import InputError

Progress = Callable[[str], None]


def distribution(kafka: str, java: Java, progress: Progress | None = None) -> Distribution:
    """Return a Kafka version or an own build, ready to run; `progress` gets a line per slow step.

    Raises InputError for an unknown version, if a jar cannot be fetched or has a wrong checksum,
    if an own build is not one, and if the cache is busy or not writable.
    """
    tell = progress or (lambda _: None)
    release = builds.find(kafka)
    jars = class_path(release, tell)
    return warm(release, jars, java, cache.root() / "kafka" / release.name, tell)


def class_path(release: Release, tell: Progress) -> tuple[Path, ...]:
    """Return the jars of a release or an own build, which is not made ready to run."""
    folder = cache.root() / "kafka" / release.name
    return release.files or cached_jars(release, folder / "libs", tell)


def cached_jars(release: Release, libs: Path, tell: Progress) -> tuple[Path, ...]:
    """Return the class path of `release` in the folder `libs`; fetch missing jars first."""
    if first_bad(release, libs):
        with cache.locked(libs):
            bad = first_bad(release, libs)  # again: another insync may have fetched meanwhile
            if bad is not None:
                if libs.exists():
                    damaged = f"{bad.file_name} in the cache is damaged, fetching again"
                    tell(f"kafka {release.version}: {damaged}")
                _fill(release, libs, tell)
    return tuple(libs / jar.file_name for jar in release.jars)


def first_bad(release: Release, libs: Path) -> Jar | None:
    """Return the first jar in `libs` that is missing or does not match its pinned checksum."""
    for jar in release.jars:
        file = libs / jar.file_name
        if not file.is_file() or sha256_of(file) != jar.sha256:
            return jar
    return None


def _fill(release: Release, libs: Path, tell: Progress) -> None:
    tell(f"kafka {release.version}: fetching {len(release.jars)} jars, once")
    with cache.atomic_folder(libs) as made:
        fetch(release.jars, made)
        bad = first_bad(release, made)
        if bad is not None:
            raise InputError(
                f"kafka {release.version}: fetched {bad.file_name} is not the pinned jar, "
                f"expected SHA-256 {bad.sha256}"
            )


if __name__ == "__main__":
    for each in sys.argv[1:] or [versions.DEFAULT]:
        distribution(each, find_java(), print)
