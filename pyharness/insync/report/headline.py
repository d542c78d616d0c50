"""Writes the top of a page: how the arms compare in one metric, then each arm's ISR, integrity."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from insync.events.run_info import Bound, RunInfo
from insync.events.verdict import Cell, Verdict
from insync.lists import grouped
from insync.metrics import DEFAULT_FIGURES, LOST, METRICS, Metric, integrity
from insync.outcome import Outcome
from insync.report.matrix.cells import known_values
from insync.report.timeline.timelines import (
    Timeline,
    changes_sentence,
    delayed_sentence,
    waits_sentence,
)
from insync.report.words import listed, number, span

NOTHING = "No figure of this run is known"

Values = Sequence[float | None]


@dataclass(frozen=True)
class Figures:
    """What arms were expected to do, and what they did: a value per repeat of each metric.

    `below` are metrics in which an arm must be below another one.
    """

    expected: Mapping[str, Mapping[str, Bound]]
    values: Mapping[str, Mapping[str, Values]]
    below: Sequence[str] = ()

    def of(self, metric: str) -> dict[str, Values]:
        """Return the values of a metric by arm, without arms of which none is known.

        An optional metric may have none, such as of a follower that stayed.
        """
        found = {arm: own.get(metric, ()) for arm, own in self.values.items()}
        return {
            arm: values
            for arm, values in found.items()
            if any(value is not None for value in values) or (values and METRICS[metric].optional)
        }


def of_run(run: RunInfo, verdict: Verdict) -> Figures:
    below = [each.metric for each in run.scenario.compare if each.below is not None]
    return Figures({arm: run.scenario.expected_of(arm) for arm in run.arms}, verdict.arms, below)


def of_matrix(cells: Sequence[Cell]) -> list[Figures]:
    """Return the figures of each scenario of a matrix: of its repeats only the worst value."""
    ran = (cell for cell in cells if cell.outcome != Outcome.SKIPPED)
    rows = grouped(ran, lambda cell: (cell.kafka, cell.scenario))
    return [
        Figures(
            expected={cell.arm: cell.expected for cell in row},
            values={
                cell.arm: {
                    metric: known_values(cell, metric)[:1] or [None] for metric in cell.metrics
                }
                for cell in row
                if cell.repeats
            },
        )
        for row in rows.values()
    ]


def finding(rows: Sequence[Figures], each: str) -> str:
    """Return the finding of a run, or of the scenarios of a matrix; values are of `each`.

    It is about a violated integrity, if there is one. Otherwise it is about the metric that most
    rows are about, of those rows that expect the arms to differ in it, if any does.
    """
    about = [(name, row) for row in rows if (name := subject(row))]
    if not about:
        return NOTHING
    apart = [(name, row) for name, row in about if _may_differ(row, name)]
    violated = next((name for name, _ in about if METRICS[name].integrity), None)
    ((metric, _),) = Counter(name for name, _ in apart or about).most_common(1)
    chosen = [row for name, row in apart or about if name == metric]
    if violated:
        metric, chosen = violated, [row for _, row in about if row.of(violated)]
    values: dict[str, list[float | None]] = {}
    for row in chosen:
        for arm, found in row.of(metric).items():
            values.setdefault(arm, []).extend(found)
    some = not violated and apart and len(chosen) < len(about)
    where = "where the arms should differ, " if some else ""
    missing = dict.fromkeys(arm for row in chosen for arm in row.values if arm not in values)
    unknown = f"; of {listed(list(missing))} it is not known" if missing else ""
    text = f"{where}{_clause(METRICS[metric], values, each)}{unknown}"
    return text[0].upper() + text[1:]  # names of arms have no capital


def subject(figures: Figures) -> str | None:
    """Return the metric that the finding is about; None if no value of any is known.

    A violated integrity comes first. Then come metrics in which the scenario expects the arms to be
    apart, those of which it does not expect the same of all, those that it bounds. Of the first of
    these kinds that has values, the metric is one in which the arms differ, if there is one, and
    which is known of most arms.
    """
    violated = next((n for n in integrity() if any(map(any, figures.of(n).values()))), None)
    if violated:
        return violated
    bounds = [name for own in figures.expected.values() for name in own]
    names = [name for name in dict.fromkeys([*bounds, *figures.below]) if name in METRICS]
    for kind in (
        [name for name in names if _are_apart(figures, name)],
        [name for name in names if _may_differ(figures, name)],
        names,
        DEFAULT_FIGURES,
    ):
        known = {name: found for name in kind if (found := figures.of(name))}
        known = dict(sorted(known.items(), key=lambda each: -len(each[1])))
        apart = (name for name, found in known.items() if len(_groups(METRICS[name], found)) > 1)
        if known:
            return next(apart, next(iter(known)))
    return None


def _bounds(figures: Figures, metric: str) -> list[Bound | None]:
    """Return what is expected of the arms of which the metric is known."""
    known = figures.of(metric)
    return [own.get(metric) for arm, own in figures.expected.items() if arm in known]


def _are_apart(figures: Figures, metric: str) -> bool:
    """Whether the arms are expected to be apart: one above a value that another is below."""
    bounds = [bound for bound in _bounds(figures, metric) if bound is not None]
    floors = [bound.min for bound in bounds if bound.min is not None]
    roofs = [bound.max for bound in bounds if bound.max is not None]
    return metric in figures.below or max(floors, default=0) > min(roofs, default=float("inf"))


def _may_differ(figures: Figures, metric: str) -> bool:
    """Whether not the same is expected of all arms."""
    return metric in figures.below or len(set(_bounds(figures, metric))) > 1


def _clause(metric: Metric, values: Mapping[str, Values], each: str) -> str:
    """Say how arms compare in one metric: how often it happened, or its median."""
    groups = {
        text: "every arm" if len(arms) == len(values) > 1 else listed(arms)
        for text, arms in _groups(metric, values).items()
    }
    did = _did(metric)
    if did:
        (first, who), *others = groups.items()
        said = [f"{who} {did} {first} {each}", *(f"{who} {text}" for text, who in others)]
        return "; ".join(said)
    most = max(map(len, values.values()))
    of_several = f" (median of {most} {each})" if most > 1 else ""
    found = "; ".join(f"{text} in {who}" for text, who in groups.items())
    return f"{metric.measured or f'the {metric.label} was'} {found}{of_several}"


def _did(metric: Metric) -> str:
    """Return what an arm did in a repeat with a value above 0; empty if the value itself counts."""
    if metric.did or metric.measured or not metric.integrity:
        return metric.did
    return f"had {metric.label}"


def _groups(metric: Metric, values: Mapping[str, Values]) -> dict[str, list[str]]:
    """Return the arms by what is said of them; where it happened most often comes first."""
    known = {arm: [each for each in own if each is not None] for arm, own in values.items()}
    shares = {arm: sum(map(bool, own)) / (len(own) or 1) for arm, own in known.items()}
    arms = sorted(known, key=lambda arm: -shares[arm] if _did(metric) else 0)
    return grouped(arms, lambda arm: _said(metric, known[arm]))


def _said(metric: Metric, known: Sequence[float]) -> str:
    if _did(metric):
        return f"in {sum(map(bool, known))} of {len(known)}"
    if not known:
        return "never"
    middle = median(known)
    if metric.is_time:
        return span(middle)
    word = {"replicas": " replica", "records": " record"}.get(metric.unit, "")
    return f"{number(middle)}{word}{'s' if word and middle != 1 else ''}"


def of_arm(run: RunInfo, pictures: Sequence[Timeline], arm: str) -> str:
    """Say how an arm's ISR shrank, whether its leaders changed, and how long acks waited."""
    seen = [timeline for timeline in pictures if timeline.arm == arm and timeline.spans]
    if not seen:
        return "The ISR is not known."
    shrunk = [timeline for timeline in seen if timeline.shrinks]
    after = changes_sentence([change for timeline in seen for change in timeline.changes])
    after += waits_sentence([each for timeline in seen for each in timeline.latency])
    if not shrunk:
        return f"The ISR never shrank{_in_repeats(len(seen), run.repeats)}.{after}"
    lowest = min((span for timeline in shrunk for span in timeline.spans), key=lambda s: len(s.isr))
    alone = ", the leader alone" if len(lowest.isr) == 1 else ""
    return (
        f"The ISR shrank{_in_repeats(len(shrunk), run.repeats)}, "
        f"down to {len(lowest.isr)} of {lowest.replicas} replicas{alone}."
        f"{delayed_sentence([shrink for timeline in shrunk for shrink in timeline.shrinks])}"
        f"{after}"
    )


