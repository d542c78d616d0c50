"""Results of one class, as its JVM wrote them: CLASS.jsonl; those of the baseline are cached."""

import hashlib
import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from insync.brokers.kafka import cache

SUFFIX: Final = ".jsonl"
PASSED: Final = "passed"
FAILED: Final = "failed"
SKIPPED: Final = "skipped"
NOT_RUN: Final = "not run"


@dataclass(frozen=True)
class TestResult:
    """How one test ended. Its `id` is JUnit's; `name` and `shown` are for people.

    A `container` of tests, such as the class, is among the results only if it failed itself.
    """

    __test__ = False  # pytest would collect it

    id: str
    name: str
    shown: str
    outcome: str
    ms: int = 0
    detail: str = ""
    container: bool = False


@dataclass(frozen=True)
class ClassResult:
    """The tests of a class by their id, its time, and what the agent did, None without it.

    `cut` says why its JVM ended before the class did.
    """

    tests: Mapping[str, TestResult]
    ms: int = 0
    cpu_ms: int = 0
    agent: dict[str, int] | None = None
    cut: str = ""

    def count(self, outcome: str) -> int:
        """Return how many tests, and containers, ended so."""
        return sum(test.outcome == outcome for test in self.tests.values())

    @property
    def size(self) -> int:
        """How many tests ran or were skipped."""
        return sum(not test.container for test in self.tests.values())


@dataclass
class _Reader:
    tests: dict[str, TestResult] = field(default_factory=dict)
    open: dict[str, TestResult] = field(default_factory=dict)
    end: dict[str, Any] = field(default_factory=dict)

    def line(self, line: dict[str, Any]) -> None:
        kind = line.pop("type")
        if kind == "class":
            self.end = line
        elif kind == "started":
            self.open[line["id"]] = TestResult(outcome=NOT_RUN, **line)
        else:
            self.open.pop(line["id"], None)
            self.tests[line["id"]] = TestResult(**line)


def file_of(folder: Path, name: str) -> Path:
    """Return the file of a class's results in a folder."""
    return folder / f"{name}{SUFFIX}"


def part_of(folder: Path, name: str) -> Path:
    """Return the file that a JVM writes until the class has ended."""
    return folder / f"{name}{SUFFIX}.part"


def read_class(file: Path, why_open: str = "the JVM ended during this test") -> ClassResult:
    """Read the results of a class; a test without an end has failed, for the reason `why_open`.

    Raises ValueError for a file of another form.
    """
    reader = _Reader()
    text = file.read_text(encoding="utf-8")
    for line in text.splitlines(keepends=True):
        if line.endswith("\n"):  # a killed JVM may leave half a line
            try:
                reader.line(json.loads(line))
            except (KeyError, TypeError, json.JSONDecodeError) as error:
                raise ValueError(f"{file}: not a line of test results: {line.strip()}") from error
    for test in reader.open.values():
        reader.tests[test.id] = replace(test, outcome=FAILED, detail=why_open)
    end = reader.end
    return ClassResult(
        reader.tests, end.get("ms", 0), end.get("cpu_ms", 0), end.get("agent"), end.get("cut", "")
    )


def seal(part: Path, why: str) -> None:
    """Complete the file of a class whose JVM ended, so that it is not run again.

    What ran at that time has failed; what came after it is missing.
    """
    result = read_class(part, why)
    _write(part, replace(result, cut=why))
    part.replace(part.with_suffix(""))


def amend(file: Path, tests: Mapping[str, TestResult]) -> None:
    """Replace the results of some tests of a class."""
    result = read_class(file)
    made = file.with_suffix(".amended")
    _write(made, replace(result, tests={**result.tests, **tests}))
    made.replace(file)


def _write(file: Path, result: ClassResult) -> None:
    lines = [{"type": "ended", **asdict(test)} for test in result.tests.values()]
    end = {key: value for key, value in asdict(result).items() if key != "tests"}
    lines.append({"type": "class", **end})
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


_SCHEMA: Final = "1"
_DIGITS: Final = 16


def folder_of(jars: Mapping[str, str | None], java: str) -> Path:
    """Return the cache of the baseline's results with some jars, by their digests, on one Java."""
    words = "\0".join((_SCHEMA, str(jars["baseline"]), str(jars["tests"]), java))
    name = hashlib.sha256(words.encode()).hexdigest()[:_DIGITS]
    return cache.root() / "kafka-tests" / "baselines" / name


def restore(kept: Path, names: Iterable[str], folder: Path) -> list[str]:
    """Copy the classes that `folder` lacks and the cache has; return which."""
    found = []
    for name in names:
        source, target = file_of(kept, name), file_of(folder, name)
        if source.is_file() and not target.is_file():
            _copy(source, target)
            found.append(name)
    return found


def store(kept: Path, names: Iterable[str], folder: Path) -> None:
    """Copy the classes that ran to their end into the cache."""
    for name in names:
        source, target = file_of(folder, name), file_of(kept, name)
        if source.is_file() and not target.is_file() and not read_class(source).cut:
            _copy(source, target)


def correct(kept: Path, name: str, test: TestResult) -> None:
    """Replace in the cache the result of a test that failed only the first time."""
    file = file_of(kept, name)
    if file.is_file():
        amend(file, {test.id: test})


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    made = target.with_suffix(".copied")
    shutil.copyfile(source, made)
    made.replace(target)
