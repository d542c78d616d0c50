"""The metrics of a repeat as the report shows them: their names, and which of them a run has."""

from __future__ import annotations

from collections.abc import Sequence

from insync.report.judgement import Judgement

METRICS = {
    "isr_shrinks": "ISR shrinks",
    "first_shrink_ms": "first shrink after, ms",
    "min_isr_size": "smallest ISR",
    "under_min_isr_ms": "under min ISR, ms",
    "offline_ms": "offline, ms",
    "max_ack_gap_ms": "longest gap between acks, ms",
    "mean_ack_ms": "mean ack, ms",
    "acked": "acked",
    "lost": "lost",
    "duplicated": "duplicated",
    "false_alarms": "healthy followers dropped",
    "detected_ms": "follower at fault out after, ms",
    "reordered": "reordered",
    "gaps": "gaps",
    "inconsistent": "inconsistent offsets",
    "split_epochs": "epochs with two leaders",
    "diverged": "diverged partitions",
    "watermarks_back": "high watermarks gone back",
    "leader_changes": "leader changes",
    "soonest_return_ms": "soonest return of a leader, ms",
    "step_downs": "step-downs",
    "step_downs_withheld": "step-downs withheld",
    "most_step_downs": "most step-downs of a partition",
    "dead_follower_dropped_ms": "dead follower out after, ms",
    "aborted_read": "aborted, yet read",
    "torn": "transactions read in part",
    "max_commit_gap_ms": "longest gap between commits, ms",
    "fetchers_lost": "fetcher threads lost",
    "partitions_failed": "partitions given up",
    "partitions_behind": "partitions not replicated",
    "start_above_end": "log start above end",
    "start_above_watermark": "log start above watermark",
    "starts_put_right": "answers put right",
}
"""The metrics of `verdict.json` and what a reader sees above them."""


def shown(verdict: Judgement) -> list[str]:
    """Return the metrics that some repeat of some arm has: there were no transactions, say."""
    return [name for name in METRICS if any(_known(arm[name]) for arm in verdict.arms.values())]


def _known(values: Sequence[float | None]) -> bool:
    return any(value is not None for value in values)
