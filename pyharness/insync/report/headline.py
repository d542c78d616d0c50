"""What a run showed, in sentences: one per arm about its ISR, one about what was lost."""

from __future__ import annotations

from collections.abc import Sequence

from insync.events.run_info import RunInfo
from insync.report.judgement import Judgement
from insync.report.timeline.scenes import Scene
from insync.report.timeline.wording import changes_sentence, delayed_sentence

_CHECKED = {
    "reordered": "records out of order",
    "gaps": "gaps in what was read",
    "inconsistent": "offsets with two values",
    "split_epochs": "epochs with two leaders",
    "diverged": "partitions whose replicas differ",
}
"""What the checker looks for beside lost records, in words."""


def headline(run: RunInfo, verdict: Judgement, pictures: Sequence[Scene]) -> list[str]:
    """One sentence per arm about its ISR, and one about what was lost."""
    return [*(_of_arm(run, pictures, arm) for arm in run.arms), _of_losses(verdict)]


def _of_arm(run: RunInfo, pictures: Sequence[Scene], arm: str) -> str:
    seen = [scene for scene in pictures if scene.arm == arm and scene.spans]
    if not seen:
        return f"{arm}: nothing is known of its ISR."
    shrunk = [scene for scene in seen if scene.shrinks]
    changes = changes_sentence([change for scene in seen for change in scene.changes])
    if not shrunk:
        return f"{arm}: the ISR never shrank in {len(seen)} of {run.repeats} repeats.{changes}"
    lowest = min((span for scene in shrunk for span in scene.spans), key=lambda s: len(s.isr))
    alone = ", the leader alone" if len(lowest.isr) == 1 else ""
    return (
        f"{arm}: the ISR shrank in {len(shrunk)} of {run.repeats} repeats, "
        f"down to {len(lowest.isr)} of {lowest.replicas} replicas{alone}."
        f"{delayed_sentence([shrink for scene in shrunk for shrink in scene.shrinks])}"
        f"{changes}"
    )


def _of_losses(verdict: Judgement) -> str:
    return f"{_of_lost(verdict)} {_of_order(verdict)}"


def _of_lost(verdict: Judgement) -> str:
    lost = _all_of(verdict, "lost")
    if any(lost):
        return f"{sum(count or 0 for count in lost)} acked records were lost."
    if None in lost:
        return "Whether anything was lost is not known for every repeat."
    return "No acked record was lost."


def _of_order(verdict: Judgement) -> str:
    """Say in one sentence what else the checker found, or that it found nothing."""
    found = {words: _all_of(verdict, metric) for metric, words in _CHECKED.items()}
    bad = [f"{sum(n or 0 for n in all_)} {words}" for words, all_ in found.items() if any(all_)]
    if bad:
        return f"Found: {', '.join(bad)}."
    if any(None in all_ for all_ in found.values()):
        return "Not all could be checked in every repeat."
    return "Order, offsets, leaders and the replicas' logs are as they should be."


def _all_of(verdict: Judgement, metric: str) -> list[int | None]:
    return [count for arm in verdict.arms.values() for count in arm[metric]]
