"""Writes the summary of a run: a sentence per arm about its ISR, and one about integrity."""

from __future__ import annotations

from collections.abc import Sequence

from insync.events.run_info import RunInfo
from insync.metrics import METRICS
from insync.report.judgement import Judgement
from insync.report.timeline.timelines import Timeline
from insync.report.timeline.wording import changes_sentence, delayed_sentence


def headline(run: RunInfo, verdict: Judgement, pictures: Sequence[Timeline]) -> list[str]:
    """Return a sentence per arm about its ISR, and one about integrity."""
    return [*(_of_arm(run, pictures, arm) for arm in run.arms), _of_integrity(verdict)]


def _of_arm(run: RunInfo, pictures: Sequence[Timeline], arm: str) -> str:
    seen = [timeline for timeline in pictures if timeline.arm == arm and timeline.spans]
    if not seen:
        return f"{arm}: the ISR is not known."
    shrunk = [timeline for timeline in seen if timeline.shrinks]
    changes = changes_sentence([change for timeline in seen for change in timeline.changes])
    if not shrunk:
        return f"{arm}: the ISR never shrank in {len(seen)} of {run.repeats} repeats.{changes}"
    lowest = min((span for timeline in shrunk for span in timeline.spans), key=lambda s: len(s.isr))
    alone = ", the leader alone" if len(lowest.isr) == 1 else ""
    return (
        f"{arm}: the ISR shrank in {len(shrunk)} of {run.repeats} repeats, "
        f"down to {len(lowest.isr)} of {lowest.replicas} replicas{alone}."
        f"{delayed_sentence([shrink for timeline in shrunk for shrink in timeline.shrinks])}"
        f"{changes}"
    )


def _of_integrity(verdict: Judgement) -> str:
    return f"{_of_lost(verdict)} {_of_order(verdict)}"


def _of_lost(verdict: Judgement) -> str:
    lost = _all_of(verdict, "lost")
    if any(lost):
        return f"{sum(count or 0 for count in lost)} acked records were lost."
    if None in lost:
        return "Whether records were lost is not known for every repeat."
    return "No acked record was lost."


def _of_order(verdict: Judgement) -> str:
    """Say in one sentence which other integrity violations there were, or that there were none."""
    found = {
        metric.headline: _all_of(verdict, metric.name)
        for metric in METRICS.values()
        if metric.headline
    }
    bad = [f"{sum(n or 0 for n in all_)} {words}" for words, all_ in found.items() if any(all_)]
    if bad:
        return f"Found: {', '.join(bad)}."
    if any(None in all_ for all_ in found.values()):
        return "Some checks could not be made in every repeat."
    return "Record order, offsets, leader epochs and replicas' logs are consistent."


def _all_of(verdict: Judgement, metric: str) -> list[int | None]:
    return [count for arm in verdict.arms.values() for count in arm[metric]]
