"""What the patch consists of: hunks for Kafka's files, new files, and the agent's rules.

The rules of plugin-java/core are the same for the agent and for the patch, so they exist once. For
the patch they are moved to packages of Kafka's.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parents[1]
ROOT: Final = HERE.parents[1]
BUILD: Final = ROOT / "build" / "upstream-patch"
CORE: Final = ROOT / "plugin-java" / "core" / "src" / "main" / "java" / "insync" / "core"
DISTRIBUTION: Final = ROOT / "pyharness" / "insync" / "brokers" / "kafka" / "dists" / "4.3.1.toml"
HEADER: Final = (HERE / "header.txt").read_text(encoding="utf-8")

_SERVER: Final = "server/src/main/java/"
_REPLICA: Final = "org.apache.kafka.server.replica"
_PENDING: Final = f"{_REPLICA}.pending"
_STEP_DOWN: Final = f"{_REPLICA}.stepdown"
_MOVED: Final = {
    "insync.core.isr": _PENDING,
    "insync.core.logstart": _REPLICA,
    "insync.core.stepdown.controller": _STEP_DOWN,
    "insync.core.stepdown": _STEP_DOWN,
    "insync.core": _PENDING,
}
"""Packages of the rules, and where the patch has them."""
NOT_MOVED: Final = ("AppendMark.java", "AppendMarks.java", "DisconnectRule.java")
"""Rules of step-downs that the patch lacks: it times no appends, and closes no connections."""
_FILES: Final = (
    *(f"isr/{file.name}" for file in sorted((CORE / "isr").glob("*.java"))),
    *(
        f"stepdown/{file.name}"
        for file in sorted((CORE / "stepdown").glob("*.java"))
        if file.name not in NOT_MOVED
    ),
    "stepdown/controller/RelinquishTag.java",
    "logstart/LogStartRule.java",
    "Clock.java",
    "Millis.java",
)
_MODULES: Final = {
    "core/src/main/scala/": "kafka_2.13",
    _SERVER: "kafka-server",
}
"""Source folders of Kafka's repository, and the artifact that is made from each."""
_TARGET: Final = re.compile(r"^\+\+\+ b/(\S+)$", re.MULTILINE)


class PatchError(Exception):
    """The patch cannot be built; the message is one line: what, where, what was expected."""


@dataclass(frozen=True)
class Hunks:
    """The changes of one of Kafka's files.

    Attributes:
        file: the diff without context.
        path: the changed file's path in Kafka's repository.

    """

    file: Path
    path: str


def kafka_version() -> str:
    """Return the version of Kafka that the patch is for."""
    return str(_pins()["kafka"])


def pins() -> dict[str, str]:
    """Return the SHA-256 of every jar that the build reads, by file name."""
    released = tomllib.loads(DISTRIBUTION.read_text(encoding="utf-8"))["jars"]
    names = {"-".join(jar["id"].split(":")[1:]) + ".jar": jar["sha256"] for jar in released}
    return {**names, **_pins()["sha256"]}


def _pins() -> dict[str, dict[str, str]]:
    return tomllib.loads((HERE / "pins.toml").read_text(encoding="utf-8"))


def hunks() -> list[Hunks]:
    """Return the changes of Kafka's files; raises PatchError if a file is no diff of one file."""
    found = []
    for file in sorted((HERE / "hunks").glob("*.diff")):
        targets = _TARGET.findall(file.read_text(encoding="utf-8"))
        if len(targets) != 1:
            raise PatchError(f"{file}: changes {len(targets)} files, expected one")
        found.append(Hunks(file, targets[0]))
    return found


def new_files() -> dict[str, str]:
    """Return the files that Kafka does not have, by their path in its repository."""
    own = HERE / "new"
    files = {
        str(file.relative_to(own)): HEADER + file.read_text(encoding="utf-8")
        for file in sorted(own.rglob("*.*"))
        if file.suffix in (".java", ".scala")
    }
    for name in _FILES:
        text = (CORE / name).read_text(encoding="utf-8")
        package = _MOVED[_package(text)]
        place = f"{_SERVER}{package.replace('.', '/')}/{Path(name).name}"
        files[place] = HEADER + moved(text)
    return files


def test_files() -> dict[str, str]:
    """Return the patch's own test classes, by their path in Kafka's repository."""
    tests = HERE / "tests"
    return {
        str(file.relative_to(tests)): HEADER + file.read_text(encoding="utf-8")
        for file in sorted(tests.rglob("*.scala"))
    }


def moved(text: str) -> str:
    """Return the source of a rule as it is in Kafka: its package, imports and threads' names."""
    package = _MOVED[_package(text)]
    for ours, kafkas in _MOVED.items():
        text = text.replace(f"package {ours};", f"package {kafkas};")
        text = re.sub(
            rf"^import {re.escape(ours)}\.(?=[A-Z])", f"import {kafkas}.", text, flags=re.M
        )
    text = re.sub(rf"^import {re.escape(package)}\.\w+;\n", "", text, flags=re.M)
    text = re.sub(r"(package \S+;\n\n)\n+", r"\1", text)
    return text.replace('"insync-', '"pending-fetches-')


def _package(text: str) -> str:
    found = re.match(r"package (\S+);", text)
    assert found is not None, text[:80]  # noqa: S101  # our own sources
    return found[1]


def artifact_of(path: str) -> tuple[str, str]:
    """Return the artifact that a file of Kafka's repository goes into, and its path there."""
    for folder, artifact in _MODULES.items():
        if path.startswith(folder):
            return artifact, path.removeprefix(folder)
    raise PatchError(f"{path}: expected a file in one of {', '.join(_MODULES)}")
