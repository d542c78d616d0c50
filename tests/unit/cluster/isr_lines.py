"""Checks the keys and the order of lines of isr.jsonl, from KRaft's log and from ZooKeeper's."""

from collections.abc import Mapping, Sequence
from typing import Any

KEYS = [
    "v", "arm", "t_ms", "kind", "topic", "partition", "leader", "leader_epoch", "isr", "elr",
    "replicas", "adding", "broker", "fenced",
]  # fmt: skip


def assert_well_formed(lines: Sequence[Mapping[str, Any]], arm: str) -> None:
    """Assert that every line has every key, and that times never decrease."""
    assert all(list(line) == KEYS for line in lines)
    assert all(line["arm"] == arm and line["v"] == 1 for line in lines)
    times = [line["t_ms"] for line in lines]
    assert times == sorted(times)
