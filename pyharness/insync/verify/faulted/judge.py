"""Judge every case on both sides: rows of the level faults, and the table of paired differences."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from insync.errors import InputError
from insync.events.verify_info import CheckRow
from insync.fuzz.judge import ArmResult
from insync.metrics import METRICS
from insync.outcome import Outcome
from insync.past.compare import Compared, Figure, compare
from insync.result import Table
from insync.verify.criteria import Criterion, judge, parse, written
from insync.verify.faulted.cases import Case
from insync.verify.faulted.found import Found, Pair, past_sides
from insync.verify.level import Context

ALL: Final = "all scenarios"
SEEDS: Final = "seeds"
MOST_ROWS: Final = 200


def rows_of(cases: Sequence[Case], found: Mapping[str, Pair], context: Context) -> list[CheckRow]:
    """Return the rows of all scenarios and seeds."""
    out = []
    for case in cases:
        if case.name not in found:
            out.append(CheckRow(of=case.name, check="recorded", outcome=Outcome.UNKNOWN,
                                why="was not recorded on both sides"))  # fmt: skip
        elif case.seed is None:
            out += _scenario(case, found[case.name], context)
        else:
            out.append(_seed(case, found[case.name]))
    return [*out, *_enough_seeds(out)]


def _scenario(case: Case, pair: Pair, context: Context) -> Iterator[CheckRow]:
    base, own = pair.baseline, pair.candidate
    claims = context.asked.candidate.claims
    if own.cell.state == Outcome.SKIPPED or base.cell.state == Outcome.SKIPPED:
        why = own.cell.reason or base.cell.reason
        yield CheckRow(of=case.name, check="can run here", outcome=Outcome.OBSERVED, why=why)
        return
    outcome, why = _expected(pair)
    yield CheckRow(
        of=case.name,
        check="nothing lost, every fault acted" + (f", as arm {claims}" if claims else ""),
        baseline=_figures(base, case),
        candidate=_figures(own, case),
        outcome=outcome,
        why=why,
        where=_where(own),
    )
    for criterion in context.criteria.faults:
        if criterion.applies(case.name, claims):
            yield _criterion(criterion, case, pair)


def _expected(pair: Pair) -> tuple[Outcome, str]:
    """Return whether both sides did what is expected of them; why is empty for a pass.

    A side of which nothing is expected has passed the checks that every run has.
    """
    base, own = pair.baseline, pair.candidate
    if own.cell.state == Outcome.FAIL:
        return Outcome.FAIL, own.cell.reason
    if own.cell.state == Outcome.UNKNOWN:
        return Outcome.UNKNOWN, _why_unknown(own)
    if base.cell.state in (Outcome.FAIL, Outcome.UNKNOWN):
        return Outcome.UNKNOWN, f"the baseline: {_why_unknown(base)}"
    return Outcome.PASS, ""


def _why_unknown(found: Found) -> str:
    return found.cell.reason if found.broken is None else f"cut short: {found.broken.why}"


def _figures(found: Found, case: Case) -> str:
    """Return the figures of a cell in words, one value per repeat."""
    parts = []
    for metric in case.figures:
        name = METRICS[metric].cell or metric
        parts.append(f"{name} {written(metric, found.cell.values(metric))}")
    return "; ".join(parts)


def _criterion(criterion: Criterion, case: Case, pair: Pair) -> CheckRow:
    metric = parse(criterion.check).metric
    base, own = pair.baseline.cell.metrics, pair.candidate.cell.metrics
    judged = judge(criterion, base, own, case.scale)
    return CheckRow(
        of=case.name,
        check=criterion.check,
        baseline=written(metric, base.get(metric, ())),
        candidate=written(metric, own.get(metric, ())),
        outcome=judged.outcome,
        why=judged.why,
        where=_where(pair.candidate),
    )


def _where(found: Found) -> str | None:
    """Return the report of a case, as a path that `relative` makes one of the folder's."""
    return None if found.cell.report is None else str(found.matrix / str(found.cell.link))


