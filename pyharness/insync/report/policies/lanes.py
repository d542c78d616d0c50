"""Finds over one repeat when each follower was at fault, and when it was in the ISR.

A lane is a follower of a partition. In the ISR the follower is healthy, or its fault is not
detected. Out of the ISR its fault is detected, or its removal is a false alarm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from insync.report.timeline.timelines import Fault, Span, Timeline

Standing = Literal["fine", "unnoticed", "noticed", "alarm"]

STANDINGS: dict[Standing, str] = {
    "fine": "healthy and in sync",
    "unnoticed": "at fault and still in sync",
    "noticed": "at fault and out of sync, until it has caught up",
    "alarm": "healthy and dropped: a false alarm",
}


@dataclass(frozen=True)
class Stretch:
    """A time (seconds) in which a follower's standing does not change."""

    start_s: float
    end_s: float
    standing: Standing


@dataclass(frozen=True)
class Lane:
    """One follower of one partition."""

    partition: int
    follower: int
    stretches: tuple[Stretch, ...]


def follower_lanes(timeline: Timeline) -> list[Lane]:
    """Return a lane per partition and follower, in order."""
    lanes = []
    for partition in sorted({span.partition for span in timeline.spans}):
        spans = [span for span in timeline.spans if span.partition == partition]
        everybody = {member for span in spans for member in span.isr}
        for follower in sorted(everybody - {span.leader for span in spans}):
            faults = [fault for fault in timeline.faults if _concerns(fault, partition, follower)]
            stretches = tuple(_stretches(spans, follower, faults, timeline.lag_s))
            lanes.append(Lane(partition, follower, stretches))
    return lanes


def _concerns(fault: Fault, partition: int, follower: int) -> bool:
    about = fault.partitions is None or partition in fault.partitions
    return fault.broker == follower and about


def _stretches(
    spans: Sequence[Span], follower: int, faults: Sequence[Fault], lag_s: float
) -> Iterator[Stretch]:
    for start_s, end_s, inside in _memberships(spans, follower):
        if inside:
            yield from _while_inside(start_s, end_s, faults)
        else:
            felt = any(fault.start_s <= start_s <= fault.end_s + lag_s for fault in faults)
            yield Stretch(start_s, end_s, "noticed" if felt else "alarm")


def _memberships(spans: Sequence[Span], follower: int) -> Iterator[tuple[float, float, bool]]:
    """Yield the longest stretches in which the follower was in the ISR, or was not."""
    begun: tuple[float, bool] | None = None
    for span in spans:
        inside = follower in span.isr
        if begun is None:
            begun = (span.start_s, inside)
        elif begun[1] != inside:
            yield begun[0], span.start_s, begun[1]
            begun = (span.start_s, inside)
    if begun is not None:
        yield begun[0], spans[-1].end_s, begun[1]


def _while_inside(start_s: float, end_s: float, faults: Sequence[Fault]) -> Iterator[Stretch]:
    at = start_s
    for fault in sorted(faults, key=lambda each: each.start_s):
        begin, end = max(at, fault.start_s), min(end_s, fault.end_s)
        if begin < end:
            if at < begin:
                yield Stretch(at, begin, "fine")
            yield Stretch(begin, end, "unnoticed")
            at = end
    if at < end_s:
        yield Stretch(at, end_s, "fine")