def _in_repeats(times: int, repeats: int) -> str:
    return f" in {times} of {repeats} repeats" if repeats > 1 else ""


def of_integrity(run: RunInfo, verdict: Verdict) -> str:
    """Say whether records were lost, and whether anything else is inconsistent."""
    lost = _all_of(verdict, LOST)
    if any(lost):
        said = f"{sum(count or 0 for count in lost)} acked records were lost."
    elif None in lost:
        said = "Whether records were lost is not known for every repeat."
    else:
        said = "No acked record was lost."
    others = [metric for metric in METRICS.values() if metric.integrity and metric.name != LOST]
    counts = {metric.label: sum(n or 0 for n in _all_of(verdict, metric.name)) for metric in others}
    bad = [f"{count} {label}" for label, count in counts.items() if count]
    if bad:
        return f"{said} Found: {', '.join(bad)}."
    if any(  # one for groups needs groups
        None in values[metric.name]
        for metric in others
        for arm, values in verdict.arms.items()
        if not metric.optional and run.has(metric.requires, arm)
    ):
        return f"{said} Some checks could not be made in every repeat."
    return f"{said} Record order, offsets, leader epochs and replicas' logs are consistent."


def _all_of(verdict: Verdict, metric: str) -> list[int | None]:
    return [count for arm in verdict.arms.values() for count in arm[metric]]
