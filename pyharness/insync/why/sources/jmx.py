"""Reads the facts of stock brokers over JMX: two samples of each, some seconds apart.

A JVM is started for it; `JmxSamples.java` says what each sample has. A call to the file system in
which a thread is at both samples hangs, or the thread does little else. "The lag" of these facts is
the time between the samples.
"""

import json
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from confluent_kafka import KafkaException

from insync.artifacts import CLIENTS_JAR, built
from insync.brokers.kafka import process
from insync.brokers.kafka.distribution import SHORT_LIVED, java_command
from insync.brokers.kafka.java import find_java
from insync.errors import InputError
from insync.events.schema import now_ms
from insync.why import rules
from insync.why.answer import Diagnosis
from insync.why.facts import (
    APPEND,
    FOLLOWER_APPEND,
    Appended,
    Awaited,
    Dropped,
    EndedProcess,
    Facts,
    Partition,
    Paused,
    Served,
    Span,
)
from insync.why.infer import answer_of

MAIN: Final = "insync.clients.JmxSamples"
_ANSWER_WITHIN_S: Final = 10.0
_LIMIT_MS: Final = 5_000
_HANDLER: Final = "kafka-request-handler-"
_FETCHER: Final = "ReplicaFetcherThread-"
_READS: Final = ("read", "send")
_CALLS: Final = {
    "pread0": "read", "read0": "read", "readv0": "read",
    "transferTo0": "send",
    "pwrite0": "write", "write0": "write", "writev0": "write",
    "force0": "flush",
    "setLength0": "index", "truncate0": "index",
    "open0": "roll",
}  # fmt: skip
"""The sites by the native methods in which a call to the file system hangs."""
_OF_FILES: Final = (
    "sun.nio.ch.FileDispatcherImpl", "sun.nio.ch.UnixFileDispatcherImpl",
    "sun.nio.ch.FileChannelImpl", "java.io.RandomAccessFile", "java.io.FileInputStream",
    "java.io.FileOutputStream", "sun.nio.fs.UnixNativeDispatcher",
)  # fmt: skip
_SOCKET: Final = ("sun.nio.ch.SocketDispatcher", "sun.nio.ch.SocketChannelImpl")
"""In Java 17 a socket is written by `FileDispatcherImpl.write0` as well."""
_FETCH_TIMES: Final = (
    ("LocalTimeMs", "read"), ("ResponseSendTimeMs", "send"), ("RequestQueueTimeMs", "queue"),
)  # fmt: skip
"""The parts of a follower's fetch that Kafka times, with their sites."""


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread of a broker that serves requests, sends answers, or fetches."""

    id: int
    name: str
    frames: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What a broker answered at a time; `error` is why it did not, then the rest is empty."""

    broker: int
    at_ms: float
    error: str | None
    figures: Mapping[str, int]
    threads: Sequence[Thread]


def answers(bootstrap: str, jmx: Sequence[str], seconds: float) -> list[Diagnosis]:
    """Return the answer about a cluster now, of two samples that are some seconds apart.

    Raises InputError for addresses of another form, an id that no broker has, or if no broker
    answers the bootstrap.
    """
    targets = targets_of(jmx)
    if seconds <= 0:
        raise InputError(f"--seconds {seconds:g}: expected more than 0")
    brokers, out = _cluster(bootstrap)
    require_known(targets, brokers)
    first, second = take(targets, seconds)
    facts = facts_of(first, second, brokers, out)
    return [answer_of(facts, "now, over JMX")]


def targets_of(given: Sequence[str]) -> dict[int, str]:
    """Return the JMX address of each broker, of ID=HOST:PORT; raises InputError."""
    found: dict[int, str] = {}
    for each in given:
        number, equals, address = each.partition("=")
        host, colon, port = address.rpartition(":")
        if not (equals and number.isdecimal() and host and colon and port.isdecimal()):
            raise InputError(f"--jmx {each}: expected ID=HOST:PORT")
        if int(number) in found:
            raise InputError(f"--jmx {each}: broker {number} is given twice, expected once")
        found[int(number)] = address
    return found


