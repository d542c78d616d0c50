"""What the arms of a run were expected to do and what they did, and which metric tells most."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from insync.events.run_info import Bound, RunInfo
from insync.metrics import METRICS, default_figures, integrity
from insync.report.headline.groups import differ
from insync.report.judgement import Judgement

Values = Sequence[float | None]


@dataclass(frozen=True)
class Figures:
    """Expectations and values of arms, which are in the order of the report.

    `expected` maps an arm to its bounds, `values` an arm to a value per repeat of each metric.
    `below` are metrics in which an arm must be below another one.
    """

    arms: Sequence[str]
    expected: Mapping[str, Mapping[str, Bound]]
    values: Mapping[str, Mapping[str, Values]]
    below: Sequence[str] = ()

    def of(self, metric: str) -> dict[str, Values]:
        """Return the values of a metric by arm, without arms of which none is known."""
        found = {arm: self.values.get(arm, {}).get(metric, ()) for arm in self.arms}
        return {arm: values for arm, values in found.items() if _is_known(metric, values)}

    def bounds(self, metric: str) -> list[Bound | None]:
        """Return the bound of every arm; None where nothing is expected."""
        return [self.expected.get(arm, {}).get(metric) for arm in self.arms]


def figures_of_run(run: RunInfo, verdict: Judgement) -> Figures:
    """Return the figures of a run."""
    return Figures(
        arms=run.arms,
        expected={arm: run.scenario.expected_of(arm) for arm in run.arms},
        values=verdict.arms,
        below=[each.metric for each in run.scenario.compare if each.below is not None],
    )


def subject(figures: Figures) -> str | None:
    """Return the metric that the finding is about; None if no value of any is known.

    A violated integrity comes first. Then come the metrics that the scenario is about: those in
    which it expects the arms to be apart, those of which it expects something of some arms, those
    of which it expects the same of all. Of the first of these kinds that has values, the metric is
    one in which the arms differ, if there is one.
    """
    violated = next((name for name in integrity() if _is_violated(figures, name)), None)
    if violated:
        return violated
    for names in _by_weight(figures):
        known = [name for name in names if figures.of(name)]
        if known:
            return next(
                (name for name in known if differ(METRICS[name], figures.of(name))), known[0]
            )
    return None


def expects_a_difference(figures: Figures, metric: str) -> bool:
    """Whether not the same is expected of all arms."""
    return metric in figures.below or len(set(figures.bounds(metric))) > 1


def _by_weight(figures: Figures) -> Iterator[list[str]]:
    bounded = [*_bounded(figures), *figures.below]
    names = list(dict.fromkeys(name for name in bounded if name in METRICS))
    for belongs in _WEIGHTS:
        yield [name for name in names if belongs(figures, name)]
    yield list(default_figures())


def _bounded(figures: Figures) -> Iterator[str]:
    for arm in figures.arms:
        yield from figures.expected.get(arm, {})


def _are_apart(figures: Figures, metric: str) -> bool:
    """Whether the arms are expected to be apart: one above a value that another is below."""
    bounds = [bound for bound in figures.bounds(metric) if bound is not None]
    floors = [bound.min for bound in bounds if bound.min is not None]
    roofs = [bound.max for bound in bounds if bound.max is not None]
    return metric in figures.below or max(floors, default=0) > min(roofs, default=float("inf"))


def _always(_: Figures, __: str) -> bool:
    return True


_WEIGHTS: Sequence[Callable[[Figures, str], bool]] = (_are_apart, expects_a_difference, _always)


def _is_known(metric: str, values: Values) -> bool:
    """Whether any value is known; no value may be one, such as of a follower that stayed."""
    return any(value is not None for value in values) or bool(values and METRICS[metric].optional)


def _is_violated(figures: Figures, metric: str) -> bool:
    return any(any(values) for values in figures.of(metric).values())
