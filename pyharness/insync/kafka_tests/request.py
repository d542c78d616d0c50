"""What `insync kafka-tests` is asked to do, checked before its first file."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from insync.artifacts import AGENT_JAR, KAFKA_TESTS_JAR, LAB_JAR, built
from insync.brokers.kafka import builds
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.versions import Release, known, numbers
from insync.errors import InputError
from insync.events.writer import write_atomic
from insync.kafka_tests import arms as test_arms
from insync.kafka_tests import jars
from insync.kafka_tests.classes import TestClass, find_classes
from insync.kafka_tests.jvm import Side
from insync.run.plan import check_out
from insync.run.version_support import arms_of

ASKED: Final = "asked.json"
BASELINE: Final = "baseline"
_MOST_SIDE_BY_SIDE: Final = 16


@dataclass(frozen=True, kw_only=True)
class TestsRequest:
    """What is asked for.

    Attributes:
        kafka: the candidate: a version, or the path of an own build.
        baseline: what it is compared with; None: the released version of the candidate.
        arms: None: all that the candidate can have.
        test_jars: a folder of the user's with the test jars; None: those of Maven Central.
        out: a new or empty folder, or with `resume` that of an earlier run; None: a new one.
        short: only the short level.
        only: names of classes without their packages; None: all.
        side_by_side: how many JVMs run at the same time.
        allow_unknown_methods: whether the agent weaves methods that no known build has.

    """

    __test__ = False  # pytest would collect it

    kafka: str
    baseline: str | None = None
    arms: tuple[str, ...] | None = None
    test_jars: Path | None = None
    out: Path | None = None
    resume: bool = False
    short: bool = False
    only: tuple[str, ...] | None = None
    side_by_side: int = 3
    allow_unknown_methods: bool = False


@dataclass(frozen=True, kw_only=True)
class TestsPlan:
    """A run that can begin."""

    __test__ = False  # pytest would collect it

    request: TestsRequest
    candidate: Release
    baseline: Release
    out: Path
    java: Java
    classes: tuple[TestClass, ...]
    arms: tuple[str, ...]
    sides: tuple[Side, ...]
    """The baseline first."""
    digests: tuple[str, str]
    """Of the baseline's jars, and of the tests'."""


def prepare(request: TestsRequest, tell: Callable[[str], None]) -> TestsPlan:
    """Check the whole request and fetch the jars.

    Raises NoTestJarsError if there are none, and InputError for what the user can fix. Writes only
    the output folder's record of what was asked.
    """
    if not 1 <= request.side_by_side <= _MOST_SIDE_BY_SIDE:
        raise InputError(
            f"--side-by-side {request.side_by_side}: expected 1 to {_MOST_SIDE_BY_SIDE}"
        )
    candidate = builds.find(request.kafka)
    released = ".".join(map(str, numbers(candidate.version)))
    baseline = _baseline(request, released)
    chosen = _arms(request, candidate, baseline)
    out = _out(request)
    java = find_java()
    runner = built(KAFKA_TESTS_JAR)
    own = request.test_jars
    tests = jars.own_jars(own) if own else jars.pinned_jars(released, tell)
    classes = find_classes(candidate.version, tests, short=request.short, only=request.only)
    before = jars.released_jars(baseline, tell)
    after = jars.released_jars(candidate, tell)
    digests = (jars.digest(before), jars.digest(tests))
    sides = [Side(name=BASELINE, java=java.binary, jars=(*before, *tests, runner))]
    sides += [_side(arm, request, java, (*after, *tests, runner)) for arm in chosen]
    _same(out, request, {
        "candidate": jars.digest(after), "baseline": digests[0], "tests": digests[1],
        "runner": jars.digest([runner]), "java": java.description,
        "agent": jars.digest([built(AGENT_JAR), built(LAB_JAR)])
        if set(chosen) - {test_arms.ABSENT} else None,
    })  # fmt: skip
    return TestsPlan(
        request=request, candidate=candidate, baseline=baseline, out=out, java=java,
        classes=classes, arms=chosen, sides=tuple(sides), digests=digests,
    )  # fmt: skip


def _baseline(request: TestsRequest, released: str) -> Release:
    """Return what the candidate is compared with, by default the release that it was made from."""
    if request.baseline is None and released not in known():
        raise InputError(
            f"--baseline: Kafka {released} is none of {', '.join(known())}, expected a version or a"
            " build to compare with"
        )
    return builds.find(request.baseline or released)


def _arms(request: TestsRequest, candidate: Release, baseline: Release) -> tuple[str, ...]:
    """Return the arms to run; `absent` of the baseline itself is the baseline."""
    for name in request.arms or ():
        if name not in test_arms.NAMES:
            raise InputError(f"--arms {name}: expected one of {', '.join(test_arms.NAMES)}")
    supported = arms_of(request.kafka)
    can = [name for name, arm in test_arms.WITH_AGENT.items() if arm.as_arm in supported]
    for name in request.arms or ():
        if name not in (*can, test_arms.ABSENT):
            raise InputError(
                f"--arms {name}: Kafka {candidate.version} has only"
                f" {', '.join((test_arms.ABSENT, *can))}"
            )
    chosen = request.arms or (test_arms.ABSENT, *can)
    itself = candidate == baseline
    return tuple(dict.fromkeys(arm for arm in chosen if arm != test_arms.ABSENT or not itself))


def _side(arm: str, request: TestsRequest, java: Java, path: tuple[Path, ...]) -> Side:
    if arm == test_arms.ABSENT:
        return Side(name=arm, java=java.binary, jars=path)
    spec, agent = test_arms.WITH_AGENT[arm], built(AGENT_JAR)
    allow = request.allow_unknown_methods
    return Side(
        name=arm, java=java.binary, jars=path,
        agent=lambda folder: spec.flag(agent, folder, allow_unknown=allow),
    )  # fmt: skip


def _out(request: TestsRequest) -> Path:
    given = request.out
    if request.resume:
        if given is None or not (given / ASKED).is_file():
            raise InputError(
                f"--out {given or 'is missing'}: expected the folder of an earlier run to resume"
            )
        return given.absolute()
    return check_out(given or Path("insync-runs") / f"kafka-tests-{time.strftime('%Y%m%d-%H%M%S')}")


def _same(out: Path, request: TestsRequest, asked: dict[str, Any]) -> None:
    """Record what is asked; a resumed run must be of the same jars, JVM and level."""
    file = out / ASKED
    if request.resume:
        then = json.loads(file.read_text(encoding="utf-8"))
        for name, now in asked.items():
            # An earlier run without the agent says nothing of which one.
            if then.get(name) not in (now, None) and now is not None:
                raise InputError(
                    f"--resume {out}: its {name}: {then[name]}, now {now}; expected the same, or"
                    " a new folder"
                )
        asked = {name: now if now is not None else then.get(name) for name, now in asked.items()}
    out.mkdir(parents=True, exist_ok=True)
    write_atomic(file, json.dumps(asked, indent=2) + "\n")
