"""Runs the scenarios that the tools of this folder make."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import tomli_w

from commands import Argument, Done, insync

BROKER: Final[Mapping[str, int]] = {
    "replica_lag_time_max_ms": 10_000,
    "replica_fetch_wait_max_ms": 500,
    "leader_fetch_process_time_max_ms": 2_000,
    "insync_relinquish_cooldown_ms": 300_000,
}
"""A third of Kafka's default lag, and a T of 2 s: what docs/results.md calls full times."""


def run(keys: Mapping[str, Any], out: Path, *options: Argument, within_s: float) -> Done:
    """Write a scenario to OUT/NAME.toml and run it into `folder_of(keys, out)`."""
    file = out / f"{keys['name']}.toml"
    file.write_text(tomli_w.dumps(keys), encoding="utf-8")
    return insync("run", file, *options, "--out", folder_of(keys, out), within_s=within_s)


def folder_of(keys: Mapping[str, Any], out: Path) -> Path:
    return out / str(keys["name"])


def why_not(done: Done) -> str:
    """Return what a command that failed said last."""
    return done.stderr.strip().rpartition("\n")[2]
