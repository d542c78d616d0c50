"""Reads the facts of brokers' own log files: no agent, broker or JVM is needed.

Files are read block by block, and of a block only the lines that have a word of use, so that what
is kept does not grow with the other lines. A file may be gzipped.
"""

import gzip
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from itertools import pairwise
from os.path import commonpath
from pathlib import Path
from typing import Any, BinaryIO, Final, cast
from zoneinfo import ZoneInfo

from insync.errors import InputError
from insync.why.answer import Answer
from insync.why.facts import Appended, Awaited, Facts, Partition, Paused, Span, groups, whole
from insync.why.infer import answer_of
from insync.why.rules import DEFAULT_LAG_MS
from insync.why.sources.clocks import skews
from insync.why.sources.controller_lines import add_controller_lines, add_lives
from insync.why.sources.log_lines import OWN_ID, WORDS, Line, Read, Source, add, is_start, time_of
from insync.why.sources.prometheus import add_gauges

NOT_LOGGED: Final = (
    "logs do not show acks: a leader whose appends hang is not seen before an ISR changes"
)
_BLOCK: Final = 1 << 20
_KEPT: Final = 1 << 15
"""How much before a line is searched for a date, as of a stack trace that has none."""
_CONFIRMED_MS: Final = 5_000.0
"""A change of an ISR, or a fencing, is made within this time, or not at all."""
_STOP_MS: Final = 600_000.0
"""A controlled shutdown takes minutes at most."""
_OVERLAP_MS: Final = 2_000.0
"""So much later than its successor begins a rotated file may end: threads log out of order."""
_NAMED_WITHIN: Final = 1 << 26
"""A log whose first 64 MB do not say whose it is does not say it."""
_LONGEST: Final = 1 << 16
"""A line that is longer, as of a binary file, is read in parts."""


def answers(
    paths: Sequence[str],
    lag_ms: float | None,
    broker_from: str | None,
    zone: str,
    prometheus: str | None = None,
) -> list[Answer]:
    """Return the answer about the brokers whose log files these are: files, folders, or globs.

    `broker_from` is a regular expression with a group that finds a broker's id in the path of its
    file; without it the lines say whose they are. `zone` is that of times without one. `prometheus`
    is the address of one, or a file of its answers. Raises InputError.
    """
    pattern = _pattern(broker_from)
    read = Read(_zone(zone))
    files = files_of(paths)
    folder = Path(commonpath([each.absolute().parent for each in files]))
    for file in files:
        named = pattern.search(str(file)) if pattern else None
        own = int(named[1]) if named and named[1].isdecimal() else None
        read.sources.append(Source(str(file.absolute().relative_to(folder)), broker=own))
        _read_file(read, file, len(read.sources) - 1)
    _read_nameless(read, files)
    if all(each.first_ms is None for each in read.sources):
        raise InputError(f"{', '.join(paths)}: no line with a date, expected logs of brokers")
    _require_one_cluster(read)
    about = f"{len(files)} log file{'s' if len(files) > 1 else ''} in {folder}"
    facts = facts_of(read, lag_ms)
    if prometheus is not None:
        add_gauges(facts, prometheus, pattern)
    return [answer_of(facts, about)]


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
                each
                for each in inside
                if each.is_file() and each.stat().st_size and not _is_segment(each)
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


def _read_nameless(read: Read, files: Sequence[Path]) -> None:
    """Read logs again that do not say whose they are, if all others in their folder are of one.

    Those of garbage collections are such.
    """
    for number, (file, source) in enumerate(zip(files, read.sources, strict=True)):
        if source.node is None and source.first_ms is not None:
            beside = zip(files, read.sources, strict=True)
            own = {each.broker for other, each in beside if other.parent == file.parent} - {None}
            if len(own) == 1:
                source.broker, source.lines = own.pop(), 0
                _read_file(read, file, number)


