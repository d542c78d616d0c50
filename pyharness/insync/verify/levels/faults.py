"""Level faults: scenarios of the matrix and seeds of the fuzz, both sides at the same time.

Repeat n of a case begins on both sides at nearly the same time, so that what else the machine does
concerns both. A recording that was interrupted is continued.

A side runs a case under its own arm and with its own configs, and is expected to behave as that arm
or as the one that it stands for, if it claims to be it. So a build with the change inside is judged
as the agent's arm is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from insync.arms import stand_in
from insync.brokers.kafka.versions import numbers
from insync.engine.campaign import Done, Place
from insync.engine.scenarios import CellResult, ScenarioCampaign, row_of
from insync.events.matrix_info import PAGE, MatrixRow
from insync.fuzz.draw import Choices, draw
from insync.fuzz.judge import ArmResult, judge
from insync.lists import grouped
from insync.matrix.groups import entries
from insync.metrics import DEFAULT_FIGURES, METRICS
from insync.outcome import Outcome
from insync.progress import Progress
from insync.report.matrix.cells import full, written
from insync.result import Result
from insync.run.cell import CellSpec
from insync.run.plan import Plan, resolve_cells
from insync.run.request import RunRequest
from insync.scenario.load import load, narrow
from insync.scenario.model import Scenario
from insync.verify import criteria
from insync.verify.level import Level, Side, Verification


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
        return self.scenario.name


def cases_of(what: Verification) -> list[Case]:
    """Return all cases; raises InputError."""
    found = []
    for entry in entries(what.request.only):
        scenario = load(entry.scenario, entry.group.scale_of(entry.scenario))
        found.append(Case(scenario=scenario, figures=entry.group.figures))
    older = min(numbers(side.release.name) for side in (what.candidate, what.baseline))
    choices = Choices(arms=[what.baseline.arm], kinds=what.kinds, version=older)
    drawn = (Case(scenario=draw(seed, choices), seed=seed) for seed in what.seeds)
    return [*found, *drawn]


def of_side(case: Case, side: Side, repeats: int) -> Scenario:
    """Return the scenario that a side runs; raises InputError. A seed is run once."""
    scenario = case.scenario
    broker = scenario.broker
    own = scenario.model_copy(update={
        "broker": broker.model_copy(update={"settings": {**broker.settings, **side.settings}}),
        "compare": (),
        **({} if side.claims else {"expect": {}, "expect_on": {}, "expect_on_zookeeper": {}}),
    })  # fmt: skip
    changed = side.agent is not None or side.settings
    controls = () if changed or not stand_in(side.arm, scenario.control_arms) else (side.arm,)
    narrowed = narrow(own, arms=[side.arm], repeats=repeats if case.seed is None else 1)
    return narrowed.model_copy(update={"control_arms": controls})


OF_SEED: Final = "nothing lost, the cluster comes back"


Pair = tuple[CellResult, CellResult]
"""A case on the baseline and on the candidate."""


def judge_cases(
    cases: Sequence[Case], found: Mapping[str, Pair], what: Verification
) -> list[Result]:
    out: list[Result] = []
    for case in cases:
        if case.name in found:
            one = _scenario if case.seed is None else _seed
            out += one(case, found[case.name], what)
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
    for criterion in what.criteria:
        if criterion.applies(case.name):
            metric = criterion.metric
            outcome, why = criteria.judge(criterion, *(each.cell.values(metric) for each in pair))
            before, after = (written(each.cell, metric, full) for each in pair)
            yield Result(
                of=case.name, expected=f"{metric} {criterion}", baseline=before,
                found=why or after, outcome=outcome, links=own.links,
            )  # fmt: skip


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


def _figures(found: CellResult, case: Case) -> str:
    """Return the figures of a cell in words."""
    return "; ".join(
        f"{METRICS[metric].cell or metric} {written(found.cell, metric, full)}"
        for metric in case.figures
    )


def _seed(case: Case, pair: Pair, _: Verification) -> Iterator[Result]:
    base, own = (judge(each, case.scenario.workload.acks) for each in pair)
    outcome, why = seed_outcome(base, own)
    yield Result(
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
        if own.findings.keys() <= base.findings.keys():
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


class FaultsLevel(Level, ScenarioCampaign):
    """The level: the cases on both sides, each of which has a folder with all of its runs."""

    name = "faults"
    says = "scenarios with faults and random faults, on both sides at the same time"
    part = "scenario"

    def __init__(self, what: Verification, progress: Progress) -> None:
        self._what = what
        self._cases = {each.name: each for each in cases_of(what)}
        self._cells = [
            cell
            for side in (what.baseline, what.candidate)
            for case in self._cases.values()
            for cell in resolve_cells(
                RunRequest(
                    scenario=of_side(case, side, what.request.repeats), kafka=side.kafka,
                    unknown_methods=what.request.unknown_methods,
                ),
                Path(side.name) / side.release.name / case.name,
            )
        ]  # fmt: skip

    def cells(self, done: Done) -> Sequence[CellSpec]:
        return self._cells

    def side(self, cell: CellSpec) -> str:
        return cell.out.parts[0]

    def row(self, run: Plan, folder: Path) -> MatrixRow:
        return row_of(run, folder, self._cases[run.scenario.name].figures or DEFAULT_FIGURES)

    def is_final(self, result: Any) -> bool:
        """Whether the cluster of its arm was started."""
        return result["failure"] is None

    def run(self, cells: Sequence[CellSpec], place: Place) -> Iterator[tuple[str, Any]]:
        """Run the cells; those that are recorded are only analysed, with the others of a side."""
        return super().run(self._cells, place)

    def judge(self, done: Done) -> Result:
        sides = grouped(
            (
                CellResult.model_validate(done[each.name])
                for each in self._cells
                if each.name in done
            ),
            lambda result: result.cell.scenario,
        )
        found = {name: (own[0], own[1]) for name, own in sides.items() if len(own) > 1}
        failures = dict.fromkeys(each["failure"] for each in done.values() if each["failure"])
        return Result(
            of=self.name,
            children=(
                *(Result(of="clusters", expected="run every case", found=why) for why in failures),
                *judge_cases(list(self._cases.values()), found, self._what),
            ),
            links={
                f"{name}: all scenarios": f"{name}/{PAGE}"
                for name in (self._what.baseline.name, self._what.candidate.name)
            },
        )
