"""Turns the events of a broker's agent into facts; the same for a file and for the events topic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from insync.arms import APPENDS, FEATURE, PROCESS_TIME, SCOPE
from insync.why.facts import (
    Appended,
    Awaited,
    Dropped,
    Ended,
    Facts,
    Leads,
    Partition,
    Paused,
    Served,
    Span,
)

Event = Mapping[str, Any]

_JUMP_MS: Final = 1_000
_REPORT_MS: Final = 1_000
"""An agent reports its counters once a second, while fetches arrive."""
_LATE_REPORTS: Final = 3
_LEAST_PAUSE_MS: Final = 200
_NO_SITE: Final = "none"


@dataclass(slots=True)
class _Reading:
    """What has to be remembered between the events of one broker."""

    broker: int
    facts: Facts
    paused_ms: float | None = None
    reported_ms: float | None = None
    last_ms: float | None = None
    scope: str | None = None
    enabled: bool = False
    slow_since: float | None = None
    overdue: dict[int, float] = field(default_factory=dict)
    holds: dict[tuple[Partition, int], Served] = field(default_factory=dict)
    leads: dict[Partition, float] = field(default_factory=dict)


def add_agent_lines(facts: Facts, broker: int, events: Sequence[Event]) -> None:
    """Add what a broker's agent wrote, in its order, as far as it concerns the facts' span."""
    reading = _Reading(broker, facts)
    usable = [each for each in events if isinstance(each.get("t_ms"), int | float)]
    if not usable:
        return
    facts.brokers.add(broker)
    facts.heard.add(broker)
    if any(_moved_back(facts.span, one, two) for one, two in pairwise(usable)):
        facts.clock_moved.add(broker)
    for event in usable:
        _take(reading, event)
        reading.last_ms = float(event["t_ms"])
    _finish(reading)


def _moved_back(span: Span, one: Event, two: Event) -> bool:
    """Whether the wall clock jumped back between two events, so that it was wrong before."""
    moved = two["t_ms"] < one["t_ms"] - _JUMP_MS
    return moved and (_inside(span, one["t_ms"]) or _inside(span, two["t_ms"]))


def _inside(span: Span, at_ms: float) -> bool:
    return span.since_ms <= at_ms <= span.until_ms


def _take(reading: _Reading, event: Event) -> None:
    """Take an event; one whose fields are missing or of another type is counted and left out."""
    taker = _TAKERS.get(str(event.get("type")))
    if taker is None:
        return
    try:
        taker(reading, event, float(event["t_ms"]))
    except (AttributeError, KeyError, TypeError, ValueError):
        reading.facts.unreadable += 1


def _keep(reading: _Reading, into: list[Any], fact: Any) -> None:
    """Keep a fact that lies in the span, at least in part."""
    if fact.touches(reading.facts.span):
        into.append(fact)


def _settings(reading: _Reading, event: Event, at_ms: float) -> None:
    reading.scope = str(event.get(SCOPE, reading.scope))
    if FEATURE in event:
        reading.enabled = str(event[FEATURE]).lower() == "true"
    facts = reading.facts
    if reading.scope == "request" and reading.enabled:
        if at_ms <= facts.span.until_ms:
            facts.pauses_known.add(reading.broker)
    elif at_ms <= facts.span.since_ms:
        facts.pauses_known.discard(reading.broker)


def _watched(reading: _Reading, event: Event, at_ms: float) -> None:
    """Note whether the broker watches its peers, and times its appends."""
    facts = reading.facts
    if at_ms > facts.span.until_ms:
        return
    if (event.get(PROCESS_TIME) or -1) > 0:
        facts.peers_known.add(reading.broker)
        if event.get(APPENDS):
            facts.appends_known.add(reading.broker)


def _installed(reading: _Reading, event: Event, at_ms: float) -> None:
    """Note that the process is a new one; the one before ended after its last event.

    One that was started again after the span ended at a time that is not known, perhaps after it.
    """
    reading.paused_ms = None
    reading.reported_ms = None
    reading.leads.clear()
    if reading.last_ms is not None and reading.last_ms < at_ms <= reading.facts.span.until_ms:
        gone = Ended(broker=reading.broker, since_ms=reading.last_ms, until_ms=at_ms)
        _keep(reading, reading.facts.ended, gone)


def _pending(reading: _Reading, event: Event, at_ms: float) -> None:
    """Note by how much the pauses of the process grew since the report before.

    An agent reports nothing while its broker leads nothing. If the report before is long ago, the
    pause has no known time.
    """
    reading.facts.reports.setdefault(reading.broker, []).append(at_ms)
    total = float(event.get("leader_paused_ms") or 0)
    before, reading.paused_ms = reading.paused_ms, total
    since, reading.reported_ms = reading.reported_ms, at_ms
    grown = 0.0 if before is None else total - before
    if grown < _LEAST_PAUSE_MS:
        return
    begun = at_ms - grown - _REPORT_MS if since is None else since
    paused = Paused(broker=reading.broker, since_ms=begun, until_ms=at_ms, paused_ms=grown)
    dated = paused.ms <= grown + _LATE_REPORTS * _REPORT_MS
    _keep(reading, reading.facts.paused if dated else reading.facts.undated, paused)


def _partition(event: Event) -> Partition | None:
    topic, number = event.get("topic"), event.get("partition")
    known = isinstance(topic, str) and isinstance(number, int) and number >= 0
    return Partition(topic, number) if known else None  # type: ignore[arg-type]  # checked above


def _pending_long(reading: _Reading, event: Event, at_ms: float) -> None:
    served = Served(
        leader=reading.broker, follower=int(event["replica"]), partition=_partition(event),
        since_ms=at_ms - float(event["held_ms"]), until_ms=at_ms,
    )  # fmt: skip
    _keep(reading, reading.facts.served, served)


def _outlived(reading: _Reading, event: Event, at_ms: float) -> None:
    _pending_long(reading, {**event, "held_ms": event["pending_ms"]}, at_ms)


def _hold(reading: _Reading, event: Event, at_ms: float) -> None:
    partition = _partition(event)
    if partition is None or event.get("site") in (None, _NO_SITE):
        return
    key = (partition, int(event["replica"]))
    reading.holds[key] = Served(
        leader=reading.broker, follower=key[1], partition=partition, site=str(event["site"]),
        held=True, since_ms=at_ms - float(event["pending_ms"]), until_ms=at_ms,
    )  # fmt: skip


def _hold_ended(reading: _Reading, event: Event, at_ms: float) -> None:
    partition = _partition(event)
    begun = (
        None if partition is None else reading.holds.pop((partition, int(event["replica"])), None)
    )
    if begun is not None:
        _keep(reading, reading.facts.served, replace(begun, until_ms=at_ms))


def _decided(reading: _Reading, event: Event, at_ms: float) -> None:
    """Note what a leader stepped down for, or would have: a slow fetch or append."""
    partition = _partition(event)
    if partition is None:
        return
    since = at_ms - float(event.get("pending_ms") or 0)
    site = event.get("site")
    if site is not None:
        appended = Appended(
            leader=reading.broker, partition=partition, site=str(site), since_ms=since,
            until_ms=at_ms,
        )  # fmt: skip
        _keep(reading, reading.facts.appended, appended)
        return
    failed = event.get("reason") == "read_error"
    served = Served(
        leader=reading.broker, follower=None, partition=partition,
        site="read" if failed else None, decided=True, since_ms=since, until_ms=at_ms,
    )  # fmt: skip
    _keep(reading, reading.facts.served, served)


def _leader_slow(reading: _Reading, event: Event, at_ms: float) -> None:
    """Note from when to when a leader found itself slow, whichever its partitions were."""
    if event.get("slow"):
        reading.slow_since = at_ms - float(event.get("pending_ms") or 0)
    elif reading.slow_since is not None:
        _found_itself_slow(reading, at_ms)


def _found_itself_slow(reading: _Reading, until_ms: float) -> None:
    since, reading.slow_since = reading.slow_since, None
    if since is None:
        return
    served = Served(
        leader=reading.broker, follower=None, partition=None, decided=True,
        since_ms=since, until_ms=max(since, until_ms),
    )  # fmt: skip
    _keep(reading, reading.facts.served, served)


def _peer_slow(reading: _Reading, event: Event, at_ms: float) -> None:
    peer = int(event["peer"])
    if event.get("slow"):
        reading.overdue.setdefault(peer, at_ms)
    elif peer in reading.overdue:
        since = reading.overdue.pop(peer)
        awaited = Awaited(broker=reading.broker, peer=peer, since_ms=since, until_ms=at_ms)
        _keep(reading, reading.facts.awaited, awaited)


def _shrink(reading: _Reading, event: Event, at_ms: float) -> None:
    partition = _partition(event)
    if partition is None or not _inside(reading.facts.span, at_ms):
        return
    for follower in event.get("followers") or ():
        if follower["replica"] not in event["proposed"]:
            fetched = float(follower.get("last_fetch_ms") or 0)
            dropped = Dropped(
                at_ms=at_ms, leader=reading.broker, follower=int(follower["replica"]),
                partition=partition, left=len(event["proposed"]),
                unseen_ms=at_ms - fetched if fetched else float("inf"),
            )  # fmt: skip
            reading.facts.dropped.append(dropped)


def _leader_change(reading: _Reading, event: Event, at_ms: float) -> None:
    partition = _partition(event)
    if partition is None:
        return
    if event.get("role") == "leader":
        reading.leads.setdefault(partition, at_ms)
    elif partition in reading.leads:
        _led(reading, partition, reading.leads.pop(partition), at_ms)


def _led(reading: _Reading, partition: Partition, since: float, until: float) -> None:
    led = Leads(leader=reading.broker, partition=partition, since_ms=since, until_ms=until)
    if not reading.facts.controller_known:
        _keep(reading, reading.facts.leads, led)


def _finish(reading: _Reading) -> None:
    """Add what had begun and not ended."""
    end = max(reading.facts.span.until_ms, reading.last_ms or 0.0)
    _found_itself_slow(reading, end)
    for served in reading.holds.values():
        _keep(reading, reading.facts.served, replace(served, until_ms=end))
    for peer, since in reading.overdue.items():
        awaited = Awaited(broker=reading.broker, peer=peer, since_ms=since, until_ms=end)
        _keep(reading, reading.facts.awaited, awaited)
    for partition, since in reading.leads.items():
        _led(reading, partition, since, end)


_TAKERS: Final = {
    "agent_installed": _installed,
    "settings": _settings,
    "settings_updated": _settings,
    "step_down_settings": _watched,
    "pending": _pending,
    "pending_long": _pending_long,
    "pending_outlived": _outlived,
    "hold": _hold,
    "hold_ended": _hold_ended,
    "step_down": _decided,
    "step_down_withheld": _decided,
    "leader_slow": _leader_slow,
    "peer_slow": _peer_slow,
    "isr_shrink": _shrink,
    "leader_change": _leader_change,
}
