"""Writes what is below the finding: a sentence per arm about its ISR, and one about integrity."""

from __future__ import annotations

from collections.abc import Sequence

from insync.events.run_info import RunInfo
from insync.metrics import METRICS, Metric
from insync.report.judgement import Judgement
from insync.report.timeline.timelines import Timeline
from insync.report.timeline.wording import changes_sentence, delayed_sentence


def of_arm(run: RunInfo, pictures: Sequence[Timeline], arm: str) -> str:
    """Say how often and how far an arm's ISR shrank, and whether its leaders changed."""
    seen = [timeline for timeline in pictures if timeline.arm == arm and timeline.spans]
    if not seen:
        return "The ISR is not known."
    shrunk = [timeline for timeline in seen if timeline.shrinks]
    changes = changes_sentence([change for timeline in seen for change in timeline.changes])
    if not shrunk:
        return f"The ISR never shrank{_often(len(seen), run.repeats)}.{changes}"
    lowest = min((span for timeline in shrunk for span in timeline.spans), key=lambda s: len(s.isr))
    alone = ", the leader alone" if len(lowest.isr) == 1 else ""
    return (
        f"The ISR shrank{_often(len(shrunk), run.repeats)}, "
        f"down to {len(lowest.isr)} of {lowest.replicas} replicas{alone}."
        f"{delayed_sentence([shrink for timeline in shrunk for shrink in timeline.shrinks])}"
        f"{changes}"
    )


def _often(times: int, repeats: int) -> str:
    return f" in {times} of {repeats} repeats" if repeats > 1 else ""


def of_integrity(run: RunInfo, verdict: Judgement) -> str:
    """Say whether records were lost, and whether anything else is inconsistent."""
    return f"{_of_lost(verdict)} {_of_order(run, verdict)}"


def _of_lost(verdict: Judgement) -> str:
    lost = _all_of(verdict, "lost")
    if any(lost):
        return f"{sum(count or 0 for count in lost)} acked records were lost."
    if None in lost:
        return "Whether records were lost is not known for every repeat."
    return "No acked record was lost."


def _of_order(run: RunInfo, verdict: Judgement) -> str:
    """Say in one sentence which other integrity violations there were, or that there were none."""
    found = {
        metric.headline: _all_of(verdict, metric.name)
        for metric in METRICS.values()
        if metric.headline
    }
    bad = [f"{sum(n or 0 for n in all_)} {words}" for words, all_ in found.items() if any(all_)]
    if bad:
        return f"Found: {', '.join(bad)}."
    if any(_is_unchecked(run, verdict, metric) for metric in METRICS.values() if metric.headline):
        return "Some checks could not be made in every repeat."
    return "Record order, offsets, leader epochs and replicas' logs are consistent."


def _is_unchecked(run: RunInfo, verdict: Judgement, metric: Metric) -> bool:
    """Whether a repeat lacks a metric that it should have: one for groups needs groups."""
    return not metric.optional and any(
        None in values[metric.name]
        for arm, values in verdict.arms.items()
        if run.has(metric.requires, arm)
    )


def _all_of(verdict: Judgement, metric: str) -> list[int | None]:
    return [count for arm in verdict.arms.values() for count in arm[metric]]
