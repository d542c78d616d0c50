"""Level tests: Kafka's own test classes on the candidate, compared test by test with the baseline.

The baseline's results are kept in the user's cache, so its tests run once per build and Java.
"""

from dataclasses import replace
from typing import Final

from insync.engine.campaign import Place
from insync.kafka_tests import arms
from insync.kafka_tests.request import BASELINE, TestsRequest, prepare
from insync.kafka_tests.run import run as run_tests
from insync.outcome import Outcome
from insync.result import Result
from insync.verify.level import Side, Verification

NAME: Final = "tests"


def run(what: Verification, place: Place) -> Result:
    """Run the classes that have no results yet, on both sides, and judge every class."""
    tell = place.progress.phase
    request = TestsRequest(
        kafka=what.candidate.kafka, baseline=what.baseline.kafka, arms=(arm_of(what.candidate),),
        unknown_methods=what.request.unknown_methods,
    )  # fmt: skip
    return of_level(run_tests(replace(prepare(request, tell), out=place.folder / NAME), tell))


def arm_of(candidate: Side) -> str:
    """Return the arm of Kafka's tests for a candidate: its own, if the tests can have it."""
    if candidate.agent is None:
        return arms.ABSENT
    return candidate.arm if candidate.arm in arms.WITH_AGENT else "off"


def of_level(found: Result) -> Result:
    """Return the checks of the candidate's arm, and why the baseline is incomplete, if it is."""
    own = [each for part in found.children if part.of != BASELINE for each in part.children]
    base = found.child(BASELINE)
    lacks = [each for each in (base.children if base else ()) if each.outcome != Outcome.PASS]
    return Result(of=NAME, children=(*lacks, *map(_linked, own)), tables=found.tables)


def _linked(check: Result) -> Result:
    links = {words: f"{NAME}/{path}" for words, path in check.links.items()}
    return check.model_copy(update={"links": links})
