"""The verdict and the run in words, and how numbers are written."""

from __future__ import annotations

from collections.abc import Sequence

from insync.events.run_info import RunInfo
from insync.report.judgement import Judgement
from insync.report.scenes import Scene

VERDICTS = {
    "pass": "Pass: every arm did what was expected of it",
    "fail": "Fail: what was expected did not hold",
    "unknown": "Unknown: this run proves nothing either way",
}

THIN_SPACE = "\N{NARROW NO-BREAK SPACE}"


def headline(run: RunInfo, verdict: Judgement, pictures: Sequence[Scene]) -> list[str]:
    """One sentence per arm about its ISR, and one about what was lost."""
    return [*(_of_arm(run, pictures, arm) for arm in run.arms), _of_losses(verdict)]


def _of_arm(run: RunInfo, pictures: Sequence[Scene], arm: str) -> str:
    seen = [scene for scene in pictures if scene.arm == arm and scene.spans]
    if not seen:
        return f"{arm}: nothing is known of its ISR."
    shrunk = [scene for scene in seen if scene.shrinks]
    if not shrunk:
        return f"{arm}: the ISR never shrank in {len(seen)} of {run.repeats} repeats."
    lowest = min((span for scene in shrunk for span in scene.spans), key=lambda s: len(s.isr))
    alone = ", the leader alone" if len(lowest.isr) == 1 else ""
    return (
        f"{arm}: the ISR shrank in {len(shrunk)} of {run.repeats} repeats, "
        f"down to {len(lowest.isr)} of {lowest.replicas} replicas{alone}."
    )


def _of_losses(verdict: Judgement) -> str:
    lost = [count for arm in verdict.arms.values() for count in arm["lost"]]
    if any(lost):
        return f"{sum(count or 0 for count in lost)} acked records were lost."
    if None in lost:
        return "Whether anything was lost is not known for every repeat."
    return "No acked record was lost."


def number(value: float | None) -> str:
    """Write a whole number with its thousands apart; a dash where there is none."""
    if value is None:
        return "\N{EN DASH}"
    return f"{value:,.0f}".replace(",", THIN_SPACE)


def latency(value: float | None) -> str:
    """Milliseconds with one decimal below 100, whole above."""
    if value is None or value >= 99.95:
        return number(value)
    return f"{value:.1f}"


def span(milliseconds: float) -> str:
    """Write a length of time as a person says it: "585 ms", "5.0 s"."""
    if milliseconds < 1_000:
        return f"{milliseconds:.0f} ms"
    return f"{milliseconds / 1_000:.1f} s"


def members(ids: Sequence[int]) -> str:
    """Write an ISR, which is a set: "1, 2, 3"."""
    return ", ".join(str(broker) for broker in sorted(ids))