def require_known(targets: Mapping[int, str], brokers: Sequence[int]) -> None:
    """Check that the cluster has brokers with these ids; raises InputError."""
    for broker, address in targets.items():
        if broker not in brokers:
            known = ", ".join(map(str, sorted(brokers)))
            raise InputError(f"--jmx {broker}={address}: no such broker, expected one of {known}")


def _cluster(bootstrap: str) -> tuple[list[int], list[Dropped]]:
    """Return the brokers of the cluster's metadata, and the replicas that are out of an ISR now."""
    from insync.brokers.cluster.admin import client

    try:
        found = client(bootstrap).list_topics(timeout=_ANSWER_WITHIN_S)
    except KafkaException as error:
        why = error.args[0].str()
        raise InputError(f"{bootstrap}: no answer ({why}), expected HOST:PORT of brokers") from None
    return sorted(found.brokers), [
        Dropped(at_ms=now_ms(), leader=each.leader, follower=replica, fenced=True,
                partition=Partition(name, number))
        for name, topic in found.topics.items()
        for number, each in topic.partitions.items()
        for replica in each.replicas
        if replica not in each.isrs
    ]  # fmt: skip


def take(targets: Mapping[int, str], seconds: float) -> tuple[list[Sample], list[Sample]]:
    """Return two samples of each broker, some seconds apart.

    Raises InputError without a Java, InsyncError if our own JVM ended.
    """
    command = java_command(find_java().binary, [built(CLIENTS_JAR)], SHORT_LIVED)
    asked = [f"{broker}={address}" for broker, address in targets.items()]
    with (
        tempfile.TemporaryDirectory(prefix="insync-why-") as folder,
        process.answering(
            [*command, MAIN, str(_LIMIT_MS), *asked],
            log=Path(folder) / "jmx.log", folder=Path(folder), what="the JVM that asks over JMX",
        ) as ask,
    ):  # fmt: skip

        def read() -> list[Sample]:
            return [parse(line, now_ms()) for line in ask("read", len(targets))]

        first = read()
        time.sleep(seconds)
        return first, read()


