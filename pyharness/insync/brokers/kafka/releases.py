"""Find any release of Kafka by its number: a pinned one, or one whose jars Maven resolves.

What Maven resolved is recorded in the cache, in the form of the pinned lists: each jar with its
SHA-256, which later fetches must have. They come from Maven Central, or a mirror of it.
"""

import http.client
import os
import re
import shutil
import sys
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import zip_longest
from pathlib import Path
from typing import IO, Final
from xml.etree import ElementTree

from insync.brokers.kafka import cache as caches
from insync.brokers.kafka import pin, versions
from insync.brokers.kafka.versions import Jar, Release, known, numbers
from insync.errors import InputError

OLDEST: Final = (2, 0)
_LINE: Final = re.compile(r"\d+\.\d+")


def exact(version: str) -> str:
    """Return the newest patch release of a version of two numbers, and any other as it is."""
    if not _LINE.fullmatch(version):
        return version
    try:
        found = published()
    except InputError:
        found = known()  # without a network: the newest that is pinned
    line = numbers(version)
    return max((each for each in found if numbers(each)[:2] == line), key=numbers, default=version)


@cache
def find(version: str) -> Release:
    """Return a release; raises InputError for an unknown number, with the nearest that exists.

    The first time that one is named which is not pinned, Maven resolves its jars.
    """
    version = exact(version)
    if version in known():
        return versions.pinned(version)
    record = caches.root() / "kafka" / version / f"{version}.toml"
    if not record.is_file():
        _check(version)
        with caches.locked(record):
            if not record.is_file():
                _record(record, version)
    return versions.read(record.read_text(encoding="utf-8"))


def recorded() -> list[str]:
    """Return the releases whose jars are known here: pinned ones, and those in the cache."""
    found = (each.stem for each in (caches.root() / "kafka").glob("*/*.toml"))
    return sorted({*known(), *found}, key=numbers)


@cache
def published() -> Sequence[str]:
    """Return the releases that can be run; raises InputError if the repository does not answer."""
    found = released("org.apache.kafka", "kafka-clients")
    releases = (each for each in found if pin.VERSION.fullmatch(each) and numbers(each) >= OLDEST)
    return sorted({*known(), *releases}, key=numbers)


def _check(version: str) -> None:
    """Raise InputError for a version that is not a release."""
    expected = f"kafka: unknown version '{version}', expected one of {', '.join(known())}"
    if not re.fullmatch(r"[\d.]+", version):
        raise InputError(f"{expected}, another release, or the path of a folder of jars")
    found = published()
    if version not in found:
        near = min(found, key=lambda each: _apart(each, version))
        raise InputError(
            f"{expected}, another release from 2.0.0 on (the nearest is {near}),"
            " or the path of a folder of jars"
        )


def _apart(one: str, other: str) -> list[int]:
    return [abs(a - b) for a, b in zip_longest(numbers(one), numbers(other), fillvalue=0)]


def _record(record: Path, version: str) -> None:
    try:
        record.parent.mkdir(parents=True, exist_ok=True)
        pin.pin(version, record.parent, tell=lambda line: print(line, file=sys.stderr))
    except InputError as error:
        raise InputError(
            f"kafka: {version} is not one of the tested releases ({', '.join(known())}), so its"
            f" jars have to be resolved: {error}"
        ) from None


CENTRAL: Final = "https://repo1.maven.org/maven2"
VARIABLE: Final = "INSYNC_MAVEN"
"""Names a mirror: its address."""
_SCHEMES: Final = ("https://", "http://", "file://")
_PARALLEL: Final = 4
_ANSWER_WITHIN_S: Final = 60.0


def fetch(jars: Sequence[Jar], libs: Path) -> None:
    """Download `jars` into the folder `libs`; raises InputError if one cannot be fetched."""
    with ThreadPoolExecutor(_PARALLEL) as threads:
        list(threads.map(partial(_download, repository(), libs), jars))


def repository() -> str:
    own = os.environ.get(VARIABLE) or CENTRAL
    if not own.startswith(_SCHEMES):
        raise InputError(f"{VARIABLE}: {own}, expected an address such as {CENTRAL}")
    return own.rstrip("/")


def released(group: str, name: str) -> list[str]:
    """Return all versions of a module; raises InputError without an answer."""
    source = "/".join([repository(), group.replace(".", "/"), name, "maven-metadata.xml"])
    try:
        with _opened(source) as answer:
            listed = ElementTree.parse(answer)  # noqa: S314  # of the repository that jars come from
    except (OSError, http.client.HTTPException, ElementTree.ParseError) as error:
        raise InputError(f"kafka: no list of releases: {source}: {error}") from error
    return [version.text or "" for version in listed.iter("version")]


def _download(root: str, libs: Path, jar: Jar) -> None:
    group, name, revision, *_ = jar.parts
    source = "/".join([root, group.replace(".", "/"), name, revision, jar.file_name])
    try:
        with _opened(source) as answer, (libs / jar.file_name).open("wb") as file:
            shutil.copyfileobj(answer, file)
    except (OSError, http.client.HTTPException) as error:
        raise InputError(f"kafka: cannot fetch {source}: {error}") from error


def _opened(source: str) -> IO[bytes]:
    opened: IO[bytes] = urllib.request.urlopen(source, timeout=_ANSWER_WITHIN_S)  # noqa: S310  # _SCHEMES
    return opened
