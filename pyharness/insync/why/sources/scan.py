"""Scans a log file for the lines that may say something; of the others nothing is kept.

A worker of Spark, which has no insync, runs this module, so it needs Python alone.
"""

import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, tzinfo
from functools import partial
from io import BytesIO
from typing import BinaryIO, Final, cast

_BLOCK: Final = 1 << 20
_KEPT: Final = 1 << 15
"""How much before a line is searched for a date, as of a stack trace that has none."""
_NAMED_WITHIN: Final = 1 << 26
"""A log whose first 64 MB do not say whose it is does not say it."""
_LONGEST: Final = 1 << 16
"""A line that is longer, as of a binary file, is read in parts."""
_TIME: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:[,.](\d{3})\d*)? ?(Z|[+-]\d\d:?\d\d)?"
)
_INSTANT: Final = re.compile(r'"epochSecond":(\d+),"nanoOfSecond":(\d+)')
OWN_ID: Final = re.compile(
    rb"\[(?:(?:Broker|KafkaServer|BrokerServer|BrokerLifecycleManager|GroupCoordinator|Controller)"
    rb" (?:id=)?|ReplicaManager broker=|Partition \S+ broker=|ReplicaFetcher replicaId="
    rb"|ReplicaFetcherManager on broker |\S+,\d+\] on broker )(\d+)"
    rb"|\[(?:QuorumController|ControllerServer) id=(\d+)"
)
"""Whose log it is: a broker's, or one of a controller."""
_STARTING: Final = re.compile(r"Registered `?kafka:type=kafka.Log4jController`? MBean")
"""The first line of a broker's process."""
WORDS: Final = tuple(
    word.encode()
    for word in (
        "ISR", "Fenc", "fenced=", "fenceBroker", "Newly added", "started", "Error in response",
        "Error in fetch", "Error when", "marked as failed", "Stopping serving", "Pause ",
        "Log4jController",
        "replica.lag.time.max.ms = ", "min.insync.replicas", "Cluster ID", "with clusterId",
        " in cluster ", "Follower ", "registered broker", "RegisterBrokerRecord",
        "Cancelled in-flight", "sessionTimeout=", "zookeeper.session.timeout.ms = ",
        "have not heard from server", "Terminating process", "ing controlled shutdown",
    )
)  # fmt: skip
"""What any line of use has: most lines of a log have none of it."""


@dataclass(slots=True)
class LogFile:
    """A file: whose log it is, when it begins and ends, and how many lines it has."""

    file: str
    broker: int | None = None
    controller: int | None = None
    first_ms: float | None = None
    last_ms: float | None = None
    first_line: str = ""
    lines: int = 0
    total: int = 0
    clusters: list[str] = field(default_factory=list)

    @property
    def node(self) -> int | None:
        """The broker or the controller whose log it is."""
        return self.controller if self.broker is None else self.broker


@dataclass(frozen=True, slots=True, kw_only=True)
class ScannedLine:
    """A line with its number, its time or that of the line before it, and of the last one there.

    `before_ms` is when the process before this one wrote its last line, and `began_ms` when this
    one wrote its first, if they are known.
    """

    number: int
    text: str
    at_ms: float
    before_ms: float | None
    began_ms: float | None
    source: int = 0


@dataclass(slots=True)
class ScannedFile:
    """What a file has: its source, its lines of use, and why it was not read to its end."""

    source: LogFile
    lines: list[ScannedLine] = field(default_factory=list)
    gap: str | None = None

    def as_json(self) -> str:
        """Return it as text."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_json(text: str) -> "ScannedFile":
        """Return what `as_json` made a text of."""
        known = json.loads(text)
        lines = [ScannedLine(**each) for each in known["lines"]]
        return ScannedFile(LogFile(**known["source"]), lines, known["gap"])


def scan(source: LogFile, opened: Callable[[], BinaryIO], zone: tzinfo) -> ScannedFile:
    """Scan a file, gzipped or not, as far as it can be read."""
    found = ScannedFile(source)
    try:
        with opened() as start:
            gzipped = start.read(2) == b"\x1f\x8b"
            start.seek(0)
            stream = cast("BinaryIO", gzip.GzipFile(fileobj=start)) if gzipped else start
            found.lines.extend(_lines(source, stream, zone))
    except (OSError, EOFError, zlib.error) as error:
        found.gap = f"{error}; it was read up to there"
    return found


def as_text(path: str, content: bytes, zone: tzinfo) -> str:
    """Scan the content of a file; return what is found as text."""
    return scan(LogFile(path), partial(BytesIO, content), zone).as_json()


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


def is_start(text: str) -> bool:
    """Whether a line is the first one of a broker's process."""
    return _STARTING.search(text) is not None