def _read_file(read: Read, file: Path, number: int) -> None:
    """Add what a file says; a file that cannot be read to its end is a gap."""
    source = read.sources[number]
    try:
        with file.open("rb") as start:
            opened = gzip.open if start.read(2) == b"\x1f\x8b" else open
        with cast("Callable[..., BinaryIO]", opened)(file, "rb") as stream:
            _read_lines(read, number, stream)
    except (OSError, EOFError, zlib.error) as error:
        read.gaps.append(f"{file}: {error}; it was read up to there")
    if source.first_ms is None and source.node is None:
        read.gaps.append(f"{file}: no line with a date")


def _read_lines(read: Read, own: int, stream: BinaryIO) -> None:
    """Add the lines of use of a file; whose log it is is said by the first line that has an id."""
    source = read.sources[own]
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
            source.first_line, source.first_ms = _first(text[begin:end], read.zone)
        counted = begin
        for start, stop in _of_use(text, begin, end):
            number += text.count(b"\n", counted, start)
            counted = start
            line = text[start:stop].decode(errors="replace").rstrip("\r\n")
            before_ms = _last(text[max(0, start - _KEPT) : start], read.zone)
            at_ms = time_of(line, read.zone) or before_ms
            source.lines += 1
            if is_start(line):
                ended_ms, began_ms, fresh = before_ms, at_ms, before_ms is None
            elif at_ms is not None:
                add(read, Line(
                    source=own, number=number, text=line, at_ms=at_ms,
                    before_ms=None if fresh else ended_ms or before_ms,
                        began_ms=began_ms,
                ))  # fmt: skip
        source.last_ms = _last(text[max(0, end - _KEPT) : end], read.zone) or source.last_ms
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


def _first(text: bytes, zone: tzinfo) -> tuple[bytes, float | None]:
    """Return the first line with a date, and its time."""
    for line in text.splitlines():
        at_ms = time_of(line[:_LONGEST].decode(errors="replace"), zone)
        if at_ms is not None:
            return line, at_ms
    return b"", None


def _last(text: bytes, zone: tzinfo) -> float | None:
    """Return the time of the last line that has one."""
    lines = (line.decode(errors="replace") for line in reversed(text.splitlines()))
    return next((at for line in lines if (at := time_of(line, zone)) is not None), None)


def _require_one_cluster(read: Read) -> None:
    """Check that the logs are of one cluster; raises InputError.

    They name their cluster when a broker starts. A broker has one log at a time: two files of one
    name and of one time that differ are of two brokers.
    """
    clusters: dict[str, str] = {}
    for source in read.sources:
        clusters |= {each: source.file for each in source.clusters if each not in clusters}
    if len(clusters) > 1:
        named = ", ".join(f"{cluster} ({file})" for cluster, file in sorted(clusters.items()))
        raise InputError(
            f"--logs: these are logs of {len(clusters)} clusters: {named}; expected those of one"
        )
    known: dict[tuple[int, str], list[Source]] = defaultdict(list)
    for source in read.sources:
        if source.node is not None and source.first_ms is not None:
            known[source.node, Path(source.file).name.partition(".log")[0]].append(source)
    for (node, name), sources in known.items():
        sources.sort(key=lambda each: each.first_ms or 0)
        for one, two in pairwise(sources):
            both_ms = (one.last_ms or 0) - (two.first_ms or 0)
            if one.first_line != two.first_line and both_ms > _OVERLAP_MS:
                raise InputError(
                    f"--logs: {one.file} and {two.file} are both the {name} log of node {node} at"
                    " the same time; expected the logs of one cluster"
                )


