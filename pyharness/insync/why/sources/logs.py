"""Reads the facts of brokers' own log files: no agent, broker or JVM is needed."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from functools import partial
from io import FileIO
from itertools import pairwise
from pathlib import Path, PurePath, PurePosixPath
from typing import Any, Final
from zoneinfo import ZoneInfo

from insync.engines import AnalysisOptions, require_spark
from insync.errors import InputError
from insync.lists import grouped
from insync.why.answer import Diagnosis
from insync.why.facts import Appended, Awaited, Facts, Partition, Paused, Span, groups, whole
from insync.why.infer import answer_of
from insync.why.rules import DEFAULT_LAG_MS
from insync.why.sources import scan
from insync.why.sources.clocks import skews
from insync.why.sources.controller_lines import add_controller_lines, add_lives
from insync.why.sources.log_lines import LogReading, add
from insync.why.sources.prometheus import add_gauges
from insync.why.sources.scan import LogFile

NOT_LOGGED: Final = (
    "logs do not show acks: a leader whose appends hang is not seen before an ISR changes"
)
_CONFIRMED_MS: Final = 5_000.0
"""A change of an ISR, or a fencing, is made within this time, or not at all."""
_STOP_MS: Final = 600_000.0
"""A controlled shutdown takes minutes at most."""
_OVERLAP_MS: Final = 2_000.0
"""So much later than its successor begins a rotated file may end: threads log out of order."""


def answers(
    paths: Sequence[str],
    lag_ms: float | None,
    broker_from: str | None,
    zone: str,
    prometheus: str | None = None,
    analysis: AnalysisOptions | None = None,
) -> list[Diagnosis]:
    """Return the answer about the brokers whose log files these are: files, folders, or globs.

    `broker_from` is a regular expression with a group that finds a broker's id in the path of its
    file; without it the lines say whose they are. `zone` is that of times without one. `prometheus`
    is the address of one, or a file of its answers. Spark scans files that are not local, and all
    if `analysis` asks for it. Raises InputError.
    """
    pattern = _pattern(broker_from)
    read = LogReading(_zone(zone))
    because = spark_because(paths, analysis)
    if because is None:
        files = files_of(paths)
        names = [(LogFile(str(each.absolute())), partial(FileIO, each)) for each in files]
        found = [scan.scan(source, opened, read.zone) for source, opened in names]
    else:
        found = _by_spark(paths, read.zone, because, analysis or AnalysisOptions())
    read.sources += [each.source for each in found]
    _name_brokers(read, pattern)
    folder = _shorten_names(read)
    for number, each in enumerate(found):
        if each.gap is not None:
            read.gaps.append(f"{each.source.file}: {each.gap}")
        if each.source.first_ms is None:
            read.gaps.append(f"{each.source.file}: no line with a date")
        for line in each.lines:
            add(read, replace(line, source=number))
    if all(each.first_ms is None for each in read.sources):
        raise InputError(f"{', '.join(paths)}: no line with a date, expected logs of brokers")
    _require_one_cluster(read)
    about = f"{len(found)} log file{'s' if len(found) > 1 else ''} in {folder}"
    facts = facts_of(read, lag_ms)
    if prometheus is not None:
        add_gauges(facts, prometheus, pattern)
    return [answer_of(facts, about)]


def spark_because(paths: Sequence[str], analysis: AnalysisOptions | None) -> str | None:
    """Return why Spark reads these logs; None if this process does."""
    remote = next((f"--logs {each}" for each in paths if "://" in each), None)
    return remote or (analysis.spark_because if analysis else None)


def _by_spark(
    places: Sequence[str], zone: tzinfo, because: str, options: AnalysisOptions
) -> list[scan.ScannedFile]:
    require_spark(because)
    from insync.analysis.engine.whole_files import read_files

    texts = read_files(options, places, "*.log*", partial(scan.as_text, zone=zone), scan)
    found = [scan.ScannedFile.from_json(each) for each in texts]
    found = [each for each in found if not _is_segment(PurePath(each.source.file))]
    if not found:
        raise InputError(f"--logs {', '.join(places)}: no file *.log*, expected logs of brokers")
    return sorted(found, key=lambda each: each.source.file)


def _name_brokers(read: LogReading, pattern: re.Pattern[str] | None) -> None:
    """Say whose logs those are that do not say it, as those of garbage collections.

    The pattern says it, or all others in their folder are of one broker.
    """
    folders: dict[PurePosixPath, set[int | None]] = defaultdict(set)
    for source in read.sources:
        named = pattern.search(source.file) if pattern else None
        if named and named[1].isdecimal():
            source.broker = int(named[1])
        folders[PurePosixPath(source.file).parent].add(source.broker)
    for source in read.sources:
        beside = folders[PurePosixPath(source.file).parent] - {None}
        if source.node is None and len(beside) == 1:
            (source.broker,) = beside


def _shorten_names(read: LogReading) -> str:
    """Return the folder that all files have, and leave it out of their names."""
    paths = [PurePosixPath(each.file) for each in read.sources]
    folder = os.path.commonpath([each.parent for each in paths])
    for source, path in zip(read.sources, paths, strict=True):
        source.file = str(path.relative_to(folder))
    return folder.replace(":/", "://", 1)


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


def _is_segment(file: PurePath) -> bool:
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


def _require_one_cluster(read: LogReading) -> None:
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
    known: dict[tuple[int, str], list[LogFile]] = defaultdict(list)
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


def facts_of(read: LogReading, lag_ms: float | None) -> Facts:
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
    own_pauses = grouped(facts.paused, lambda each: each.broker).values()
    facts.paused = [each for own in own_pauses for each in _pauses(facts, own)]
    _add_gaps(facts, read, given=lag_ms is not None, said=said)
    facts.gaps += [f"there is no log of broker {each}" for each in sorted(facts.brokers - logged)]
    return facts


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


def _at_their_time(read: LogReading) -> Iterator[tuple[int, dict[str, Any]]]:
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


def _unconfirmed(read: LogReading) -> Iterator[tuple[int, dict[str, Any]]]:
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


def _since_last_file(read: LogReading, broker: int, at_ms: float) -> float | None:
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
        told = [
            when for who, when in stops if who == broker and since_ms - _STOP_MS <= when <= at_ms
        ]
        since_ms = max(told, default=since_ms)
        if lives[broker] and start["away_ms"] is not None:
            yield {"broker": broker, "life": lives[broker], "t_ms": since_ms}
        lives[broker] += 1
        yield {"broker": broker, "life": lives[broker], "t_ms": at_ms, "told": bool(told)}
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


def _add_gaps(facts: Facts, read: LogReading, *, given: bool, said: Sequence[str]) -> None:
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
