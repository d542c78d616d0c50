"""Judge every case on both sides: the checks of the level faults, and the paired differences."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from insync.engine.scenarios import broken_cells
from insync.errors import InputError, InsyncError
from insync.events.verdict import Cell, read_cells
from insync.fuzz.judge import ArmResult, Broken, judge
from insync.metrics import METRICS
from insync.outcome import Outcome
from insync.past.compare import Compared, Figure, compare, read_side
from insync.past.compare import Side as PastSide
from insync.report.words import link_to
from insync.result import Result
from insync.verify import criteria
from insync.verify.level import Verification
from insync.verify.sides import Side
from insync.verify.under_faults.cases import Case

OF_SEED: Final = "nothing lost, the cluster comes back"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case on a side: its cell, and the matrix that has it.

    `broken` says why it was cut short, if an error did that.
    """

    cell: Cell
    matrix: Path
    broken: Broken | None

    def as_seed(self, case: Case) -> ArmResult:
        """Return the result of a seed, judged as a fuzz judges it."""
        return judge(self.cell, case.scenario.workload.acks, self.broken)

    @property
    def why(self) -> str:
        """Why it is not as expected."""
        return self.cell.reason if self.broken is None else f"cut short: {self.broken['why']}"

    @property
    def links(self) -> dict[str, str]:
        """Its report, relative to the folder of the verification."""
        home = self.matrix.parent.parent
        link = link_to(self.cell)
        return {} if link is None else {"report": (self.matrix.relative_to(home) / link).as_posix()}


Pair = tuple[CaseResult, CaseResult]
"""A case on the baseline and on the candidate."""


def pairs(cases: Sequence[Case], what: Verification, out: Path) -> dict[str, Pair]:
    """Return what was found of every case, by its name; raises InsyncError if nothing was."""
    base, own = (_of_side(out / side.name, side) for side in (what.baseline, what.candidate))
    names = [case.name for case in cases if case.name in base and case.name in own]
    if not names:
        raise InsyncError("no case was recorded on both sides")
    return {name: (base[name], own[name]) for name in names}


def _of_side(matrix: Path, side: Side) -> dict[str, CaseResult]:
    broken = broken_cells(matrix, side.release.name, side.arm)
    return {
        cell.scenario: CaseResult(cell, matrix, broken.get(cell.scenario))
        for cell in read_cells(matrix)
    }


def judge_cases(
    cases: Sequence[Case], found: Mapping[str, Pair], what: Verification
) -> list[Result]:
    """Return the checks of all scenarios and seeds."""
    out: list[Result] = []
    for case in cases:
        if case.name not in found:
            why = "was not recorded on both sides"
            out.append(Result(of=case.name, expected="recorded", found=why))
        elif case.seed is None:
            out += _scenario(case, found[case.name], what)
        else:
            out.append(_seed(case, found[case.name]))
    return [*out, *_enough_seeds(out)]


def _scenario(case: Case, pair: Pair, what: Verification) -> Iterator[Result]:
    base, own = pair
    claims = what.candidate.claims
    if Outcome.SKIPPED in (own.cell.outcome, base.cell.outcome):
        why = own.cell.reason or base.cell.reason
        yield Result(of=case.name, expected="can run here", outcome=Outcome.SKIPPED, found=why)
        return
    outcome, why = _expected(pair)
    yield Result(
        of=case.name,
        expected="nothing lost, every fault acted" + (f", as arm {claims}" if claims else ""),
        baseline=_figures(base, case),
        found="; ".join(filter(None, (why, _figures(own, case)))),
        outcome=outcome,
        links=own.links,
    )
    for criterion in what.criteria.compare:
        if criterion.applies(case.name, claims):
            yield _criterion(criterion, case, pair)


def _expected(pair: Pair) -> tuple[Outcome, str]:
    """Return whether both sides did what is expected of them; why is empty for a pass.

    A side of which nothing is expected has passed the checks that every run has.
    """
    base, own = pair
    if own.cell.outcome == Outcome.FAIL:
        return Outcome.FAIL, own.cell.reason
    if own.cell.outcome == Outcome.UNKNOWN:
        return Outcome.UNKNOWN, own.why
    if base.cell.outcome.is_problem:
        return Outcome.UNKNOWN, f"the baseline: {base.why}"
    return Outcome.PASS, ""


