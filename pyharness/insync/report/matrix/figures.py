"""The metrics that a matrix shows in its cells: their names there, and how they are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from insync.report.words import span


@dataclass(frozen=True)
class Shown:
    """A metric: what it is in a legend and in a cell, and whether it is a time.

    A time is written in seconds in a table and has a bar on the page; others are counts. Some
    counts stand out when they are not 0.
    """

    legend: str
    name: str
    time: bool = True
    stands_out: bool = False

    @property
    def brief(self) -> Callable[[float], str]:
        """How it is written where its legend names the unit."""
        return _seconds if self.time else _count

    @property
    def full(self) -> Callable[[float], str]:
        """How it is written with its unit."""
        return span if self.time else _count


SHOWN = {
    "isr_shrinks": Shown("ISR shrinks", "ISR shrinks", time=False, stands_out=True),
    "under_min_isr_ms": Shown("seconds under min ISR", "under min ISR"),
    "max_ack_gap_ms": Shown("longest gap between acks in seconds", "longest ack gap"),
    "offline_ms": Shown("seconds offline", "offline"),
    "dead_follower_dropped_ms": Shown("seconds until a dead follower was out", "dead one out"),
    "false_alarms": Shown("false alarms", "false alarms", time=False, stands_out=True),
    "detected_ms": Shown("seconds until a follower at fault was out", "one at fault out"),
    "leader_changes": Shown("leader changes", "leader changes", time=False),
    "fetchers_lost": Shown("fetcher threads lost", "fetchers lost", time=False, stands_out=True),
    "partitions_failed": Shown("partitions given up", "given up", time=False, stands_out=True),
    "partitions_behind": Shown(
        "partitions not replicated any more", "not replicated", time=False, stands_out=True
    ),
    "start_above_end": Shown(
        "samples with a log start offset above the log's end",
        "start above end",
        time=False,
        stands_out=True,
    ),
    "start_above_watermark": Shown(
        "samples with a log start offset above the high watermark",
        "start above watermark",
        time=False,
        stands_out=True,
    ),
    "starts_put_right": Shown("answers put right", "put right", time=False),
}
"""By metric, as `events.matrix_info` names those of a row."""


def legend(metrics: Sequence[str]) -> str:
    """Say what the figures of a cell are, in their order."""
    return " / ".join(SHOWN[metric].legend for metric in metrics)


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1e3:.1f}"


def _count(value: float) -> str:
    return f"{value:g}"
