"""Turns the events of a broker's agent into facts; the same for a file and for the events topic."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, Final

from insync.arms import APPENDS, FEATURE, PROCESS_TIME, SCOPE
from insync.why.facts import (
    APPEND,
    ASKED_FENCING,
    Appended,
    Awaited,
    Dropped,
    EndedProcess,
    Facts,
    Leads,
    Partition,
    Paused,
    Served,
)

Event = Mapping[str, Any]

_JUMP_MS: Final = 1_000
_REPORT_MS: Final = 1_000
"""An agent reports its counters once a second, while fetches arrive."""
_LATE_REPORTS: Final = 3
_LEAST_PAUSE_MS: Final = 200
_NO_SITE: Final = "none"


def add_agent_lines(facts: Facts, broker: int, events: Sequence[Event]) -> None:
    """Add what a broker's agent wrote, in its order, as far as it concerns the facts' span."""
    usable = [each for each in events if isinstance(each.get("t_ms"), int | float)]
    if not usable:
        return
    facts.brokers.add(broker)
    facts.heard.add(broker)
    for one, two in pairwise(usable):
        jumped = two["t_ms"] < one["t_ms"] - _JUMP_MS  # so that the clock was wrong before
        if jumped and (facts.span.holds(one["t_ms"]) or facts.span.holds(two["t_ms"])):
            facts.clock_moved.add(broker)
    agent = _Agent(broker, facts)
    for event in usable:
        agent.take(event)
    agent.finish()


def _partition(event: Event) -> Partition | None:
    topic, number = event.get("topic"), event.get("partition")
    known = isinstance(topic, str) and isinstance(number, int) and number >= 0
    return Partition(topic, number) if known else None  # type: ignore[arg-type]  # checked above


@dataclass(slots=True)
class _Agent:
    """What has to be remembered between the events of one broker."""

    broker: int
    facts: Facts
    paused_ms: float | None = None
    reported_ms: float | None = None
    last_ms: float | None = None
    scope: str | None = None
    enabled: bool = False
    slow_since: float | None = None
    fencing_since: float | None = None
    overdue: dict[int, float] = field(default_factory=dict)
    holds: dict[tuple[Partition, int], Served] = field(default_factory=dict)
    leads: dict[Partition, float] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        """Take an event; one whose fields are missing or of another type is counted."""
        at_ms = float(event["t_ms"])
        taker = _TAKERS.get(str(event.get("type")))
        try:
            if taker is not None:
                taker(self, event, at_ms)
        except (AttributeError, KeyError, TypeError, ValueError):
            self.facts.unreadable += 1
        self.last_ms = at_ms

    def finish(self) -> None:
        """Add what had begun and not ended."""
        end = max(self.facts.span.until_ms, self.last_ms or 0.0)
        self.leader_slow({}, end)
        self.fencing({"state": "ended"}, end)
        for served in self.holds.values():
            self.keep(self.facts.served, replace(served, until_ms=end))
        for peer in [*self.overdue]:
            self.peer_slow({"peer": peer}, end)
        for partition, since in self.leads.items():
            self.led(partition, since, end)

    def keep(self, into: list[Any], fact: Any) -> None:
        """Keep a fact that lies in the span, at least in part."""
        if fact.touches(self.facts.span):
            into.append(fact)

    def settings(self, event: Event, at_ms: float) -> None:
        self.scope = str(event.get(SCOPE, self.scope))
        if FEATURE in event:
            self.enabled = str(event[FEATURE]).lower() == "true"
        if self.scope == "request" and self.enabled:
            if at_ms <= self.facts.span.until_ms:
                self.facts.pauses_known.add(self.broker)
        elif at_ms <= self.facts.span.since_ms:
            self.facts.pauses_known.discard(self.broker)

    def step_down_settings(self, event: Event, at_ms: float) -> None:
        """Note whether the broker watches its peers, and times its appends."""
        if at_ms <= self.facts.span.until_ms and (event.get(PROCESS_TIME) or -1) > 0:
            self.facts.peers_known.add(self.broker)
            if event.get(APPENDS):
                self.facts.appends_known.add(self.broker)

    def installed(self, _: Event, at_ms: float) -> None:
        """Note that the process is a new one; the one before ended after its last event.

        One that was started again after the span ended at a time that is not known.
        """
        self.paused_ms = None
        self.reported_ms = None
        self.leads.clear()
        if self.last_ms is not None and self.last_ms < at_ms <= self.facts.span.until_ms:
            gone = EndedProcess(broker=self.broker, since_ms=self.last_ms, until_ms=at_ms)
            self.keep(self.facts.ended, gone)

    def pending(self, event: Event, at_ms: float) -> None:
        """Note by how much the pauses of the process grew since the report before.

        An agent reports nothing while its broker leads nothing. If the report before is long ago,
        the pause has no known time.
        """
        self.facts.reports.setdefault(self.broker, []).append(at_ms)
        total = float(event.get("leader_paused_ms") or 0)
        before, self.paused_ms = self.paused_ms, total
        since, self.reported_ms = self.reported_ms, at_ms
        grown = 0.0 if before is None else total - before
        if grown < _LEAST_PAUSE_MS:
            return
        begun = at_ms - grown - _REPORT_MS if since is None else since
        paused = Paused(broker=self.broker, since_ms=begun, until_ms=at_ms, paused_ms=grown)
        dated = paused.ms <= grown + _LATE_REPORTS * _REPORT_MS
        self.keep(self.facts.paused if dated else self.facts.undated, paused)

    def pending_long(self, event: Event, at_ms: float) -> None:
        ms = float(event["held_ms"] if "held_ms" in event else event["pending_ms"])
        self.served(event, at_ms - ms, at_ms, follower=int(event["replica"]))

    def served(self, event: Event, since_ms: float, until_ms: float, **more: Any) -> None:
        served = Served(
            leader=self.broker, partition=_partition(event), since_ms=since_ms, until_ms=until_ms,
            **more,
        )  # fmt: skip
        self.keep(self.facts.served, served)

    def hold(self, event: Event, at_ms: float) -> None:
        partition = _partition(event)
        if partition is None or event.get("site") in (None, _NO_SITE):
            return
        key = (partition, int(event["replica"]))
        self.holds[key] = Served(
            leader=self.broker, follower=key[1], partition=partition, site=str(event["site"]),
            held=True, since_ms=at_ms - float(event["pending_ms"]), until_ms=at_ms,
        )  # fmt: skip

    def hold_ended(self, event: Event, at_ms: float) -> None:
        partition = _partition(event)
        if partition is not None:
            begun = self.holds.pop((partition, int(event["replica"])), None)
            if begun is not None:
                self.keep(self.facts.served, replace(begun, until_ms=at_ms))

    def step_down(self, event: Event, at_ms: float) -> None:
        """Note what a leader stepped down for, or would have: a slow fetch or append."""
        partition, site = _partition(event), event.get("site")
        since = at_ms - float(event.get("pending_ms") or 0)
        if partition is not None and site is not None:
            appended = Appended(
                leader=self.broker, partition=partition, site=f"{APPEND}: {site}", since_ms=since,
                until_ms=at_ms,
            )  # fmt: skip
            self.keep(self.facts.appended, appended)
        elif partition is not None:
            failed = event.get("reason") == "read_error"
            self.served(event, since, at_ms, decided=True, site="read" if failed else None)

    def leader_slow(self, event: Event, at_ms: float) -> None:
        """Note from when to when a leader found itself slow, whichever its partitions were."""
        if event.get("slow"):
            self.slow_since = at_ms - float(event.get("pending_ms") or 0)
        elif self.slow_since is not None:
            since, self.slow_since = self.slow_since, None
            self.served({}, since, max(since, at_ms), decided=True)

    def fencing(self, event: Event, at_ms: float) -> None:
        """Note from when to when a broker that found itself too slow asked to be fenced."""
        if event["state"] == "asked":
            self.fencing_since = at_ms
        elif event["state"] == "ended" and self.fencing_since is not None:
            since, self.fencing_since = self.fencing_since, None
            asked = Appended(
                leader=self.broker, site=ASKED_FENCING, since_ms=since, until_ms=at_ms
            )  # fmt: skip
            self.keep(self.facts.appended, asked)

    def peer_slow(self, event: Event, at_ms: float) -> None:
        peer = int(event["peer"])
        if event.get("slow"):
            self.overdue.setdefault(peer, at_ms)
        elif peer in self.overdue:
            since = self.overdue.pop(peer)
            awaited = Awaited(broker=self.broker, peer=peer, since_ms=since, until_ms=at_ms)
            self.keep(self.facts.awaited, awaited)

    def isr_shrink(self, event: Event, at_ms: float) -> None:
        partition = _partition(event)
        if partition is None or not self.facts.span.holds(at_ms):
            return
        for follower in event.get("followers") or ():
            if follower["replica"] not in event["proposed"]:
                fetched = float(follower.get("last_fetch_ms") or 0)
                dropped = Dropped(
                    at_ms=at_ms, leader=self.broker, follower=int(follower["replica"]),
                    partition=partition, left=len(event["proposed"]),
                    unseen_ms=at_ms - fetched if fetched else float("inf"),
                )  # fmt: skip
                self.facts.dropped.append(dropped)

    def leader_change(self, event: Event, at_ms: float) -> None:
        partition = _partition(event)
        if partition is not None and event.get("role") == "leader":
            self.leads.setdefault(partition, at_ms)
        elif partition in self.leads:
            self.led(partition, self.leads.pop(partition), at_ms)

    def led(self, partition: Partition, since: float, until: float) -> None:
        """Keep what the broker led, unless the controller's log says more of it."""
        led = Leads(leader=self.broker, partition=partition, since_ms=since, until_ms=until)
        if not self.facts.controller_known:
            self.keep(self.facts.leads, led)


_TAKERS: Final[Mapping[str, Callable[[_Agent, Event, float], None]]] = {
    "agent_installed": _Agent.installed,
    "settings": _Agent.settings,
    "settings_updated": _Agent.settings,
    "step_down_settings": _Agent.step_down_settings,
    "pending": _Agent.pending,
    "pending_long": _Agent.pending_long,
    "pending_outlived": _Agent.pending_long,
    "hold": _Agent.hold,
    "hold_ended": _Agent.hold_ended,
    "step_down": _Agent.step_down,
    "step_down_withheld": _Agent.step_down,
    "leader_slow": _Agent.leader_slow,
    "fencing": _Agent.fencing,
    "peer_slow": _Agent.peer_slow,
    "isr_shrink": _Agent.isr_shrink,
    "leader_change": _Agent.leader_change,
}