def facts_of(read: Read, lag_ms: float | None) -> Facts:
    """Return the facts of what was read; the lag is the brokers', if they logged their settings.

    Times are moved by how far the clock of their node is ahead, if it is far.
    """
    lag = lag_ms or read.lag_ms or min(DEFAULT_LAG_MS, read.late_ms)
    ahead, said = skews(read)
    times = [
        at_ms - ahead.get(number, 0.0)
        for number, each in enumerate(read.sources)
        for at_ms in (each.first_ms, each.last_ms)
        if at_ms is not None
    ]
    facts = Facts(
        logs=True, lag_ms=lag, span=Span(since_ms=min(times), until_ms=max(times)),
        min_isr=read.min_isr,
    )  # fmt: skip
    changes = _in_time([*_at_their_time(read), *_unconfirmed(read)], ahead)
    for change in changes:
        if change["kind"] == "partition":
            partition = Partition(change["topic"], change["partition"])
            change["replicas"] = sorted(read.replicas[partition])
    add_controller_lines(facts, changes)
    facts.controller_known = True
    logged = {each.broker for each in read.sources if each.broker is not None}
    facts.brokers |= logged
    facts.peers_known |= logged
    for _, start in read.starts:
        if start["away_ms"] is None:
            start["away_ms"] = _since_last_file(read, start["broker"], start["t_ms"])
    stops = [(own, at_ms - ahead.get(source, 0.0)) for source, own, at_ms in read.stops]
    add_lives(facts, _lives(_in_time(read.starts, ahead), stops, facts.span.until_ms))
    for source, span in read.spans:
        by = ahead.get(source, 0.0)
        moved = replace(span, since_ms=span.since_ms - by, until_ms=span.until_ms - by)
        _own(facts, moved).append(moved)
    quoted = {(each.at_ms, each.text): (source, each) for source, each in reversed(read.lines)}
    facts.lines += [
        replace(each, at_ms=each.at_ms - ahead.get(source, 0.0)) for source, each in quoted.values()
    ]
    for source, at_ms in read.ran:
        broker = read.sources[source].broker
        if broker is not None:
            facts.reports.setdefault(broker, []).append(at_ms - ahead.get(source, 0.0))
    facts.paused = [each for own in _by_broker(facts.paused) for each in _pauses(facts, own)]
    _add_gaps(facts, read, given=lag_ms is not None, said=said)
    facts.gaps += [f"there is no log of broker {each}" for each in sorted(facts.brokers - logged)]
    return facts


def _by_broker(pauses: Sequence[Paused]) -> list[list[Paused]]:
    brokers = sorted({each.broker for each in pauses})
    return [[each for each in pauses if each.broker == broker] for broker in brokers]


def _pauses(facts: Facts, pauses: Sequence[Paused]) -> Iterator[Paused]:
    """Yield the pauses of a process, one for those that overlap: several requests show it.

    None in which it timed another request out in time.
    """
    ran = facts.reports.get(pauses[0].broker, ())
    true = [each for each in pauses if not any(each.since_ms < t < each.until_ms for t in ran)]
    for same in groups(true, 0):
        span, longest = whole(same), max(each.paused_ms for each in same)
        yield replace(
            same[0], since_ms=span.since_ms, until_ms=span.until_ms, paused_ms=longest
        )  # fmt: skip


def _at_their_time(read: Read) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the changes, except of other brokers what a controller reads while it starts: history.

    The broker of the same process is fenced before its start is over, and then it is not.
    """
    for source, change in read.changes:
        node = read.sources[source].node
        old = change["kind"] == "broker" and any(
            (boot, change["broker"] != boot) == (node, True) and since <= change["t_ms"] <= until
            for boot, since, until in read.boots
        )
        if not old:
            yield source, change


def _unconfirmed(read: Read) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the changes of which no line says that they were made, although they may have been.

    Those of logs that never say so, or that end before they could.
    """
    for (source, _), changes in read.proposed.items():
        ends_ms = read.sources[source].last_ms or 0.0
        for each in changes:
            if source not in read.confirms or each["t_ms"] > ends_ms - _CONFIRMED_MS:
                yield source, each
    replayed = [each for _, each in read.changes if each["kind"] == "broker" and each["fenced"]]
    for source, fencing in read.intended:
        made = (
            abs(each["t_ms"] - fencing["t_ms"]) <= _CONFIRMED_MS
            for each in replayed
            if each["broker"] == fencing["broker"]
        )
        if not replayed or any(made):
            yield source, fencing


