"""Level faults: scenarios of the matrix and seeds of the fuzz, both sides at the same time.

Repeat n of a case begins on both sides at nearly the same time, so that what else the machine does
concerns both. A recording that was interrupted is continued.

A side runs a case under its own arm and with its own configs, and is expected to behave as the arm
that it claims to be. So a build with the change inside is judged as the agent's arm is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from insync.arms import stand_in
from insync.brokers.kafka.versions import numbers
from insync.engine.campaign import Place
from insync.engine.scenarios import Recording, broken_cells, plans_of, record, row_of
from insync.errors import InputError, InsyncError
from insync.events.matrix_info import PAGE
from insync.events.verdict import Cell, read_cells
from insync.fuzz.draw import Choices, draw, for_version
from insync.fuzz.judge import ArmResult, Broken, judge
from insync.matrix.groups import entries
from insync.metrics import DEFAULT_FIGURES, METRICS
from insync.outcome import Outcome
from insync.past.compare import Figure, figures, read_side
from insync.past.compare import Side as PastSide
from insync.report.words import link_to
from insync.result import Result
from insync.run.analysis import analyse_matrices
from insync.run.plan import resolve_cells
from insync.run.request import RunRequest
from insync.scenario.load import keys_of, load
from insync.scenario.model import Scenario
from insync.scenario.problems import describe
from insync.statistics import pairs_needed
from insync.verify import criteria
from insync.verify.level import Side, Verification


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """A scenario with its times scaled, and the figures by which it is shown.

    `seed` is its number if it was drawn.
    """

    scenario: Scenario
    figures: Sequence[str] = ()
    seed: int | None = None

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return self.scenario.name


def cases_of(what: Verification) -> list[Case]:
    """Return all cases; raises InputError."""
    found = []
    for entry in entries(what.request.only):
        own = entry.group.scale_of(entry.scenario)
        scale = own if what.request.scale is None else what.request.scale
        found.append(Case(scenario=load(entry.scenario, scale), figures=entry.group.figures))
    older = min(numbers(side.release.name) for side in (what.candidate, what.baseline))
    choices = for_version(Choices(arms=[what.baseline.arm], kinds=what.kinds), older)
    drawn = (Case(scenario=draw(seed, choices), seed=seed) for seed in what.seeds)
    return [*found, *drawn]


def of_side(case: Case, side: Side, repeats: int) -> Scenario:
    """Return the scenario that a side runs; raises InputError. A seed is run once."""
    scenario = case.scenario
    controls = stand_in(side.arm, scenario.control_arms)
    keys = keys_of(scenario)
    keys["broker"]["settings"] = {**scenario.broker.settings, **side.settings}
    changed = {
        **keys,
        "arms": [side.arm],
        "control_arms": [side.arm] if controls and side.agent is None and not side.settings else [],
        "repeats": 1 if case.seed is not None else repeats,
        "expect": _of_claim(keys.get("expect", {}), side),
        "expect_on_zookeeper": _of_claim(keys.get("expect_on_zookeeper", {}), side),
        "expect_on": {
            version: _of_claim(table, side) for version, table in keys.get("expect_on", {}).items()
        },
        "compare": [],
    }
    try:
        return Scenario.model_validate(changed)
    except ValidationError as error:
        problems = "\n".join(f"{scenario.name}: {each}" for each in describe(error))
        raise InputError(problems) from error


def _of_claim(table: Mapping[str, Any], side: Side) -> dict[str, Any]:
    """Return what is expected of the arm that a side claims to be, under the arm that it has."""
    name = None if side.claims is None else stand_in(side.claims, table)
    return {} if name is None else {side.arm: table[name]}


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
        found = figures(
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
            found=f"{each.metric} is worse by {abs(each.change.difference or 0):g} in the median of"
            f" {each.repeats[1]} pairs, {_interval(each)}",
        )
        for each in found if is_worse(each)
    ]  # fmt: skip
    return worse or [_none_worse(len(found), repeats)]


def _only(names: set[str], side: PastSide) -> PastSide:
    return replace(side, cells=[cell for cell in side.cells if cell.scenario in names])


def is_worse(figure: Figure) -> bool:
    """Whether the candidate's metric differs beyond noise in the wrong direction."""
    better = METRICS[figure.metric].better
    if not figure.is_clear or better is None:
        return False
    difference = figure.change.difference or 0
    return difference > 0 if better == "lower" else difference < 0


def _none_worse(figures: int, repeats: int) -> Result:
    needed = pairs_needed(figures or 1)
    few = repeats < needed
    found = f"{figures} figures, {repeats} pairs"
    if few:
        found += f"; {needed} repeats could show a difference"
    return Result(
        of="all scenarios", expected="no metric is worse beyond noise", found=found,
        outcome=Outcome.OBSERVED if few else Outcome.PASS,
    )  # fmt: skip


def _interval(figure: Figure) -> str:
    low, high = figure.change.low, figure.change.high
    if low is None or high is None:
        return "too few pairs for an interval"
    return f"95 % interval {low:g} to {high:g}"


NAME: Final = "faults"


def run(what: Verification, place: Place) -> Result:
    """Record what is not recorded yet, analyse it, and judge it."""
    cases, out = cases_of(what), place.folder / NAME
    folders = [out / side.name for side in (what.baseline, what.candidate)]
    recordings = [
        _recording(side, cases, folder, what, place)
        for side, folder in zip((what.baseline, what.candidate), folders, strict=True)
    ]
    failures = record(recordings, place.progress, place.at_once)
    analyse_matrices(folders, place.analysis, place.progress)
    found = pairs(cases, what, out)
    return Result(
        of=NAME,
        children=(
            *(Result(of="clusters", expected="run every case", found=each) for each in failures),
            *judge_cases(cases, found, what),
            *differences(cases, out, what.request.repeats),
        ),
        links={f"{each.name}: all scenarios": f"{NAME}/{each.name}/{PAGE}" for each in folders},
    )


def _recording(
    side: Side, cases: Sequence[Case], folder: Path, what: Verification, place: Place
) -> Recording:
    figures = {case.name: case.figures or DEFAULT_FIGURES for case in cases}
    cells = [
        cell
        for case in cases
        for cell in resolve_cells(
            RunRequest(
                scenario=of_side(case, side, what.request.repeats), kafka=side.kafka,
                unknown_methods=what.request.unknown_methods,
            ),
            Path(side.release.name) / case.name,
        )
    ]  # fmt: skip
    runs = plans_of(cells, folder, place.progress)
    return Recording.of(
        folder, runs, lambda run, folder: row_of(run, folder, figures[run.scenario.name])
    )
