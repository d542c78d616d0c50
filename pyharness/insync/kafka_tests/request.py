"""What `insync kafka-tests` is asked to do, checked before its first file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from insync.artifacts import AGENT_JAR, KAFKA_TESTS_JAR, LAB_JAR, built
from insync.brokers.kafka import builds
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.resolve import class_path
from insync.brokers.kafka.versions import Release, known, numbers
from insync.errors import InputError
from insync.kafka_tests.arms import ABSENT, WITH_AGENT
from insync.kafka_tests.classes import TestClass, digest, find_classes, own_jars, pinned_jars
from insync.kafka_tests.jvm import JvmSide
from insync.run.request import DEFAULT_KAFKA, Kafka, Names, UnknownMethods
from insync.run.version_support import arms_of

BASELINE: Final = "baseline"


@dataclass(frozen=True, kw_only=True)
class TestsRequest:
    """What is asked for; None means the default."""

    __test__ = False  # pytest would collect it

    kafka: Kafka = DEFAULT_KAFKA
    arms: Annotated[
        Names,
        "Comma-separated of absent (no agent), off, read, request, step-down, log-start; or all.",
    ] = None
    baseline: Annotated[
        str | None, "A version or build without agent. Default: the released version."
    ] = None
    test_jars: Annotated[
        Path | None, "Folder with Kafka's test jars and what they need. Default: Maven Central's."
    ] = None
    short: Annotated[bool, "Only some quick classes."] = False
    only: Annotated[
        Names, "Comma-separated names of classes, such as PartitionTest. Default: all."
    ] = None
    at_once: Annotated[int, "--side-by-side", "JVMs to run at the same time."] = 3
    unknown_methods: UnknownMethods = False


@dataclass(frozen=True, kw_only=True)
class TestsPlan:
    __test__ = False  # pytest would collect it

    request: TestsRequest
    candidate: Release
    baseline: Release
    java: Java
    classes: tuple[TestClass, ...]
    sides: tuple[JvmSide, ...]
    """The baseline first."""
    asked: Mapping[str, str | None]
    """Digests of all jars."""
    out: Path = Path()


def prepare(request: TestsRequest, tell: Callable[[str], None]) -> TestsPlan:
    """Check the whole request and fetch the jars.

    Raises InsyncError if there are none, and InputError for what the user can fix.
    """
    candidate = builds.find(request.kafka)
    released = ".".join(map(str, numbers(candidate.version)))
    if request.baseline is None and released not in known():
        raise InputError(
            f"--baseline: Kafka {released} is none of {', '.join(known())}, expected a version or a"
            " build to compare with"
        )
    baseline = builds.find(request.baseline or released)
    chosen = _arms(request, candidate, baseline)
    java = find_java()
    runner = built(KAFKA_TESTS_JAR)
    own = request.test_jars
    tests = own_jars(own) if own else pinned_jars(released, tell)
    classes = find_classes(candidate.version, tests, short=request.short, only=request.only)
    before = class_path(baseline, tell)
    after = class_path(candidate, tell)
    sides = [JvmSide(name=BASELINE, java=java.binary, jars=(*before, *tests, runner))]
    sides += [
        JvmSide(
            name=arm, java=java.binary, jars=(*after, *tests, runner),
            agent=arm != ABSENT, unknown_methods=request.unknown_methods,
        )
        for arm in chosen
    ]  # fmt: skip
    agent = digest([built(AGENT_JAR), built(LAB_JAR)]) if set(chosen) - {ABSENT} else None
    return TestsPlan(
        request=request, candidate=candidate, baseline=baseline, java=java, classes=classes,
        sides=tuple(sides),
        asked={
            "candidate": digest(after), "baseline": digest(before), "tests": digest(tests),
            "runner": digest([runner]), "agent": agent,
        },
    )  # fmt: skip


def _arms(request: TestsRequest, candidate: Release, baseline: Release) -> tuple[str, ...]:
    """Return the arms to run; `absent` of the baseline itself is the baseline."""
    supported = arms_of(request.kafka)
    can = [ABSENT, *(name for name, arm in WITH_AGENT.items() if arm in supported)]
    for name in request.arms or ():
        if name not in can:
            raise InputError(f"--arms {name}: Kafka {candidate.version} has only {', '.join(can)}")
    itself = candidate == baseline
    return tuple(dict.fromkeys(arm for arm in request.arms or can if arm != ABSENT or not itself))
