"""Draws the conclusions from two samples of each broker over JMX, without any agent.

A call to the file system in which a thread is at both samples hangs, or the thread does little
else. A broker that does not answer is a gap: it may be frozen, ended, or unreachable from here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from insync.why.answer import Answer, Blamed, Cause, Finding, in_ms, number
from insync.why.facts import Partition, Span
from insync.why.jmx.samples import Sample
from insync.why.rules import DEFAULT, Rules
from insync.why.sites import APPEND, ENDED, FOLLOWER_APPEND, LINK

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


_HANDLER = "kafka-request-handler-"
_FETCHER = "ReplicaFetcherThread-"
_READS = ("read", "send")
_UNDECIDED: Final[tuple[tuple[str, str, tuple[Cause, ...]], ...]] = (
    ("ResponseSendTimeMs", "send", ("disk", "network")),
    ("RequestQueueTimeMs", "queue", ("disk", "process")),
)
"""The parts of a follower's fetch of which two causes are left, with their sites."""


@dataclass(frozen=True, slots=True)
class Out:
    """A replica that is not in the ISR of a partition now, and the partition's leader."""

    leader: int
    follower: int
    partition: Partition


@dataclass(frozen=True, slots=True)
class Pair:
    """Two samples of one broker, both answered."""

    first: Sample
    second: Sample

    @property
    def broker(self) -> int:
        """The broker's id."""
        return self.first.broker

    @property
    def span(self) -> Span:
        """The time between the samples."""
        return Span(since_ms=self.first.at_ms, until_ms=self.second.at_ms)

    def grown(self, name: str) -> int:
        """Return by how much a figure grew between the samples."""
        return self.second.figures.get(name, 0) - self.first.figures.get(name, 0)

    def mean_ms(self, time: str, request: str) -> float:
        """Return the mean of a time of the requests that ended between the samples; 0 of none."""
        count = self.grown(f"count.{request}")
        return self.grown(f"sum.{time}.{request}") / count if count > 0 else 0.0


def answer_of_samples(
    first: Sequence[Sample],
    second: Sequence[Sample],
    brokers: Iterable[int],
    out: Sequence[Out],
    rules: Rules = DEFAULT,
) -> Answer:
    """Return which broker is slow now; `brokers` are all of the cluster, `out` who left an ISR."""
    pairs = [
        Pair(one, two)
        for one, two in zip(first, second, strict=True)
        if one.error is None and two.error is None
    ]
    found: list[Finding] = []
    for pair in pairs:
        found += _of_broker(pair, rules)
    found += _links([each for each in pairs if each.span.ms >= rules.silent_ms], found)
    times = [each.at_ms for each in (*first, *second)]
    span = Span(since_ms=min(times), until_ms=max(times))
    return Answer(
        about="now, over JMX", span=span, gaps=tuple(_gaps(first, second, brokers)),
        findings=tuple(replace(each, blamed=_blamed(each, out)) for each in found),
    )  # fmt: skip


def _of_broker(pair: Pair, rules: Rules) -> Iterator[Finding]:
    """Yield what a broker's own figures show: the first of these that applies."""
    yield from (
        list(_restarted(pair))
        or list(_collecting(pair, rules))
        or list(_hanging(pair))
        or list(_slow(pair, rules))
    )


def _restarted(pair: Pair) -> Iterator[Finding]:
    if pair.grown("uptime") < 0:
        up = in_ms("its process was started again, and has run for", pair.second.figures["uptime"])
        yield Finding(
            span=pair.span, broker=pair.broker, cause="process", site=ENDED, evidence=(up,)
        )


def _collecting(pair: Pair, rules: Rules) -> Iterator[Finding]:
    spent = pair.grown("gc")
    if spent >= rules.gc_share * pair.span.ms:
        yield Finding(
            span=pair.span, broker=pair.broker, cause="process", site="garbage collection",
            evidence=(
                in_ms("it collected garbage for", spent), in_ms("in a time of", pair.span.ms),
            ),
        )  # fmt: skip


