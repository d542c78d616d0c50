"""Judge the arms by their differences and by what the agent told, and write the result."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from insync.events.writer import write_atomic
from insync.kafka_tests import arms, results
from insync.kafka_tests.classes import TestClass, expected_counts
from insync.kafka_tests.compare import Difference, compare, known_differences, wrong_counts
from insync.kafka_tests.junit import junit_xml
from insync.kafka_tests.jvm import OUTPUT, Side
from insync.kafka_tests.request import TestsPlan
from insync.kafka_tests.results import FAILED, PASSED, SKIPPED, ClassResult
from insync.outcome import Outcome, worst

RESULT: Final = "kafka-tests.json"
JUNIT: Final = "junit.xml"
_SCHEMA: Final = 1
_MS: Final = 1000.0

Findings = dict[str, list[Difference]]
"""From an arm's name to its differences."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One class on one side. `flaky`, `known` and `different` count tests that passed or not."""

    arm: str
    name: str
    tests: int
    passed: int
    failed: int
    skipped: int
    flaky: int
    known: int
    different: int
    seconds: float
    cpu_seconds: float
    marks: int | None


@dataclass(frozen=True, kw_only=True)
class Arm:
    """An arm's verdict, and why it is not pass."""

    name: str
    verdict: Outcome
    problems: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class TestsResult:
    """The result of a whole run; the first rows are the baseline's."""

    __test__ = False  # pytest would collect it

    kafka: str
    baseline: str
    short: bool
    java: str
    verdict: Outcome
    reason: str
    arms: tuple[Arm, ...]
    rows: tuple[Row, ...]
    differences: Mapping[str, Sequence[Difference]]
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    def timed(self, seconds: float, cpu_seconds: float) -> "TestsResult":
        """Return the same result with what it cost."""
        return replace(self, seconds=round(seconds, 1), cpu_seconds=round(cpu_seconds, 1))


def compare_all(plan: TestsPlan, rounds: Sequence[str]) -> Findings:
    """Compare every class that both sides have; `rounds` are the folders of repeated tests."""
    first = plan.sides[0]
    found: Findings = {}
    for side in plan.sides[1:]:
        found[side.name] = []
        known = [each for each in known_differences() if each.applies(side.name)]
        for each in plan.classes:
            before, after = (_all(plan, one, each, rounds) for one in (first, side))
            if before and after:
                found[side.name] += compare(each.name, before, after, known)
    return found


def _all(plan: TestsPlan, side: Side, each: TestClass, rounds: Sequence[str]) -> list[ClassResult]:
    """Return a class's results, then those of the tests that were run again; [] without any."""
    folder = plan.out / side.name
    files = [results.file_of(place, each.name) for place in (folder, *(folder / r for r in rounds))]
    if not files[0].is_file():
        return []
    return [results.read_class(file) for file in files if file.is_file()]


def judge(plan: TestsPlan, findings: Findings, cut: Mapping[str, Sequence[str]]) -> TestsResult:
    """Judge every arm; `cut` says per side why JVMs ended early."""
    by_side = {side.name: _read(plan, side) for side in plan.sides}
    first = plan.sides[0].name
    stock = _stock_problems(plan, by_side[first], cut.get(first, ()))
    judged = [_arm(plan, side, by_side, findings[side.name], cut) for side in plan.sides[1:]]
    base = Outcome.UNKNOWN if stock else Outcome.PASS
    # A difference from an incomplete baseline proves nothing.
    word = Outcome.UNKNOWN if stock else worst(arm.verdict for arm in judged)
    return TestsResult(
        kafka=plan.candidate.name,
        baseline=plan.baseline.name,
        short=plan.request.short,
        java=plan.java.description,
        verdict=word,
        reason=_reason(word, stock, judged),
        arms=(Arm(name=first, verdict=base, problems=stock), *judged),
        rows=tuple(
            _row(side, name, result, findings.get(side, []))
            for side, classes in by_side.items()
            for name, result in classes.items()
        ),
        differences=findings,
    )


def _read(plan: TestsPlan, side: Side) -> dict[str, ClassResult]:
    found = {each.name: _all(plan, side, each, ()) for each in plan.classes}
    return {name: all_[0] for name, all_ in found.items() if all_}


def _stock_problems(
    plan: TestsPlan, found: Mapping[str, ClassResult], cut: Sequence[str]
) -> tuple[str, ...]:
    """Return why the baseline proves too little: a class is missing, or not whole."""
    missing = [each.simple for each in plan.classes if each.name not in found]
    problems = [f"not run: {', '.join(missing)}", *cut] if missing else []
    problems += [f"{name}: {result.cut}" for name, result in found.items() if result.cut]
    # Only of a released version, and its own test jars, is the number of tests known.
    if not plan.baseline.build and plan.request.test_jars is None:
        problems += wrong_counts(found, expected_counts(plan.baseline.version))
    return tuple(problems)


def _arm(
    plan: TestsPlan,
    side: Side,
    by_side: Mapping[str, Mapping[str, ClassResult]],
    found: Sequence[Difference],
    cut: Mapping[str, Sequence[str]],
) -> Arm:
    ran = by_side[side.name]
    missing = [each.simple for each in plan.classes if each.name not in ran]
    if missing:
        why = (f"not run: {', '.join(missing)}", *cut.get(side.name, ()))
        return Arm(name=side.name, verdict=Outcome.UNKNOWN, problems=why)
    different = [each for each in found if each.kind == "different"]
    problems = [
        f"{each.test}: {each.baseline[0]} -> {', then '.join(each.outcomes)}" for each in different
    ]
    if side.agent is not None:
        folder = plan.out / side.name
        problems += arms.problems(
            arms.WITH_AGENT[side.name],
            sorted(folder.rglob(arms.EVENTS)),
            sorted(folder.rglob(OUTPUT)),
            [result.agent for result in ran.values() if not result.cut],
            brokers=any(each.brokers for each in plan.classes),
        )
    return Arm(
        name=side.name, verdict=Outcome.FAIL if problems else Outcome.PASS, problems=tuple(problems)
    )


def _reason(word: Outcome, stock: Sequence[str], judged: Sequence[Arm]) -> str:
    names = ", ".join(arm.name for arm in judged)
    if word == Outcome.PASS:
        return f"the same results in {names} as in the baseline"
    if stock:
        return f"baseline: {stock[0]}"
    bad = next((arm for arm in judged if arm.verdict == word), None)
    if bad is not None:
        return f"{bad.name}: {bad.problems[0]}"
    return "no arm to compare with the baseline"


def _row(side: str, name: str, result: ClassResult, found: Sequence[Difference]) -> Row:
    kinds = [each.kind for each in found if each.name == name]
    return Row(
        arm=side,
        name=name,
        tests=result.size,
        passed=result.count(PASSED),
        failed=result.count(FAILED),
        skipped=result.count(SKIPPED),
        flaky=kinds.count("flaky"),
        known=kinds.count("known"),
        different=kinds.count("different"),
        seconds=result.ms / _MS,
        cpu_seconds=result.cpu_ms / _MS,
        marks=None if result.agent is None else result.agent.get("marks_total", 0),
    )


def write(plan: TestsPlan, result: TestsResult) -> None:
    """Write kafka-tests.json and junit.xml into the output folder."""
    text = json.dumps({"schema": _SCHEMA, **asdict(result)}, indent=2)
    ran = {side.name: _read(plan, side) for side in plan.sides[1:]}
    stock = _read(plan, plan.sides[0])
    write_atomic(plan.out / JUNIT, junit_xml(stock, ran, result.differences))
    write_atomic(plan.out / RESULT, text + "\n")
