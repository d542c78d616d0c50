"""Reads single lines of brokers' logs, as Kafka 2.4 to 4.x write them, and of collectors' logs.

A line that says something of ISRs, leaders, fencing or the life of a broker becomes a line like
those that a run records of the controller's log, so that both are judged by the same code. The
layout does not matter if a line has its date and the message in one piece, as Kafka's default
pattern, JSON layouts and the prefixes of systemd and Strimzi have them.
"""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, Final

from insync.why.facts import LOST_DIR, Appended, Awaited, LogLine, Partition, Paused
from insync.why.rules import WARM_UP_MS
from insync.why.sources.scan import LogFile, ScannedLine

_PARTITION: Final = r"(?P<topic>[\w.-]+)-(?P<number>\d+)"
_OLD_PARTITION: Final = re.compile(r"Partition \[([\w.-]+),(\d+)\] on broker (\d+):")
"""How Kafka before 1.0 names a partition and its leader."""
_STATE: Final = re.compile(
    rf"\[Broker id=(?P<leader>\d+)\] Skipped the become-leader state change for {_PARTITION} "
    r".* ISR \[(?P<after>[\d,]+)"
)
_PROPOSED: Final = re.compile(
    rf"\[Partition {_PARTITION} broker=(?P<leader>\d+)\] (?:Shrink|Expand)ing ISR"
    r" (?:for partition \S+ )?from (?P<before>[\d,]+) to (?P<after>[\d,]+)"
)
_UPDATED: Final = re.compile(
    rf"\[Partition {_PARTITION} broker=(?P<leader>\d+)\] ISR updated (?:from AlterIsr )?to"
    r" \[?(?P<after>[\d,]+)"
)
_REFUSED: Final = re.compile(
    rf"\[Partition {_PARTITION} broker=(?P<leader>\d+)\] Cached zkVersion .* skip updating ISR"
)
_LEADS: Final = re.compile(
    rf"\[Broker id=(?P<leader>\d+)\] Leader {_PARTITION} (?:with topic id \S+ )?starts at"
    r" leader epoch (?P<epoch>\d+).* ISR \[?(?P<after>[\d,]+)"
)
_OF_ISRS: Final = (_PROPOSED, _UPDATED, _LEADS, _STATE)
_EPOCH: Final = re.compile(
    rf"(?:Leader|Follower) {_PARTITION} .*?starts at leader epoch (\d+) .* epoch was (\d+)"
)
_REGISTERED: Final = re.compile(
    r"registered broker (\d+) with broker epoch (\d+)"
    r"|RegisterBrokerRecord\(brokerId=(\d+),.*? brokerEpoch=(\d+),"
)
_CLUSTER: Final = re.compile(
    r"(?:Cluster ID\W+|with clusterId |of broker \d+ in cluster )([\w-]{22})\b"
)
_FENCING: Final = re.compile(r"Fencing broker:? (\d+)\b.*because its session has timed out")
"""What a controller intends; one that does not know yet that it is none may intend it, too."""
_FENCED: Final = (
    (re.compile(r"ChangeRecord\(brokerId=(\d+), brokerEpoch=\d+, fenced=1,"), True),
    (re.compile(r"ChangeRecord\(brokerId=(\d+), brokerEpoch=\d+, fenced=-1"), False),
    (re.compile(r"Replayed FenceBrokerRecord\(id=(\d+)"), True),
    (re.compile(r"Replayed UnfenceBrokerRecord\(id=(\d+)"), False),
)  # fmt: skip
_ZOOKEEPER: Final = re.compile(
    r"Newly added brokers: ([\d,]*), deleted brokers: ([\d,]*), bounced brokers: ([\d,]*)"
)
_STARTED: Final = re.compile(
    r"\[KafkaServer id=(\d+)\] started|\[KafkaRaftServer nodeId=(\d+)\] Kafka Server started"
)
_STOPPING: Final = re.compile(r"Terminating process due to signal|ing controlled shutdown")
_FETCHER: Final = re.compile(
    r"\[ReplicaFetcher(?: replicaId=(\d+), leaderId=(\d+), fetcherId=\d+|Thread-\d+-(\d+))\],?"
    r" Error (?:in response|in fetch|when)"
)
_GIVEN_UP: Final = re.compile(
    r"\[ReplicaFetcher replicaId=(\d+), leaderId=(\d+), .*Partition \S+ marked as failed"
)
_CANCELLED: Final = re.compile(
    r"Cancelled in-flight .*since send: (\d+)ms,.* request timeout: (\d+)ms"
)
_SESSION: Final = re.compile(r"(?:sessionTimeout=|zookeeper\.session\.timeout\.ms = )(\d+)")
_UNHEARD: Final = re.compile(
    r"session timed out, have not heard from server in (\d+)ms for .* closing socket"
)
"""A client of ZooKeeper gives a connection up after two thirds of its session."""
_LOST_DIR: Final = re.compile(r"Stopping serving (?:logs|replicas) in (?:log )?dir")
_COLLECTED: Final = re.compile(r"GC\(\d+\) Pause .* (\d+(?:\.\d+)?)ms\s*$")
_CAUGHT_UP: Final = re.compile(r"brokerId: (\d+), endOffset: -?\d+, lastCaughtUpTimeMs: ([1-9]\d*)")
_HAS_NOTHING: Final = re.compile(r"brokerId: (\d+), endOffset: (-1|0)\b")
_LAG: Final = re.compile(r"replica\.lag\.time\.max\.ms = (\d+)")
_MIN_ISR: Final = re.compile(
    r"min\.insync\.replicas = (?P<own>\d+)"
    r"|type=(?P<type>TOPIC|BROKER), name='(?P<name>[^']*)'\) which set configuration"
    r" min\.insync\.replicas to (?P<set>\d+)"
    rf"|log for partition {_PARTITION} in .*min\.insync\.replicas(?: -> |=)(?P<made>\d+)"
)
_WAITED_MS: Final = 30_000.0
"""Kafka's default of replica.socket.timeout.ms, after which a fetcher gives a leader up."""
_OVERSLEPT_MS: Final = 1_000.0
"""A client that ends a request so long after twice its timeout did not run meanwhile: it may sleep
for one timeout before it looks at the request again."""
_QUARTER_MS: Final = 900_000.0
"""Time zones differ by quarters of hours; a leader removes a follower earlier than that."""
_LONGEST: Final = 280
"""So much of a line is quoted."""

