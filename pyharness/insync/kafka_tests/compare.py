"""Compare the results of an arm with the baseline's, test by test. Runs nothing."""

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from insync.kafka_tests.results import NOT_RUN, PASSED, ClassResult, TestResult

Kind = Literal["different", "flaky", "known"]


@dataclass(frozen=True)
class Known:
    """A difference of a correct change: how the test ends, what its trace matches, and why."""

    test: str
    outcome: str
    says: str
    reason: str
    arms: tuple[str, ...] = ()

    def applies(self, arm: str) -> bool:
        """Whether it is known in an arm."""
        return not self.arms or arm in self.arms


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A test that did not end as in the baseline the first time.

    Attributes:
        kind: different; flaky: again it ended as in the baseline; or known, with its reason.
        test: CLASS.METHOD, with the number of the invocation if it has one.
        id: JUnit's id of the test.
        name: the class.
        baseline: how it ended there, first and again.
        outcomes: how it ended in the arm, first and again.
        detail: the stack trace, or the reason of a skipped test, of what did not pass.
        reason: why it is known.

    """

    kind: Kind
    test: str
    id: str
    name: str
    baseline: tuple[str, ...]
    outcomes: tuple[str, ...]
    detail: str = ""
    reason: str = ""


def known_differences() -> tuple[Known, ...]:
    """Return those of known.toml."""
    text = files(__package__).joinpath("known.toml").read_text(encoding="utf-8")
    return tuple(Known(**entry) for entry in tomllib.loads(text)["differences"])


def compare(
    name: str,
    baseline: Sequence[ClassResult],
    arm: Sequence[ClassResult],
    known: Iterable[Known] = (),
) -> list[Difference]:
    """Return the tests of a class that ended otherwise than in the baseline.

    Both sides have the results of the class, and then those of the tests that were run again.
    """
    first, second = baseline[0].tests, arm[0].tests
    found = []
    for id_ in sorted(first.keys() | second.keys()):
        either = second.get(id_) or first[id_]
        before, after = _outcomes(either, baseline), _outcomes(either, arm)
        if before[0] == after[0]:
            continue
        test = f"{name}.{either.name}"
        detail = _detail(id_, [*arm, *baseline])
        reason = next((each.reason for each in known if _is(each, test, after, detail)), "")
        kind: Kind = "known" if reason else "flaky" if agree(before, after) else "different"
        found.append(Difference(
            kind=kind, test=test, id=id_, name=name, baseline=before, outcomes=after,
            detail=detail, reason=reason,
        ))  # fmt: skip
    return found


def agree(baseline: Sequence[str], arm: Sequence[str]) -> bool:
    """Whether a test that was run again is as in the baseline, by all of its outcomes.

    A test that passed in the baseline must have passed in the arm, and the other way round.
    """
    if (PASSED in baseline) != (PASSED in arm):
        return False
    return bool(set(baseline) & set(arm))


def _outcomes(test: TestResult, results: Sequence[ClassResult]) -> tuple[str, ...]:
    """Return how a test ended the first time, and each time that it was run again."""
    if test.container:
        # It is written only where it failed, and it runs whenever one of its tests does.
        found = (each.tests.get(test.id) for each in results)
        return tuple(each.outcome if each else PASSED for each in found)
    first = results[0].tests.get(test.id)
    again = (each.tests[test.id].outcome for each in results[1:] if test.id in each.tests)
    return (first.outcome if first else NOT_RUN, *again)


def _detail(id_: str, results: Sequence[ClassResult]) -> str:
    tests = (each.tests.get(id_) for each in results)
    return next((test.detail.strip() for test in tests if test and test.outcome != PASSED), "")


def _is(known: Known, test: str, outcomes: Sequence[str], detail: str) -> bool:
    same = known.test == test and set(outcomes) == {known.outcome}
    return same and re.search(known.says, detail) is not None


def wrong_counts(results: Mapping[str, ClassResult], expected: Mapping[str, int]) -> list[str]:
    """Say in which classes not as many tests ran as this version of Kafka has."""
    return [
        f"{name}: {result.size} tests, expected {expected[name]}"
        for name, result in results.items()
        if name in expected and result.size != expected[name]
    ]
