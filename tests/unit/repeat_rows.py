"""Makes the rows of the tables of one repeat, as the verdict reads them."""

from typing import Any


def whole_repeat(brokers: set[int], partitions: int) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of a repeat of which every metric is known."""
    times = dict.fromkeys(("under_min_isr_ms", "offline_ms", "under_replicated_ms"), 0.0)
    topic = {"partition": None, "min_isr_size": 3, **times}
    lost = ("lost", "lost_at_moves", "lost_at_unclean", "duplicated", "duplicated_idempotent")
    seen = [{**topic, "partition": number} for number in range(partitions)]
    nothing: list[str] = [
        "isr_shrinks", "faults", "follower_drops", "detections", "leader_changes",
        "dead_followers", "step_downs", "ack_gaps", "pauses", "added_replicas", "errors", "cycles",
        "liveness",
    ]  # fmt: skip
    checks = (
        "reordered", "gaps", "inconsistent", "corrupt", "unexpected", "moved", "truncated",
        "missing_from_log", "split_epochs", "diverged", "watermarks_back",
        "repeated_sequences", "precommitted_read", "g1c", "group_skipped",
    )  # fmt: skip
    replica = {
        "broker": 1, "partition": 0, "start_above_end": 0, "start_above_watermark": 0,
        "log_start_offset": 0, "leo": 1, "fetchers_before": 1, "fetchers_after": 1, "failed": 0,
        "put_right": 0,
    }  # fmt: skip
    return {
        **{name: [] for name in nothing},
        "availability": [topic, *seen],
        "step_down_sources": [{"broker": broker} for broker in brokers],
        "ack_latency": [{"partition": None, "mean_ms": 1.0, "max_ms": 2.0, "acked": 1}],
        "readback": [{**dict.fromkeys(lost, 0), "acked": 1, "read": 1, "read_to_end": True}],
        "checked": [dict.fromkeys(checks, 0)],
        "transactions": [{"commit_gap_ms": 1.0, "torn": 0, "aborted_read": 0}],
        "end_to_end": [{"partition": None, "mean_ms": 1.0, "max_ms": 2.0}],
        "groups": [{"rebalances": 1, "gap_ms": 1.0, "max_lag": 1, "unread": 0}],
        "raced_replicas": [replica],
    }
