"""Results of one class, as its JVM wrote them: CLASS.jsonl."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

SUFFIX: Final = ".jsonl"
AGAIN: Final = "again-{}"
"""The folder of the tests that were run again, in that of their side."""
PASSED: Final = "passed"
FAILED: Final = "failed"
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

    @property
    def size(self) -> int:
        """How many tests ran or were skipped."""
        return sum(not test.container for test in self.tests.values())

    @property
    def is_whole(self) -> bool:
        return self.size > 0 and not self.cut


def file_of(folder: Path, name: str) -> Path:
    return folder / f"{name}{SUFFIX}"


def part_of(folder: Path, name: str) -> Path:
    """Return the file that a JVM writes until the class has ended."""
    return folder / f"{name}{SUFFIX}.part"


def read_class(file: Path, why_open: str = "the JVM ended during this test") -> ClassResult:
    """Read the results of a class; a test without an end has failed, for the reason `why_open`.

    Raises ValueError for a file of another form.
    """
    tests: dict[str, TestResult] = {}
    running: dict[str, TestResult] = {}
    end: dict[str, Any] = {}
    for line in file.read_text(encoding="utf-8").splitlines(keepends=True):
        if not line.endswith("\n"):  # a killed JVM may leave half a line
            continue
        try:
            keys = json.loads(line)
            kind = keys.pop("type")
            if kind == "class":
                end = keys
            elif kind == "started":
                running[keys["id"]] = TestResult(outcome=NOT_RUN, **keys)
            else:
                running.pop(keys["id"], None)
                tests[keys["id"]] = TestResult(**keys)
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"{file}: not a line of test results: {line.strip()}") from error
    for id_, test in running.items():
        tests[id_] = replace(test, outcome=FAILED, detail=why_open)
    return ClassResult(tests, **end)


def seal(part: Path, why: str) -> None:
    """Complete the file of a class whose JVM ended, so that it is not run again.

    What ran at that time has failed; what came after it is missing.
    """
    tests = read_class(part, why).tests.values()
    lines = [{"type": "ended", **asdict(test)} for test in tests]
    lines.append({"type": "class", "cut": why})
    part.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    part.replace(part.with_suffix(""))
