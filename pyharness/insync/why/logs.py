"""Reads the facts of brokers' own log files: no agent, broker or JVM is needed.

A line that says something of ISRs, leaders, fencing or the life of a broker becomes a line like
those that a run records of the controller's log, so that both are judged by the same code. Kafka
2.4 to 4.x write them. Other lines are counted. A file may be gzipped; the layout of its lines does
not matter if a line has its date and the message in one piece, as Kafka's default pattern, JSON
layouts and the prefixes of systemd and Strimzi have them.
"""

import gzip
import re
import zlib
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from insync.errors import InputError
from insync.why.answer import Answer
from insync.why.controller_lines import add_controller_lines, add_lives
from insync.why.facts import APPEND, Appended, Awaited, Facts, Partition, Paused, Span
from insync.why.infer import answer_of
from insync.why.rules import DEFAULT_LAG_MS

_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[,.](\d{3})\d*)? ?(Z|[+-]\d\d:?\d\d)?"
)
_INSTANT: Final = re.compile(r'"epochSecond":(\d+),"nanoOfSecond":(\d+)')
_OWN_ID: Final = re.compile(
    r"\[(?:(?:Broker|KafkaServer|BrokerServer|BrokerLifecycleManager|GroupCoordinator) (?:id=)?"
    r"|KafkaRaftServer nodeId=|ReplicaManager broker=|Partition \S+ broker="
    r"|ReplicaFetcher replicaId=)(\d+)"
)
_PARTITION: Final = r"(?P<topic>[\w.-]+)-(?P<number>\d+)"
_SHRINK: Final = re.compile(
    rf"\[Partition {_PARTITION} broker=(?P<leader>\d+)\] (?:Shrinking|Expanding) ISR from"
    r" (?P<before>[\d,]+) to (?P<after>[\d,]+)"
)
_UPDATED: Final = re.compile(
    rf"\[Partition {_PARTITION} broker=(?P<leader>\d+)\] ISR updated to \[?(?P<after>[\d,]+)"
)
_LEADS: Final = re.compile(
    rf"\[Broker id=(?P<leader>\d+)\] Leader {_PARTITION} (?:with topic id \S+ )?starts at"
    r".* ISR \[?(?P<after>[\d,]+)"
)
_FENCED: Final = (
    (re.compile(r"Fencing broker:? (\d+)\b.*because its session has timed out"), True),
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
_STARTING: Final = re.compile(r"Registered `?kafka:type=kafka.Log4jController`? MBean")
"""The first line of a broker's process."""
_FETCHER: Final = re.compile(
    r"\[ReplicaFetcher replicaId=(\d+), leaderId=(\d+), fetcherId=\d+\] Error (?:in response|when)"
)
_LOST_DIR: Final = re.compile(r"Stopping serving (?:logs|replicas) in (?:log )?dir")
_COLLECTED: Final = re.compile(r"GC\(\d+\) Pause .* (\d+(?:\.\d+)?)ms\s*$")
_CAUGHT_UP: Final = re.compile(r"lastCaughtUpTimeMs: (\d+)")
_LAG: Final = re.compile(r"replica\.lag\.time\.max\.ms = (\d+)")
_WORDS: Final = (
    "ISR", "Fenc", "fenced=", "FenceBroker", "Newly added", "started", "Error ",
    "Stopping serving", "Pause ", "replica.lag.time.max.ms = ", "Log4jController",
)  # fmt: skip
"""What any line of use has: most lines of a log have none of it."""
NOT_LOGGED: Final = (
    "logs do not show acks: a leader whose appends hang is not seen before an ISR changes"
)
_STACK: Final = 200
"""How many lines without a date, as of a stack trace, may come after one that has it."""
_WAITED_MS: Final = 30_000.0
"""Kafka's default of replica.socket.timeout.ms, after which a fetcher gives a leader up."""


@dataclass(slots=True)
class _Read:
    """What is read so far; `changes` and `lives` are lines as a run records them.

    `late_ms` is the least time for which a follower had not caught up when it was removed.
    """

    zone: tzinfo
    changes: list[dict[str, Any]] = field(default_factory=list)
    lives: list[dict[str, Any]] = field(default_factory=list)
    awaited: list[Awaited] = field(default_factory=list)
    appended: list[Appended] = field(default_factory=list)
    paused: list[Paused] = field(default_factory=list)
    starts: Counter[int] = field(default_factory=Counter)
    replicas: dict[Partition, set[int]] = field(default_factory=lambda: defaultdict(set))
    brokers: set[int] = field(default_factory=set)
    lag_ms: float | None = None
    late_ms: float = float("inf")
    first_ms: float = float("inf")
    last_ms: float = float("-inf")
    gaps: list[str] = field(default_factory=list)


def answers(
    places: Sequence[str], lag_ms: float | None, broker_from: str | None, zone: str
) -> list[Answer]:
    """Return the answer about the brokers whose log files these are: files, folders, or globs.

    `broker_from` is a regular expression with a group that finds a broker's id in the path of its
    file; without it the lines say whose they are. `zone` is that of times without one. Raises
    InputError.
    """
    pattern = _pattern(broker_from)
    read = _Read(_zone(zone))
    files = files_of(places)
    for file in files:
        _read_file(read, file, pattern)
    if read.first_ms > read.last_ms:
        raise InputError(f"{', '.join(places)}: no line with a date, expected logs of brokers")
    facts = facts_of(read, lag_ms)
    return [answer_of(facts, f"{len(files)} log file{'s' if len(files) > 1 else ''}")]


def files_of(places: Sequence[str]) -> list[Path]:
    """Return the files of some paths and globs; those of a folder at any depth, by their names."""
    found: dict[Path, None] = {}
    for place in places:
        whole = Path(place)
        paths = [whole] if whole.exists() else sorted(Path(whole.anchor).glob(_relative(whole)))
        if not paths:
            raise InputError(f"--logs {place}: no such file, expected a file, a folder, or a glob")
        for path in paths:
            inside = sorted(path.rglob("*.log*")) if path.is_dir() else [path]
            found |= dict.fromkeys(
                each for each in inside if each.is_file() and not _is_segment(each)
            )
    if not found:
        raise InputError(f"--logs {', '.join(places)}: no file *.log*, expected logs of brokers")
    return list(found)


def _relative(path: Path) -> str:
    return str(path.relative_to(path.anchor) if path.anchor else path)


def _is_segment(file: Path) -> bool:
    """Whether a file is a segment of a partition's log, which has the same suffix."""
    return re.fullmatch(r"\d{20}\.log", file.name) is not None


def _pattern(given: str | None) -> re.Pattern[str] | None:
    try:
        found = None if given is None else re.compile(given)
    except re.error as error:
        raise InputError(f"--broker-from {given}: {error}, expected a regular expression") from None
    if found is not None and found.groups != 1:
        raise InputError(f"--broker-from {given}: expected one group, which has the broker's id")
    return found


def _zone(given: str) -> tzinfo:
    try:
        return UTC if given == "UTC" else ZoneInfo(given)
    except (ValueError, OSError) as error:  # ZoneInfoNotFoundError is a KeyError
        raise InputError(f"--tz {given}: {error}") from None
    except KeyError:
        raise InputError(f"--tz {given}: no such time zone, expected one such as UTC") from None


def _read_file(read: _Read, file: Path, pattern: re.Pattern[str] | None) -> None:
    """Add what a file says; a file that cannot be read to its end is a gap."""
    named = pattern.search(str(file)) if pattern else None
    own = int(named[1]) if named and named[1].isdecimal() else None
    ended_ms = first_ms = None
    recent: deque[str] = deque(maxlen=_STACK)
    try:
        with file.open("rb") as start:
            opened = gzip.open if start.read(2) == b"\x1f\x8b" else open
        with opened(file, "rt", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if own is None and (found := _OWN_ID.search(line)):
                    own = int(found[1])
                if first_ms is None:
                    first_ms = time_of(line, read.zone)
                if any(word in line for word in _WORDS):
                    last_ms = _last(recent, read.zone)
                    at_ms = time_of(line, read.zone) or last_ms
                    if _STARTING.search(line):
                        ended_ms = last_ms
                    elif at_ms is not None:
                        _add(read, line, at_ms, own, ended_ms or last_ms)
                recent.append(line)
    except (OSError, EOFError, zlib.error) as error:
        read.gaps.append(f"{file}: {error}; it was read up to there")
    ends_ms = _last(recent, read.zone)
    if first_ms is not None and ends_ms is not None:
        read.first_ms = min(read.first_ms, first_ms)
        read.last_ms = max(read.last_ms, ends_ms)
    if own is not None:
        read.brokers.add(own)
    elif first_ms is None:
        read.gaps.append(f"{file}: no line with a date")


def _last(recent: Sequence[str], zone: tzinfo) -> float | None:
    """Return the time of the last line that has one."""
    times = (time_of(line, zone) for line in reversed(recent))
    return next((each for each in times if each is not None), None)


def time_of(line: str, zone: tzinfo) -> float | None:
    """Return the time of a line (epoch ms): the first date in it; None if it has none."""
    found = _TIME.search(line, 0, 400)
    if found is None:
        instant = _INSTANT.search(line, 0, 400)
        return int(instant[1]) * 1e3 + int(instant[2]) / 1e6 if instant else None
    day, clock, millis, offset = found.groups()
    try:
        at = datetime.fromisoformat(f"{day}T{clock}{_offset(offset)}")
    except ValueError:  # digits that only look like a date
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=zone)
    return at.timestamp() * 1e3 + int(millis or 0)


def _offset(offset: str | None) -> str:
    if offset in (None, "Z"):
        return "+00:00" if offset else ""
    return str(offset) if ":" in str(offset) else f"{str(offset)[:3]}:{str(offset)[3:]}"


def _add(read: _Read, line: str, at_ms: float, own: int | None, last_ms: float | None) -> None:
    """Add a line that may say something; `last_ms` is when the process before wrote its last."""
    if found := _SHRINK.search(line) or _UPDATED.search(line) or _LEADS.search(line):
        _add_isr(read, found.groupdict(), at_ms)
        late = [at_ms - int(each) for each in _CAUGHT_UP.findall(line) if int(each) > 0]
        read.late_ms = min([read.late_ms, *(each for each in late if each > 0)])
    elif found := _ZOOKEEPER.search(line):
        for names, fenced in ((found[2], True), (found[1], False)):
            for name in filter(None, names.split(",")):
                read.changes.append(_fencing(int(name), at_ms, fenced=fenced))
    elif found := _STARTED.search(line):
        broker = int(found[1] or found[2])
        if read.starts[broker] and last_ms is not None:
            before = {"broker": broker, "life": read.starts[broker], "t_ms": last_ms}
            read.lives.append(before)
        read.starts[broker] += 1
        read.lives.append({"broker": broker, "life": read.starts[broker], "t_ms": at_ms})
    elif found := _FETCHER.search(line):
        since = at_ms - _WAITED_MS
        read.awaited.append(
            Awaited(broker=int(found[1]), peer=int(found[2]), since_ms=since, until_ms=at_ms)
        )
    elif found := _LAG.search(line):
        read.lag_ms = float(found[1])
    elif own is not None and _LOST_DIR.search(line):
        site = f"{APPEND}: a log directory failed"
        read.appended.append(
            Appended(leader=own, partition=None, site=site, since_ms=at_ms, until_ms=at_ms)
        )
    elif own is not None and (found := _COLLECTED.search(line)):
        took = float(found[1])
        read.paused.append(
            Paused(broker=own, since_ms=at_ms - took, until_ms=at_ms, paused_ms=took)
        )
    else:
        for pattern, fenced in _FENCED:
            if found := pattern.search(line):
                read.changes.append(_fencing(int(found[1]), at_ms, fenced=fenced))


def _fencing(broker: int, at_ms: float, *, fenced: bool) -> dict[str, Any]:
    return {"kind": "broker", "broker": broker, "fenced": fenced, "t_ms": at_ms}


def _add_isr(read: _Read, said: dict[str, str], at_ms: float) -> None:
    """Add a leader's line about an ISR; before the first one that shrinks it had the one before."""
    partition = Partition(said["topic"], int(said["number"]))
    for when, text in ((at_ms - 1, said.get("before")), (at_ms, said["after"])):
        if text:
            isr = [int(each) for each in text.split(",")]
            read.replicas[partition].update(isr)
            read.changes.append({
                "kind": "partition", "topic": partition.topic, "partition": partition.number,
                "leader": int(said["leader"]), "isr": isr, "t_ms": when,
            })  # fmt: skip


def facts_of(read: _Read, lag_ms: float | None) -> Facts:
    """Return the facts of what was read; the lag is the brokers', if they logged their settings."""
    lag = lag_ms or read.lag_ms or min(DEFAULT_LAG_MS, read.late_ms)
    facts = Facts(logs=True, lag_ms=lag, span=Span(since_ms=read.first_ms, until_ms=read.last_ms))
    for change in read.changes:
        if change["kind"] == "partition":
            partition = Partition(change["topic"], change["partition"])
            change["replicas"] = sorted(read.replicas[partition])
    add_controller_lines(
        facts, sorted(_without_repeats(read.changes), key=lambda each: each["t_ms"])
    )
    facts.controller_known = True
    facts.brokers |= read.brokers
    add_lives(facts, sorted(read.lives, key=lambda each: each["t_ms"]))
    facts.awaited += read.awaited
    facts.appended += read.appended
    facts.paused += read.paused
    facts.gaps += [NOT_LOGGED, *read.gaps]
    if lag_ms is None and read.lag_ms is None:
        facts.gaps.append(f"no log has replica.lag.time.max.ms: taken for {lag:g} (--lag-ms)")
    for broker in sorted(facts.brokers - read.brokers):
        facts.gaps.append(f"there is no log of broker {broker}")
    return facts


def _without_repeats(changes: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield each change once: several controllers log a record, and a broker in several files."""
    seen: set[tuple[Any, ...]] = set()
    for each in changes:
        key = tuple(str(value) for value in each.values())
        if key not in seen:
            seen.add(key)
            yield each