def _since_last_file(read: Read, broker: int, at_ms: float) -> float | None:
    """Return how long ago the broker's log before this one ended; None if there is none."""
    ends = [each.last_ms for each in read.sources if each.broker == broker]
    return min((at_ms - each for each in ends if each is not None and each < at_ms), default=None)


def _lives(
    starts: Sequence[dict[str, Any]], stops: Sequence[tuple[int, float]], until_ms: float
) -> Iterator[dict[str, Any]]:
    """Yield when each life of a broker began, and when the one before was last heard of.

    A broker that was told to stop, and did not start again, has another life after the logs.
    """
    lives: Counter[int] = Counter()
    for start in starts:
        broker, at_ms = start["broker"], start["t_ms"]
        since_ms = at_ms - (start["away_ms"] or 0.0)
        if lives[broker] and start["away_ms"] is not None:
            yield {"broker": broker, "life": lives[broker], "t_ms": since_ms}
        lives[broker] += 1
        told = any(who == broker and since_ms - _STOP_MS <= when <= at_ms for who, when in stops)
        yield {"broker": broker, "life": lives[broker], "t_ms": at_ms, "told": told}
    for broker, stopped_ms in dict(sorted(stops, key=lambda each: each[1])).items():
        last_ms = max((each["t_ms"] for each in starts if each["broker"] == broker), default=0.0)
        if last_ms < stopped_ms < until_ms:
            life = {"broker": broker, "life": lives[broker], "told": True}
            yield {**life, "t_ms": stopped_ms}
            yield {**life, "life": lives[broker] + 1, "t_ms": until_ms}


def _own(facts: Facts, span: Awaited | Appended | Paused) -> list[Any]:
    if isinstance(span, Awaited):
        return facts.awaited
    return facts.appended if isinstance(span, Appended) else facts.paused


def _add_gaps(facts: Facts, read: Read, *, given: bool, said: Sequence[str]) -> None:
    """Add what is not known, what was read, and what was found of clocks."""
    facts.gaps += [NOT_LOGGED, *read.gaps]
    for lines, what in (
        (read.broken, "lines about an ISR that cannot be read"),
        (read.refused, "changes of an ISR that were refused, because its leader was none any more"),
    ):
        if lines:
            where = f"{lines[0]}{' and others' if len(lines) > 1 else ''}"
            facts.gaps.append(f"{what}: {len(lines)} ({where})")
    if read.zone_off_ms is not None:
        facts.gaps.append(
            f"lines say times that are {abs(read.zone_off_ms) / 3_600_000:.1f} h"
            f" {'before' if read.zone_off_ms > 0 else 'after'} their dates, as if those were of"
            " another time zone (--tz)"
        )
    if not given and read.lag_ms is None:
        facts.gaps.append(
            f"no log has replica.lag.time.max.ms: taken for {facts.lag_ms:g} (--lag-ms)"
        )
    used = sum(each.lines for each in read.sources)
    total = sum(each.total for each in read.sources)
    facts.notes += [f"read: {total:,} lines; {used:,} of them may say something", *said]


def _in_time(lines: Sequence[tuple[int, dict[str, Any]]], ahead: dict[int, float]) -> list[Any]:
    """Return each line once, in order, by its node's corrected clock.

    Several controllers log a record, and a broker logs a line in several files.
    """
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for source, line in lines:
        moved = {**line, "t_ms": line["t_ms"] - ahead.get(source, 0.0)}
        key = tuple(str(value) for name, value in moved.items() if name != "away_ms")
        found.setdefault(key, moved)
    return sorted(found.values(), key=lambda each: each["t_ms"])
