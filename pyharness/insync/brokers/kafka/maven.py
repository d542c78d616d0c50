"""Fetch pinned jars from a Maven repository: Maven Central, or a mirror of it.

Every jar is pinned with its SHA-256, so nothing has to be resolved.
"""

import http.client
import os
import shutil
import urllib.error
import urllib.request
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from insync.brokers.kafka.versions import Jar
from insync.errors import InputError

CENTRAL: Final = "https://repo1.maven.org/maven2"
VARIABLE: Final = "INSYNC_MAVEN"
"""Names a mirror: its address."""
_SCHEMES: Final = ("https://", "http://", "file://")
_PARALLEL: Final = 4
_ANSWER_WITHIN_S: Final = 60.0


def fetch(jars: Sequence[Jar], libs: Path) -> None:
    """Download `jars` into the folder `libs`; raises InputError if one cannot be fetched."""
    root = repository()
    with ThreadPoolExecutor(_PARALLEL) as threads:
        list(threads.map(partial(_download, root, libs), jars))


def url(root: str, jar: Jar) -> str:
    return "/".join([root, jar.org.replace(".", "/"), jar.name, jar.revision, jar.file_name])


def repository() -> str:
    """Return the repository's address; raises InputError for an invalid one."""
    own = os.environ.get(VARIABLE) or CENTRAL
    if not own.startswith(_SCHEMES):
        raise InputError(f"{VARIABLE}: {own}, expected an address such as {CENTRAL}")
    return own.rstrip("/")


def released(group: str, name: str) -> list[str]:
    """Return all versions of a module; raises InputError without an answer."""
    source = "/".join([repository(), group.replace(".", "/"), name, "maven-metadata.xml"])
    try:
        with urllib.request.urlopen(source, timeout=_ANSWER_WITHIN_S) as answer:  # noqa: S310  # _SCHEMES
            listed = ElementTree.parse(answer)  # noqa: S314  # of the repository that jars come from
    except (OSError, http.client.HTTPException, ElementTree.ParseError) as error:
        raise InputError(f"kafka: no list of releases: {source}: {error}") from error
    return [version.text or "" for version in listed.iter("version")]


def _download(root: str, libs: Path, jar: Jar) -> None:
    source = url(root, jar)
    try:
        with (
            urllib.request.urlopen(source, timeout=_ANSWER_WITHIN_S) as answer,  # noqa: S310  # _SCHEMES
            (libs / jar.file_name).open("wb") as file,
        ):
            shutil.copyfileobj(answer, file)
    except (OSError, urllib.error.URLError, http.client.HTTPException) as error:
        raise InputError(f"kafka: cannot fetch {source}: {error}") from error
