"""Build the lines of isr.jsonl, the same for KRaft and for ZooKeeper."""

from typing import Any

Line = dict[str, Any]
_KEYS = ("kind", "topic", "partition", "leader", "leader_epoch", "isr", "elr", "replicas",
         "adding", "broker", "fenced")  # fmt: skip


def line(arm: str, time_ms: int, **known: Any) -> Line:
    """Return one line with every key of isr.jsonl; a key that its kind does not have is null."""
    return {"v": 1, "arm": arm, "t_ms": float(time_ms), **{key: known.get(key) for key in _KEYS}}