Shared = tuple[str, str, int, int]
"""An event that several nodes log: its kind, of what, and two numbers."""


@dataclass(slots=True)
class LogReading:
    """What is read so far; `changes` are lines as a run records them.

    ISRs are `proposed` by a leader, two lines each, before and after, until its log says that the
    last one was made; `refused` are those that were not. `confirms` are the sources that say so.
    `stops` are when brokers were told to end, `boots` from when until when nodes started. A fencing
    is `intended` until a controller's log replays it. Everything is kept with the number of its
    source, whose clock may be wrong. `session_ms` is that of ZooKeeper. `epochs` are the last
    leader epochs, and since when. `zone_off_ms` is by how much a date differs from a time in its
    line that has no zone, if the zone is wrong. `late_ms` is the least time for which a follower
    had not caught up when it was removed.
    """

    zone: tzinfo
    sources: list[LogFile] = field(default_factory=list)
    changes: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    intended: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    proposed: dict[tuple[int, Partition], list[dict[str, Any]]] = field(default_factory=dict)
    confirms: set[int] = field(default_factory=set)
    refused: list[str] = field(default_factory=list)
    starts: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    spans: list[tuple[int, Awaited | Appended | Paused]] = field(default_factory=list)
    lines: list[tuple[int, LogLine]] = field(default_factory=list)
    ran: list[tuple[int, float]] = field(default_factory=list)
    shared: dict[Shared, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    stops: list[tuple[int, int, float]] = field(default_factory=list)
    boots: list[tuple[int, float, float]] = field(default_factory=list)
    replicas: dict[Partition, set[int]] = field(default_factory=lambda: defaultdict(set))
    epochs: dict[Partition, tuple[int, float]] = field(default_factory=dict)
    min_isr: dict[str, int] = field(default_factory=dict)
    lag_ms: float | None = None
    session_ms: float | None = None
    late_ms: float = float("inf")
    zone_off_ms: float | None = None
    broken: list[str] = field(default_factory=list)
    gaps: list[str] = field(default_factory=list)


def add(read: LogReading, line: ScannedLine) -> None:
    """Add what a line says, if it says something."""
    text, at_ms = _OLD_PARTITION.sub(r"[Partition \1-\2 broker=\3]", line.text), line.at_ms
    own = read.sources[line.source].broker
    if found := next(filter(None, (each.search(text) for each in _OF_ISRS)), None):
        _add_isr(read, line, found.groupdict())
    elif found := _REFUSED.search(text):
        _refuse(read, line, Partition(found["topic"], int(found["number"])), int(found["leader"]))
    elif "Shrinking ISR from" in text:
        read.broken.append(f"{read.sources[line.source].file}:{line.number}")
    elif found := _FENCING.search(text):
        change = {"kind": "broker", "broker": int(found[1]), "fenced": True, "t_ms": at_ms}
        read.intended.append((line.source, change))
        _quote(read, line, (int(found[1]),))
    elif found := _ZOOKEEPER.search(text):
        for names, fenced in ((found[2], True), (found[1], False)):
            for name in filter(None, names.split(",")):
                _add_fencing(read, line, int(name), fenced=fenced)
    elif found := _STARTED.search(text):
        broker = int(found[1] or found[2])
        if line.began_ms is not None:
            read.boots.append((broker, line.began_ms, at_ms))
        if read.sources[line.source].controller is None or own is not None:
            _add_start(read, line, broker)
    elif own is not None and _STOPPING.search(text):
        read.stops.append((line.source, own, at_ms))
    elif (found := _FETCHER.search(text)) and (found[1] or own is not None):
        ends = int(found[1] or str(own)), int(found[2] or found[3])
        _add_span(read, line, ends, Awaited(
            broker=ends[0], peer=ends[1], since_ms=at_ms - _WAITED_MS, until_ms=at_ms,
        ))  # fmt: skip
    elif found := _GIVEN_UP.search(text):
        _quote(read, line, (int(found[1]), int(found[2])))
    elif found := _LAG.search(text):
        read.lag_ms = float(found[1])
    elif found := _MIN_ISR.search(text):
        _add_min_isr(read, found.groupdict())
    elif own is not None and _LOST_DIR.search(text):
        lost = Appended(leader=own, site=LOST_DIR, since_ms=at_ms, until_ms=at_ms)
        _add_span(read, line, (own,), lost)
    elif own is not None and (found := _COLLECTED.search(text)):
        _add_pause(read, line, own, float(found[1]))
    elif own is not None and (found := _CANCELLED.search(text)):
        _add_timeout(read, line, own, float(found[1]) - 2 * float(found[2]))
    elif found := _SESSION.search(text):
        read.session_ms = float(found[1])
    elif own is not None and read.session_ms and (found := _UNHEARD.search(text)):
        _add_timeout(read, line, own, float(found[1]) - read.session_ms * 2 / 3)
    else:
        for pattern, fenced in _FENCED:
            if found := pattern.search(text):
                _add_fencing(read, line, int(found[1]), fenced=fenced)
    _add_shared(read, line)


def _add_shared(read: LogReading, line: ScannedLine) -> None:
    """Add when a node logged what others log at the same moment; not what it reads at its start."""
    if (found := _EPOCH.search(line.text)) and found[3] != found[4]:
        key = ("epoch", f"{found['topic']}-{found['number']}", int(found[3]), 0)
    elif found := _REGISTERED.search(line.text):
        key = ("registered", "", int(found[1] or found[3]), int(found[2] or found[4]))
    else:
        if found := _CLUSTER.search(line.text):
            read.sources[line.source].clusters.append(found[1])
        return
    read.shared[key].setdefault(line.source, line.at_ms)


def _quote(read: LogReading, line: ScannedLine, brokers: tuple[int, ...]) -> None:
    text = " ".join(line.text.split())
    text = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
    read.lines.append((line.source, LogLine(
        at_ms=line.at_ms, brokers=brokers, file=read.sources[line.source].file,
        number=line.number, text=text,
    )))  # fmt: skip


def _add_span(
    read: LogReading, line: ScannedLine, brokers: tuple[int, ...], span: Awaited | Appended | Paused
) -> None:
    read.spans.append((line.source, span))
    _quote(read, line, brokers)


def _add_pause(read: LogReading, line: ScannedLine, own: int, took_ms: float) -> None:
    pause = Paused(
        broker=own, since_ms=line.at_ms - took_ms, until_ms=line.at_ms, paused_ms=took_ms
    )
    read.spans.append((line.source, pause))
    if took_ms >= _OVERSLEPT_MS:
        _quote(read, line, (own,))


def _add_timeout(read: LogReading, line: ScannedLine, own: int, late_ms: float) -> None:
    """Add that a process timed something out: so late that it did not run, or in time."""
    if late_ms >= _OVERSLEPT_MS:
        _add_pause(read, line, own, late_ms)
    else:
        read.ran.append((line.source, line.at_ms))


def _add_start(read: LogReading, line: ScannedLine, broker: int) -> None:
    away_ms = None if line.before_ms is None else max(0.0, line.at_ms - line.before_ms)
    start = {"broker": broker, "t_ms": line.at_ms, "away_ms": away_ms}
    read.starts.append((line.source, start))
    _quote(read, line, (broker,))


def _add_fencing(read: LogReading, line: ScannedLine, broker: int, *, fenced: bool) -> None:
    change = {"kind": "broker", "broker": broker, "fenced": fenced, "t_ms": line.at_ms}
    read.changes.append((line.source, change))
    _quote(read, line, (broker,))


def _add_isr(read: LogReading, line: ScannedLine, said: dict[str, str]) -> None:
    """Add a leader's line about an ISR; before the first one that shrinks it had the one before.

    A broker that leads no more may still want to shrink one, which then stays as it is.
    """
    partition, leader = Partition(said["topic"], int(said["number"])), int(said["leader"])
    late = {int(who): line.at_ms - int(when) for who, when in _CAUGHT_UP.findall(line.text)}
    if other := [by for by in late.values() if not -_QUARTER_MS <= by <= _QUARTER_MS]:
        read.zone_off_ms, late = other[0], {}
    epoch, led_ms = read.epochs.get(partition, (None, 0.0))
    is_young = line.at_ms - led_ms <= WARM_UP_MS
    new_to = [
        int(who)
        for who, end in _HAS_NOTHING.findall(line.text)
        if epoch == 0 and (end == "-1" or is_young)
    ]
    isrs = [_ids(said[name]) for name in ("before", "after") if said.get(name)]
    changes = [
        {
            "kind": "partition", "topic": partition.topic, "partition": partition.number,
            "leader": leader, "isr": isr, "t_ms": when, "late_ms": late, "new_to": new_to,
        }
        for when, isr in zip((line.at_ms - 1, line.at_ms)[-len(isrs) :], isrs, strict=True)
    ]  # fmt: skip
    read.replicas[partition].update(*isrs)
    if said.get("epoch"):
        read.epochs[partition] = int(said["epoch"]), line.at_ms
    read.late_ms = min([read.late_ms, *(each for each in late.values() if each > 0)])
    if said.get("before"):
        read.proposed.setdefault((line.source, partition), []).extend(changes)
        _quote(read, line, (leader, *sorted({*isrs[0]} ^ {*isrs[1]})))
        return
    wanted = read.proposed.pop((line.source, partition), [])[-2:]
    made = {*wanted[-1]["isr"]} if wanted else set()
    if made == {*isrs[0]}:
        changes = wanted
    elif said.get("epoch"):  # a new leader, or new replicas: what the controller decided
        changes[0]["by_controller"] = True
    elif made < {*isrs[0]}:  # it grows again: a line that it had shrunk is not always there
        changes = [*wanted, *changes]
    if "updated" in line.text:
        read.confirms.add(line.source)
    read.changes += [(line.source, each) for each in changes]


def _refuse(read: LogReading, line: ScannedLine, partition: Partition, leader: int) -> None:
    """Forget the last ISR that a leader proposed: others know another leader, or another ISR."""
    del read.proposed.get((line.source, partition), [])[-2:]
    read.refused.append(f"{read.sources[line.source].file}:{line.number}")
    _quote(read, line, (leader,))


def _ids(text: str) -> list[int]:
    return [int(each) for each in text.split(",") if each]


def _add_min_isr(read: LogReading, said: dict[str, str | None]) -> None:
    """Add the min.insync.replicas of a topic, or of all others; a dynamic one comes before."""
    if said["own"]:
        read.min_isr.setdefault("", int(said["own"]))
    elif said["set"]:
        read.min_isr["" if said["type"] == "BROKER" else str(said["name"])] = int(said["set"])
    elif said["made"]:
        read.min_isr.setdefault(str(said["topic"]), int(said["made"]))