def _hanging(pair: Pair) -> Iterator[Finding]:
    """Yield the calls in which threads are twice: the same thread, stack and site."""
    before = {each.id: each.frames for each in pair.first.threads}
    stuck: dict[str, int] = {}
    for thread in pair.second.threads:
        site = site_of(thread.frames)
        if site is not None and before.get(thread.id) == thread.frames:
            place = _place(thread.name, site)
            stuck[place] = stuck.get(place, 0) + 1
    if stuck:
        site = max(stuck, key=lambda each: stuck[each])
        evidence = [
            number(f"threads in the same call at both samples, at {each}", "threads", count)
            for each, count in sorted(stuck.items())
        ]
        queued = number(
            "requests that wait for a handler", "requests", pair.second.figures.get("queue", 0)
        )
        yield Finding(
            span=pair.span, broker=pair.broker, cause="disk", site=site,
            evidence=(*evidence, in_ms("at least for", pair.span.ms), queued),
        )  # fmt: skip


def _place(thread: str, site: str) -> str:
    if thread.startswith(_FETCHER):
        return FOLLOWER_APPEND
    if site in _READS or _HANDLER not in thread:
        return site
    return f"append: {site}"


def _slow(pair: Pair, rules: Rules) -> Iterator[Finding]:
    """Yield the part of requests that takes long, though none hangs."""
    for request, site in (("FetchFollower", "read"), ("Produce", APPEND)):
        local = pair.mean_ms("LocalTimeMs", request)
        if local >= rules.slow_request_ms:
            yield Finding(
                span=pair.span, broker=pair.broker, cause="disk", site=site,
                evidence=(
                    in_ms(f"mean LocalTimeMs of {request}", local),
                    number("such requests", "requests", pair.grown(f"count.{request}")),
                ),
            )  # fmt: skip
            return
    for time, site, may_be in _UNDECIDED:
        mean = pair.mean_ms(time, "FetchFollower")
        if mean >= rules.slow_request_ms:
            yield Finding(
                span=pair.span, broker=pair.broker, cause="undecided", may_be=may_be, site=site,
                evidence=(in_ms(f"mean {time} of FetchFollower", mean),),
            )  # fmt: skip
            return


def _links(pairs: Sequence[Pair], found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the links over which no fetch was answered, though neither of their ends is slow."""
    known = {each.broker for each in found}
    reached = {pair.broker for pair in pairs}
    seen: set[frozenset[int]] = set()
    for pair in pairs:
        for leader in _silent_leaders(pair):
            ends = frozenset((pair.broker, leader))
            if leader in reached and not ends & known and ends not in seen:
                seen.add(ends)
                yield Finding(
                    span=pair.span, broker=pair.broker, peer=leader, cause="network", site=LINK,
                    evidence=(
                        number(
                            f"fetches of broker {pair.broker} that broker {leader} answered",
                            "fetches", 0,
                        ),
                        in_ms("in a time of", pair.span.ms),
                    ),
                )  # fmt: skip


def _silent_leaders(pair: Pair) -> Iterator[int]:
    """Yield the leaders that a broker has fetchers for, and that answered none of its fetches."""
    leaders = {
        int(each.name.rpartition("-")[2])
        for each in pair.second.threads
        if each.name.startswith(_FETCHER) and each.name.rpartition("-")[2].isdecimal()
    }
    for leader in sorted(leaders):
        name = f"fetches.{leader}"
        if name in pair.first.figures and pair.grown(name) == 0:
            yield leader


def _blamed(finding: Finding, out: Iterable[Out]) -> tuple[Blamed, ...]:
    """Return the replicas that are out of an ISR, of partitions that a broker leads or follows."""
    by_follower: dict[int, set[Partition]] = {}
    for each in out:
        if {each.leader, each.follower} & set(finding.brokers):
            by_follower.setdefault(each.follower, set()).add(each.partition)
    return tuple(
        Blamed(
            follower=follower, partitions=tuple(sorted(partitions)), kept=False,
            rightly=follower in finding.brokers,
        )
        for follower, partitions in sorted(by_follower.items())
    )  # fmt: skip


def _gaps(
    first: Sequence[Sample], second: Sequence[Sample], brokers: Iterable[int]
) -> Iterator[str]:
    errors: Mapping[int, str] = {
        each.broker: each.error for each in (*first, *second) if each.error is not None
    }
    for broker, error in sorted(errors.items()):
        yield (
            f"broker {broker} did not answer over JMX ({error}): it may be frozen, ended or"
            " unreachable from here"
        )
    asked = {each.broker for each in first}
    for broker in sorted(set(brokers) - asked):
        yield f"nothing is known of broker {broker}: no --jmx {broker}=HOST:PORT"
    yield "since when is not known: two samples show what hangs or is slow between them"
