"""Keep the results of the baseline in the user's cache, so that they are made once."""

import hashlib
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from insync.brokers.kafka import cache
from insync.kafka_tests import results
from insync.kafka_tests.results import TestResult

_SCHEMA: Final = "1"
_DIGITS: Final = 16


def folder_of(digests: Sequence[str], java: str) -> Path:
    """Return the cache of the results of some jars on one Java."""
    words = "\0".join((_SCHEMA, *digests, java))
    name = hashlib.sha256(words.encode()).hexdigest()[:_DIGITS]
    return cache.root() / "kafka-tests" / "baselines" / name


def restore(kept: Path, names: Iterable[str], folder: Path) -> list[str]:
    """Copy the classes that `folder` lacks and the cache has; return which."""
    found = []
    for name in names:
        source, target = results.file_of(kept, name), results.file_of(folder, name)
        if source.is_file() and not target.is_file():
            _copy(source, target)
            found.append(name)
    return found


def store(kept: Path, names: Iterable[str], folder: Path) -> None:
    """Copy the classes that ran to their end into the cache."""
    for name in names:
        source, target = results.file_of(folder, name), results.file_of(kept, name)
        if source.is_file() and not target.is_file() and not results.read_class(source).cut:
            _copy(source, target)


def correct(kept: Path, name: str, test: TestResult) -> None:
    """Replace in the cache the result of a test that failed only the first time."""
    file = results.file_of(kept, name)
    if file.is_file():
        results.amend(file, {test.id: test})


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    made = target.with_suffix(".copied")
    shutil.copyfile(source, made)
    made.replace(target)