def _lines(source: LogFile, stream: BinaryIO, zone: tzinfo) -> Iterator[ScannedLine]:
    """Yield the lines of use; whose log it is is said by the first line that has an id."""
    ended_ms, began_ms, begin_at, fresh = None, None, 0, False
    for text, begin, end, number in _blocks(stream):
        if source.broker is None and begin_at < _NAMED_WITHIN:
            for found in OWN_ID.finditer(text, begin, end):
                if found[1]:
                    source.broker = int(found[1])
                    break
                source.controller = int(found[2])
        begin_at += end - begin
        if source.first_ms is None:
            source.first_line, source.first_ms = _first(text[begin:end], zone)
        counted = begin
        for start, stop in _of_use(text, begin, end):
            number += text.count(b"\n", counted, start)
            counted = start
            line = text[start:stop].decode(errors="replace").rstrip("\r\n")
            at_ms, before_ms = time_of(line, zone), None
            if at_ms is None or "started" in line or is_start(line):  # others need no line before
                before_ms = _last(text[max(0, start - _KEPT) : start], zone)
                at_ms = at_ms or before_ms
            source.lines += 1
            if is_start(line):
                ended_ms, began_ms, fresh = before_ms, at_ms, before_ms is None
            elif at_ms is not None:
                yield ScannedLine(
                    number=number, text=line, at_ms=at_ms, began_ms=began_ms,
                    before_ms=None if fresh else ended_ms or before_ms,
                )  # fmt: skip
        source.last_ms = _last(text[max(0, end - _KEPT) : end], zone) or source.last_ms
        source.total = number + text.count(b"\n", counted, end) - 1


def _blocks(stream: BinaryIO) -> Iterator[tuple[bytes, int, int, int]]:
    """Yield a text, where its new lines begin and end, and the number of the first of them.

    What is before them is the end of what was read before.
    """
    kept, begin, number = b"", 0, 1
    while True:
        new = getattr(stream, "read1", stream.read)(_BLOCK)
        text = kept + new
        end = text.rfind(b"\n", begin) + 1 or begin
        if not new or len(text) - end > _LONGEST:
            end = len(text)
        if end > begin:
            yield text, begin, end, number
            number += text.count(b"\n", begin, end)
        if not new:
            return
        first = max(0, end - _KEPT)
        kept, begin = text[first:], end - first


def _of_use(text: bytes, begin: int, end: int) -> list[tuple[int, int]]:
    """Return begin and end of the lines that have a word of use."""
    found = set()
    for word in WORDS:
        at = text.find(word, begin, end)
        while at >= 0:
            stop = text.find(b"\n", at, end)
            stop = end if stop < 0 else stop
            found.add((max(begin, text.rfind(b"\n", begin, at) + 1), stop))
            at = text.find(word, stop, end)
    return sorted(found)


def _first(text: bytes, zone: tzinfo) -> tuple[str, float | None]:
    """Return the first line with a date, and its time."""
    for each in text.splitlines():
        line = each[:_LONGEST].decode(errors="replace")
        at_ms = time_of(line, zone)
        if at_ms is not None:
            return line, at_ms
    return "", None


def _last(text: bytes, zone: tzinfo) -> float | None:
    """Return the time of the last line that has one."""
    lines = (line.decode(errors="replace") for line in reversed(text.splitlines()))
    return next((at for line in lines if (at := time_of(line, zone)) is not None), None)