def parse(line: str, at_ms: float) -> Sample:
    """Parse a line of `JmxSamples`."""
    found = json.loads(line)
    return Sample(
        broker=found["id"], at_ms=at_ms, error=found.get("error"),
        figures=found.get("figures", {}),
        threads=[
            Thread(each["id"], each["name"], tuple(each["frames"]))
            for each in found.get("threads", ())
        ],
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two samples of one broker, both answered."""

    first: Sample
    second: Sample

    @property
    def place(self) -> dict[str, Any]:
        """The time between the samples, as facts have it."""
        return {"since_ms": self.first.at_ms, "until_ms": self.second.at_ms}

    def grown(self, name: str) -> int:
        """Return by how much a figure grew between the samples."""
        return self.second.figures.get(name, 0) - self.first.figures.get(name, 0)

    def mean_ms(self, time: str, request: str) -> float:
        """Return the mean of a time of the requests that ended between the samples; 0 of none."""
        count = self.grown(f"count.{request}")
        return self.grown(f"sum.{time}.{request}") / count if count > 0 else 0.0


def facts_of(
    first: Sequence[Sample],
    second: Sequence[Sample],
    brokers: Sequence[int],
    out: Sequence[Dropped],
) -> Facts:
    """Return what two samples show; `brokers` are all of the cluster, `out` who left an ISR."""
    times = [each.at_ms for each in (*first, *second)]
    span = Span(since_ms=min(times), until_ms=max(times))
    pairs = [
        _Pair(one, two)
        for one, two in zip(first, second, strict=True)
        if one.error is None and two.error is None
    ]
    reached = {pair.first.broker for pair in pairs}
    facts = Facts(
        lag_ms=span.ms, span=span, brokers=reached, heard=reached, pauses_known=reached,
        gaps=["since when is not known: two samples show what hangs or is slow between them"],
    )  # fmt: skip
    errors = {
        each.broker: " ".join(each.error.split())
        for each in (*first, *second)
        if each.error is not None
    }
    facts.unread += [
        f"broker {broker} did not answer over JMX ({error}): it may be frozen, ended or"
        " unreachable from here"
        for broker, error in sorted(errors.items())
    ]
    facts.gaps += [
        f"nothing is known of broker {broker}: no --jmx {broker}=HOST:PORT"
        for broker in sorted({*brokers} - {each.broker for each in first})
    ]
    facts.dropped += [replace(each, at_ms=span.until_ms) for each in out]
    for pair in pairs:
        _add(facts, pair)
    return facts


def _add(facts: Facts, pair: _Pair) -> None:
    """Add what the samples of one broker show."""
    broker = pair.first.broker
    if pair.grown("uptime") < 0:
        facts.ended.append(EndedProcess(broker=broker, **pair.place))
    facts.paused.append(Paused(broker=broker, paused_ms=pair.grown("gc"), **pair.place))
    if not _add_hanging(facts, pair):
        _add_means(facts, pair)
    if pair.second.at_ms - pair.first.at_ms >= rules.SILENT_MS:
        facts.awaited += [
            Awaited(broker=broker, peer=peer, **pair.place)
            for peer in _silent_leaders(pair)
            if peer in facts.heard
        ]


def _add_hanging(facts: Facts, pair: _Pair) -> bool:
    """Add the calls to the file system that a thread has not left; say whether there are any."""
    broker, found = pair.first.broker, False
    before = {(each.id, each.frames) for each in pair.first.threads}
    for thread in pair.second.threads:
        site = site_of(thread.frames)
        if site is None or (thread.id, thread.frames) not in before:
            continue
        found = True
        if thread.name.startswith(_FETCHER):
            site = FOLLOWER_APPEND
        elif site in _READS or _HANDLER not in thread.name:
            facts.served.append(Served(leader=broker, site=site, decided=True, **pair.place))
            continue
        else:
            site = f"{APPEND}: {site}"
        facts.appended.append(Appended(leader=broker, site=site, **pair.place))
    return found


def site_of(frames: Sequence[str]) -> str | None:
    """Return the site of a thread in a call to the file system; None if it is in no such call."""
    if not frames:
        return None
    owner, _, method = frames[0].rpartition(".")
    site = _CALLS.get(method)
    if site is None or owner not in _OF_FILES:
        return None
    on_socket = any(frame.startswith(_SOCKET) for frame in frames[:4])
    return None if on_socket and site != "send" else site


def _add_means(facts: Facts, pair: _Pair) -> None:
    """Add the first part of requests that takes long on average, though none hangs."""
    broker = pair.first.broker
    for time_, site in _FETCH_TIMES:
        mean = pair.mean_ms(time_, "FetchFollower")
        if mean >= rules.SLOW_REQUEST_MS:
            facts.served.append(
                Served(leader=broker, site=site, decided=True, mean_ms=mean, **pair.place)
            )
            return
    mean = pair.mean_ms("LocalTimeMs", "Produce")
    if mean >= rules.SLOW_REQUEST_MS:
        facts.appended.append(Appended(leader=broker, site=APPEND, mean_ms=mean, **pair.place))


def _silent_leaders(pair: _Pair) -> Iterator[int]:
    """Yield the leaders that a broker has fetchers for, and that answered none of its fetches."""
    ends = (each.name.rpartition("-")[2] for each in pair.second.threads
            if each.name.startswith(_FETCHER))  # fmt: skip
    for leader in sorted({int(each) for each in ends if each.isdecimal()}):
        name = f"fetches.{leader}"
        if name in pair.first.figures and pair.grown(name) == 0:
            yield leader