def _figures(found: CaseResult, case: Case) -> str:
    """Return the figures of a cell in words, one value per repeat."""
    parts = []
    for metric in case.figures:
        name = METRICS[metric].cell or metric
        parts.append(f"{name} {criteria.written(metric, found.cell.values(metric))}")
    return "; ".join(parts)


def _criterion(criterion: criteria.Criterion, case: Case, pair: Pair) -> Result:
    metric = criterion.metric
    base, own = (each.cell.metrics for each in pair)
    outcome, why = criteria.judge(criterion, base, own)
    return Result(
        of=case.name,
        expected=f"{metric} {criterion}",
        baseline=criteria.written(metric, base.get(metric, ())),
        found=why or criteria.written(metric, own.get(metric, ())),
        outcome=outcome,
        links=pair[1].links,
    )


def _seed(case: Case, pair: Pair) -> Result:
    base, own = (each.as_seed(case) for each in pair)
    outcome, why = seed_outcome(base, own)
    return Result(
        of=case.name,
        expected=OF_SEED,
        baseline=base.outcome,
        found=why or own.outcome,
        outcome=outcome,
        links=pair[1].links,
    )


def seed_outcome(base: ArmResult, own: ArmResult) -> tuple[Outcome, str]:
    """Return the outcome of a seed beside the baseline's, and why it is not a pass.

    A seed of which a fault could not act proves nothing and is only observed; `_enough_seeds` asks
    whether too many are. What the baseline does too is not the candidate's.
    """
    if own.outcome == Outcome.FAIL:
        shared = {each.of for each in base.findings} & {each.of for each in own.findings}
        if {each.of for each in own.findings} <= shared:
            return Outcome.UNKNOWN, f"the baseline fails as well: {base.words}"
        return Outcome.FAIL, own.words
    if own.outcome == Outcome.UNKNOWN:
        return Outcome.OBSERVED, f"proves nothing: {own.unknown}"
    return Outcome.PASS, ""


def _enough_seeds(rows: Sequence[Result]) -> Iterator[Result]:
    """Yield a check that is unknown if fewer than half of the seeds prove anything."""
    seeds = [row for row in rows if row.expected == OF_SEED]
    judged = sum(row.outcome != Outcome.OBSERVED for row in seeds)
    if seeds and 2 * judged < len(seeds):
        why = f"only {judged} of {len(seeds)} seeds do"
        yield Result(of="seeds", expected="half of the seeds prove something", found=why)


def differences(cases: Sequence[Case], out: Path, repeats: int) -> list[Result]:
    """Return a check per metric that is worse beyond noise, or one that none is.

    `insync compare --paired` shows all differences of the two matrices.
    """
    names = {case.name for case in cases if case.seed is None}
    try:
        compared = compare(
            _only(names, read_side(out / "baseline")),
            _only(names, read_side(out / "candidate")),
            paired=True,
        )
    except InputError:  # no scenario ran on both sides
        return []
    worse = [
        Result(
            of=each.scenario, expected=f"{each.metric} not worse beyond noise",
            baseline=f"{each.a:g}", outcome=Outcome.FAIL,
            found=f"{each.metric} is worse by {abs(each.difference):g} in the median of"
            f" {each.repeats_b} pairs, {_interval(each)}",
        )
        for each in compared.figures if is_worse(each)
    ]  # fmt: skip
    return worse or [_none_worse(compared, repeats)]


def _only(names: set[str], side: PastSide) -> PastSide:
    return replace(side, cells=[cell for cell in side.cells if cell.scenario in names])


def is_worse(figure: Figure) -> bool:
    """Whether the candidate's metric differs beyond noise in the wrong direction."""
    better = METRICS[figure.metric].better
    if not figure.is_clear or better is None:
        return False
    return figure.difference > 0 if better == "lower" else figure.difference < 0


def _none_worse(compared: Compared, repeats: int) -> Result:
    few = repeats < compared.needed
    found = f"{len(compared.figures)} figures, {repeats} pairs"
    if few:
        found += f"; {compared.needed} repeats could show a difference"
    return Result(
        of="all scenarios", expected="no metric is worse beyond noise", found=found,
        outcome=Outcome.OBSERVED if few else Outcome.PASS,
    )  # fmt: skip


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return "too few pairs for an interval"
    return f"95 % interval {figure.low:g} to {figure.high:g}"
