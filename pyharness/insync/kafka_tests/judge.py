"""Compare arms with the baseline, test by test; judge them by that and by what the agent told."""

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final, Literal

from insync.kafka_tests import arms, results
from insync.kafka_tests.classes import TestClass
from insync.kafka_tests.jvm import OUTPUT, JvmSide
from insync.kafka_tests.request import TestsPlan
from insync.kafka_tests.results import NOT_RUN, PASSED, ClassResult, TestResult
from insync.outcome import Outcome
from insync.result import Result

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
        return not self.arms or arm in self.arms

    def fits(self, test: str, outcomes: Sequence[str], detail: str) -> bool:
        same = self.test == test and set(outcomes) == {self.outcome}
        return same and re.search(self.says, detail) is not None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A test that did not end as in the baseline the first time.

    A flaky one ended as in the baseline again; a known one has a `reason`. `test` is CLASS.METHOD,
    `id` is JUnit's, `name` the class. `baseline` and `outcomes` are how it ended there and in the
    arm, first and again; `detail` is the stack trace of what did not pass, or why it was skipped.
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
        ends = (each.tests.get(id_) for each in (*arm, *baseline))
        detail = next((end.detail.strip() for end in ends if end and end.outcome != PASSED), "")
        reason = next((each.reason for each in known if each.fits(test, after, detail)), "")
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


_MS: Final = 1000.0
_OUTCOMES: Final = {"flaky": Outcome.OBSERVED, "known": Outcome.OBSERVED, "different": Outcome.FAIL}
Findings = Mapping[str, Sequence[Difference]]
"""From an arm's name to its differences."""


def compare_all(plan: TestsPlan) -> Findings:
    """Compare every class that both sides have; a part of a class is not a baseline."""
    first = plan.sides[0]
    found: dict[str, list[Difference]] = {}
    for side in plan.sides[1:]:
        found[side.name] = []
        known = [each for each in known_differences() if each.applies(side.name)]
        for each in plan.classes:
            before, after = (_all(plan, one, each) for one in (first, side))
            if before and before[0].is_whole and after:
                found[side.name] += compare(each.name, before, after, known)
    return found


def _all(plan: TestsPlan, side: JvmSide, each: TestClass) -> list[ClassResult]:
    """Return a class's results, then those of the tests that were run again; [] without any."""
    folder = plan.out / side.name
    places = (folder, *sorted(folder.glob(results.AGAIN.format("*"))))
    files = (results.file_of(place, each.name) for place in places)
    return [results.read_class(file) for file in files if file.is_file()]


def judge(plan: TestsPlan, findings: Findings, cut: Mapping[str, Sequence[str]]) -> Result:
    """Judge every arm beside the baseline; `cut` says per side why JVMs ended early."""
    ran = {
        side.name: {each.name: all_[0] for each in plan.classes if (all_ := _all(plan, side, each))}
        for side in plan.sides
    }
    first, *others = plan.sides
    stock = _stock(plan, ran[first.name], cut.get(first.name, ()))
    children = [Result(of=first.name, children=tuple(stock))]
    if not others:
        children.append(Result(of="arms", found="no arm to compare with the baseline"))
    for side in others:
        checks = _arm(plan, side, ran, findings[side.name], cut.get(side.name, ()))
        children.append(Result(of=side.name, children=tuple(checks)))
    return Result(
        of=f"Kafka {plan.candidate.name}",
        children=tuple(children),
        facts={
            "CPU seconds": ", ".join(
                f"{side} {sum(each.cpu_ms for each in found.values()) / _MS:.0f}"
                for side, found in ran.items()
            )
        },
    )


def _stock(
    plan: TestsPlan, found: Mapping[str, ClassResult], cut: Sequence[str]
) -> Iterator[Result]:
    """Yield what the baseline lacks: a class is missing, or not whole; or that it is complete."""
    missing = [each.simple for each in plan.classes if each.name not in found]
    problems = [f"not run: {', '.join(missing)}", *dict.fromkeys(cut)] if missing else []
    problems += [
        f"{name}: {result.cut or 'no test'}"
        for name, result in found.items()
        if not result.is_whole
    ]
    for problem in problems:
        yield Result(of="classes", expected="the baseline is complete", found=problem)
    if not problems:
        tests = sum(each.size for each in found.values())
        yield Result(of="classes", expected="the baseline is complete", outcome=Outcome.PASS,
                     found=f"{len(found)} classes, {tests} tests")  # fmt: skip


def _arm(
    plan: TestsPlan,
    side: JvmSide,
    ran: Mapping[str, Mapping[str, ClassResult]],
    found: Sequence[Difference],
    cut: Sequence[str],
) -> Iterator[Result]:
    own, base = ran[side.name], ran[plan.sides[0].name]
    missing = [each.simple for each in plan.classes if each.name not in own]
    if missing:
        why = "; ".join((f"not run: {', '.join(missing)}", *dict.fromkeys(cut)))
        yield Result(of="classes", expected="every class is run", found=why)
        return
    for name, result in own.items():
        yield _class(
            side, name, result, base.get(name), [each for each in found if each.name == name]
        )
    if side.agent:
        folder = plan.out / side.name
        problems = arms.problems(
            side.name,
            sorted(folder.rglob(arms.EVENTS)),
            sorted(folder.rglob(OUTPUT)),
            [result.agent for result in own.values() if not result.cut],
            brokers=any(each.brokers for each in plan.classes),
        )
        acted = "the agent acts as the arm says, without an error"
        for problem in problems:
            yield Result(of="agent", expected=acted, found=problem, outcome=Outcome.FAIL)
        if not problems:
            yield Result(of="agent", expected=acted, outcome=Outcome.PASS)


def _class(
    side: JvmSide,
    name: str,
    result: ClassResult,
    base: ClassResult | None,
    found: Sequence[Difference],
) -> Result:
    """Return the check of a class; with children, if a test ended otherwise the first time."""
    passed = Result(
        of=name.rpartition(".")[2],
        expected="every test ends as in the baseline",
        baseline=_counts(base),
        found=_counts(result),
        outcome=Outcome.PASS if base and base.is_whole else Outcome.UNKNOWN,
        seconds=result.ms / _MS,
        links={"results": results.file_of(Path(side.name), name).as_posix()},
    )
    if not found:
        return passed
    others = passed.model_copy(update={"of": "other tests"})
    return Result(
        of=passed.of, seconds=passed.seconds, links=passed.links,
        children=(others, *map(_test, found)),
    )  # fmt: skip


def _counts(result: ClassResult | None) -> str:
    if result is None:
        return ""
    ends = Counter(each.outcome for each in result.tests.values())
    passed = f"{ends.pop(PASSED, 0)} of {result.size} passed"
    return ", ".join([passed, *(f"{count} {end}" for end, count in sorted(ends.items()))])


def _test(each: Difference) -> Result:
    ended = f"{each.outcomes[0]}{''.join(f', then {again}' for again in each.outcomes[1:])}"
    why = each.reason or each.detail.partition("\n")[0]
    return Result(
        of=each.test.rpartition(".")[2],
        expected="ends as in the baseline",
        baseline=", then ".join(each.baseline),
        found=": ".join(filter(None, (f"{each.kind}, {ended}", why))),
        outcome=_OUTCOMES[each.kind],
    )
