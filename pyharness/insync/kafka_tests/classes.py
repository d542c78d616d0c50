"""Find which of the test classes a version's test jars have, and which share a JVM."""

import tomllib
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from insync.brokers.kafka.versions import numbers
from insync.errors import InputError, did_you_mean


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
        """Its name without the package."""
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
    for name in only or ():
        if name not in names:
            near = did_you_mean(name, names)
            raise InputError(f"--only {name}: expected one of {', '.join(names)}{near}")
    return tuple(each for each in found if only is None or each.simple in only)


def expected_counts(version: str) -> Mapping[str, int]:
    """Return how many tests each class has in a released version; empty if none were recorded."""
    data: dict[str, dict[str, int]] = tomllib.loads(_text("counts.toml"))
    return data.get(version, {})


def in_jvms(classes: Sequence[TestClass]) -> dict[str, list[TestClass]]:
    """Return the classes by the JVM that runs them, in order."""
    jvms: dict[str, list[TestClass]] = {}
    for each in classes:
        jvms.setdefault(each.jvm, []).append(each)
    return jvms


def _entries(jar: Path) -> list[str]:
    try:
        with zipfile.ZipFile(jar) as content:
            return content.namelist()
    except (zipfile.BadZipFile, OSError) as error:
        raise InputError(f"test jars: {jar}: not a readable jar: {error}") from error


def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