def _seed(case: Case, pair: Pair) -> CheckRow:
    base, own = pair.baseline.as_seed(case), pair.candidate.as_seed(case)
    outcome, why = seed_outcome(base, own)
    return CheckRow(
        of=case.name,
        check="nothing lost, the cluster comes back",
        baseline=base.outcome,
        candidate=own.outcome,
        outcome=outcome,
        why=why,
        where=_where(pair.candidate),
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


def _enough_seeds(rows: Sequence[CheckRow]) -> Iterator[CheckRow]:
    """Yield a row if fewer than half of the seeds prove anything."""
    seeds = [row for row in rows if row.check == "nothing lost, the cluster comes back"]
    judged = sum(row.outcome != Outcome.OBSERVED for row in seeds)
    if seeds and 2 * judged < len(seeds):
        yield CheckRow(
            of=SEEDS, check="half of the seeds prove something", outcome=Outcome.UNKNOWN,
            candidate=f"{judged} of {len(seeds)}", why=f"only {judged} of {len(seeds)} seeds do",
        )  # fmt: skip


def differences(
    cases: Sequence[Case], found: Mapping[str, Pair], repeats: int
) -> tuple[list[CheckRow], Table | None]:
    """Return a row per metric that is worse beyond noise, or one that none is; and the table."""
    try:
        compared = compare(*past_sides(found, cases), paired=True)
    except (InputError, StopIteration):  # no scenario ran on both sides
        return [], None
    worse = [each for each in compared.figures if is_worse(each)]
    rows = [
        CheckRow(
            of=each.scenario, check=f"{each.metric} not worse beyond noise",
            baseline=f"{each.a:g}", candidate=f"{each.b:g}", outcome=Outcome.FAIL,
            why=f"{each.metric} is worse by {abs(each.difference):g} in the median of"
            f" {each.repeats_b} pairs, {_interval(each)}",
        )
        for each in worse
    ]  # fmt: skip
    return rows or [_none_worse(compared, repeats)], _table(compared)


def is_worse(figure: Figure) -> bool:
    """Whether the candidate's metric differs beyond noise in the direction that is worse."""
    better = METRICS[figure.metric].better
    if not figure.is_clear or better is None:
        return False
    return figure.difference > 0 if better == "lower" else figure.difference < 0


def _none_worse(compared: Compared, repeats: int) -> CheckRow:
    row = CheckRow(of=ALL, check="no metric is worse beyond noise", outcome=Outcome.PASS,
                   candidate=f"{len(compared.figures)} figures, {repeats} pairs")  # fmt: skip
    if repeats >= compared.needed:
        return row
    why = f"{compared.needed} repeats could show a difference, these are {repeats}"
    return row.model_copy(update={"outcome": Outcome.OBSERVED, "why": why})


def _interval(figure: Figure) -> str:
    if figure.low is None or figure.high is None:
        return "too few pairs for an interval"
    return f"95 % interval {figure.low:g} to {figure.high:g}"


def _table(compared: Compared) -> Table:
    ranked = sorted(compared.figures, key=lambda each: not each.is_clear)
    return Table(
        title="Paired differences: candidate minus baseline",
        columns=("scenario", "metric", "baseline", "candidate", "difference", "95 % interval",
                 "p, adjusted"),
        numeric=(2, 3, 4, 5, 6),
        rows=tuple(
            (
                each.scenario, each.metric, f"{each.a:g}", f"{each.b:g}", f"{each.difference:+g}",
                "" if each.low is None else f"{each.low:g} to {each.high:g}",
                "" if each.p_holm is None else f"{each.p_holm:.3f}",
            )
            for each in ranked[:MOST_ROWS]
        ),
        empty="No figure differs.",
    )  # fmt: skip


def relative(rows: Sequence[CheckRow], out: Path) -> list[CheckRow]:
    """Return the rows with places relative to the folder of the whole verification."""
    return [
        row
        if row.where is None
        else row.model_copy(update={"where": Path(row.where).relative_to(out).as_posix()})
        for row in rows
    ]
