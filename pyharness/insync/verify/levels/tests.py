"""Level tests: Kafka's own test classes on the candidate, compared test by test with the baseline.

The baseline's results are kept in the user's cache, so its tests run once per build and Java.
"""

from pathlib import Path
from typing import Final

from insync.events.verify_info import CheckRow, LevelInfo
from insync.kafka_tests import arms as test_arms
from insync.kafka_tests.judge import JUNIT, Row, TestsResult
from insync.kafka_tests.request import ASKED, TestsRequest, prepare
from insync.kafka_tests.run import run as run_tests
from insync.outcome import Outcome
from insync.verify.level import Context, Level, result
from insync.verify.sides import Side

NAME: Final = "tests"


def run(candidate: Side, baseline: Side, out: Path, context: Context) -> LevelInfo:
    """Run the classes that have no results yet, on both sides, and judge every class."""
    tell = context.progress.phase
    request = TestsRequest(
        kafka=candidate.kafka, baseline=baseline.kafka, arms=(arm_of(candidate),), out=out,
        resume=(out / ASKED).is_file(), allow_unknown_methods=context.asked.unknown_methods,
    )  # fmt: skip
    found = run_tests(prepare(request, tell), tell)
    links = {"the test results (JUnit)": f"{NAME}/{JUNIT}"}
    return result(NAME, rows_of(found), links=links)


def arm_of(candidate: Side) -> str:
    """Return the arm of Kafka's tests for a candidate: its own, if the tests can have it."""
    if candidate.info.agent is None:
        return test_arms.ABSENT
    return candidate.arm if candidate.arm in test_arms.WITH_AGENT else "off"


def rows_of(found: TestsResult) -> list[CheckRow]:
    """Return a row per class of the candidate, and one per problem of a whole side."""
    base, *arms = found.arms
    before = {row.name: row for row in found.rows if row.arm == base.name}
    rows = [_row(row, before.get(row.name), found) for row in found.rows if row.arm != base.name]
    differing = {
        each.test for of_arm in found.differences.values() for each in of_arm
        if each.kind == "different"
    }  # fmt: skip
    for arm in (base, *arms):
        # What a class's own row says is not said again.
        told = [each for each in arm.problems if each.partition(": ")[0] not in differing]
        outcome: Outcome = Outcome.UNKNOWN if arm is base else arm.verdict
        rows += [
            CheckRow(of=arm.name, check="the classes run as intended", candidate=problem,
                     outcome=outcome, why=problem)
            for problem in told
        ]  # fmt: skip
    return rows


def _row(row: Row, before: Row | None, found: TestsResult) -> CheckRow:
    differing = [
        each.id for each in found.differences.get(row.arm, ())
        if each.name == row.name and each.kind == "different"
    ]  # fmt: skip
    why = "" if not differing else f"other results than the baseline: {', '.join(differing[:3])}"
    notes = [f"{count} {word}" for count, word in ((row.flaky, "flaky"), (row.known, "known"))
             if count]  # fmt: skip
    return CheckRow(
        of=row.name.rpartition(".")[2], check="every test ends as in the baseline",
        baseline="" if before is None else f"{before.passed} of {before.tests}",
        candidate=f"{row.passed} of {row.tests}{f' ({chr(44).join(notes)})' if notes else ''}",
        outcome=Outcome.FAIL if differing else Outcome.PASS, why=why, where=f"{NAME}/{JUNIT}",
    )  # fmt: skip


LEVEL = Level(
    name=NAME,
    says="Kafka's own test classes, test by test",
    place=2,
    run=run,
    long=True,
)
