"""What each patch consists of: hunks for Kafka's files, new files and tests."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parents[1]
ROOT: Final = HERE.parents[1]
BUILD: Final = ROOT / "build" / "upstream-patch"
DISTRIBUTION: Final = ROOT / "pyharness" / "insync" / "brokers" / "kafka" / "dists" / "4.3.1.toml"
HEADER: Final = (HERE / "header.txt").read_text(encoding="utf-8")
PATCHES: Final = ("kip-501", "kafka-7104", "self-fencing")
"""The patches, each of which is applied to what the ones before it made."""
_MODULES: Final = {
    "core/src/main/scala/": "kafka_2.13",
    "server/src/main/java/": "kafka-server",
}
"""Source folders of Kafka's repository, and the artifact that is made from each."""
TEST_SOURCES: Final = "/src/test/"
"""What the path of a test class has in it."""
_TARGET: Final = re.compile(r"^\+\+\+ b/(\S+)$", re.MULTILINE)


class PatchError(Exception):
    """A patch cannot be built; the message is one line: what, where, what was expected."""


@dataclass(frozen=True)
class Hunks:
    """The changes of one file.

    Attributes:
        file: the diff without context.
        path: the changed file's path in Kafka's repository.

    """

    file: Path
    path: str


def kafka_version() -> str:
    """Return the version of Kafka that the patches are for."""
    return str(_pins()["kafka"])


def pins() -> dict[str, str]:
    """Return the SHA-256 of every jar that the build reads, by file name."""
    released = tomllib.loads(DISTRIBUTION.read_text(encoding="utf-8"))["jars"]
    names = {"-".join(jar["id"].split(":")[1:]) + ".jar": jar["sha256"] for jar in released}
    return {**names, **_pins()["sha256"]}


def _pins() -> dict[str, dict[str, str]]:
    return tomllib.loads((HERE / "pins.toml").read_text(encoding="utf-8"))


def up_to(last: str) -> tuple[str, ...]:
    """Return a patch and those that it builds on, in order; raises PatchError if unknown."""
    if last not in PATCHES:
        raise PatchError(f"{last!r}: expected one of {', '.join(PATCHES)}")
    return PATCHES[: PATCHES.index(last) + 1]


def hunks(patch: str) -> list[Hunks]:
    """Return a patch's changes of files that are there before it, Kafka's or an earlier patch's.

    Raises PatchError if one is not a diff of a file.
    """
    found = []
    for file in sorted((HERE / patch / "hunks").glob("*.diff")):
        targets = _TARGET.findall(file.read_text(encoding="utf-8"))
        if len(targets) != 1:
            raise PatchError(f"{file}: changes {len(targets)} files, expected one")
        found.append(Hunks(file, targets[0]))
    return found


def new_files(patch: str) -> dict[str, str]:
    """Return the files that Kafka does not have, by their path in its repository."""
    return _files(HERE / patch / "new")


def test_files(patch: str) -> dict[str, str]:
    """Return a patch's own test classes, by their path in Kafka's repository."""
    return _files(HERE / patch / "tests")


def _files(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): HEADER + file.read_text(encoding="utf-8")
        for file in sorted(folder.rglob("*.*"))
        if file.suffix in (".java", ".scala")
    }


def artifact_of(path: str) -> tuple[str, str]:
    """Return the artifact that a file of Kafka's repository goes into, and its path there."""
    for folder, artifact in _MODULES.items():
        if path.startswith(folder):
            return artifact, path.removeprefix(folder)
    raise PatchError(f"{path}: expected a file in one of {', '.join(_MODULES)}")
