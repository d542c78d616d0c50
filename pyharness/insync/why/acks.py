"""Step 4: partitions that clients could not write to, which nothing else explains."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from insync.why.answer import Cause, Evidence, Finding, in_ms, number
from insync.why.asking import answered, asked_within
from insync.why.facts import Asked, Facts, Partition, Span, Unacked
from insync.why.processes import controllers_matter
from insync.why.rules import Rules
from insync.why.sites import APPEND
from insync.why.spans import groups, whole

CLIENT_LINK: Final = "link to clients"
WRITES: Final = "clients' writes"


def unacked_findings(facts: Facts, rules: Rules, found: Sequence[Finding]) -> list[Finding]:
    """Return the leaders whose partitions had no acks though replication did not stop."""
    least = rules.unexplained_lags * facts.lag_ms
    known = [each.span for each in found]
    known += controllers_matter(facts, rules, found)
    new: list[Finding] = []
    for leader in sorted({each.leader for each in facts.unacked}):
        own = [
            each
            for each in facts.unacked
            if each.leader == leader and each.ms >= least and not _is_explained(facts, each, known)
        ]
        new += [_stalled(facts, rules, leader, together) for together in groups(own, 0)]
    return new


def _is_explained(facts: Facts, unacked: Unacked, known: Sequence[Span]) -> bool:
    """Whether anything known is near in time: acks wait for the leader and for every follower."""
    return any(each.touches(unacked, within_ms=facts.lag_ms) for each in known)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """What is known of a leader in a gap of its acks.

    `timed` says that its agent times its appends, and found none slow; `others` how many of its
    other partitions had acks. `consumer_ms` is for how long a consumer received nothing from it,
    None if none looked. `clients` and `direct` are requests that need no log, by the clients' way
    and past the link's proxies, in the middle of the gap.
    """

    timed: bool
    others: int
    consumer_ms: float | None
    clients: Sequence[Asked]
    direct: Sequence[Asked]

    def evidence(self) -> Iterator[Evidence]:
        """Yield the figures that are known."""
        yield number("other partitions of this leader that had acks", "partitions", self.others)
        yield number("followers that were slow or dropped meanwhile", "followers", 0)
        if self.timed:
            yield number("slow appends that the leader's agent found", "appends", 0)
        if self.consumer_ms is not None:
            yield in_ms("a consumer received nothing from it for up to", self.consumer_ms)
        for way, asked in (("clients' way", self.clients), ("way past the links", self.direct)):
            if asked:
                says = f"requests by the {way} that need no log: {len(asked)}, answered"
                yield number(says, "requests", answered(asked))

    def verdict(self, soon_ms: float) -> tuple[Cause, str]:
        """Return the cause that is left, or `undecided`, and the site.

        A consumer that was never without anything for `soon_ms` had answers.
        """
        if self.timed:
            return ("undecided", WRITES) if self.others else ("network", CLIENT_LINK)
        heard = self.consumer_ms is not None and self.consumer_ms < soon_ms
        if self.others or heard or answered(self.clients):
            return "disk", APPEND
        if self.clients and answered(self.direct):
            return "network", CLIENT_LINK
        asked = self.direct or self.clients
        connected = all(each.got != "no connection" for each in asked)
        return ("disk" if asked and connected else "undecided"), WRITES


def _stalled(facts: Facts, rules: Rules, leader: int, gaps: Sequence[Unacked]) -> Finding:
    """Return what is left: appends or requests that hang, or the clients' network.

    The network, if all partitions of the leader stall, and it times its appends and found none
    slow, or if it answers the harness only past the clients' link. Appends, if it does not time
    them, and other partitions had acks or clients had other answers; also if it takes connections
    and answers nothing, for then its threads wait for them. Else either.
    """
    span = whole(gaps)
    seen = _Seen(
        timed=leader in facts.appends_known,
        others=len(_acked(facts, rules, leader, span)),
        consumer_ms=_silent_ms(facts, leader, span),
        clients=_asked(facts, rules, leader, "clients", span),
        direct=_asked(facts, rules, leader, "direct", span),
    )
    partitions = tuple(sorted({each.partition for each in gaps}))
    cause, site = seen.verdict(rules.answered_lags * facts.lag_ms)
    return Finding(
        span=span, broker=leader, cause=cause, site=site,
        may_be=("disk", "network") if cause == "undecided" else (), partitions=partitions,
        evidence=(
            number("partitions without an ack", "partitions", len(partitions)),
            in_ms("for up to", max(each.ms for each in gaps)),
            *seen.evidence(),
        ),
    )  # fmt: skip


def _silent_ms(facts: Facts, leader: int, span: Span) -> float | None:
    """Return for how long a consumer received nothing from a leader in a span, at most.

    None if no consumer looked then.
    """
    own = (each for each in facts.silent if each.broker == leader)
    return max((each.overlap_ms(span) for each in own if each.touches(span)), default=None)


def _asked(facts: Facts, rules: Rules, leader: int, way: str, span: Span) -> list[Asked]:
    """Return the requests to a leader whose whole time lies in the middle of a span."""
    edge_ms = (1 - rules.middle_share) / 2 * span.ms
    middle = Span(since_ms=span.since_ms + edge_ms, until_ms=span.until_ms - edge_ms)
    return asked_within(facts, leader, middle, way)


def _acked(facts: Facts, rules: Rules, leader: int, span: Span) -> set[Partition]:
    """Return the partitions of a leader that had acks in a span.

    Records were due there for so long that a gap would be known, and none is.
    """
    least = rules.unacked_lags * facts.lag_ms
    stalled = {each.partition for each in facts.unacked if each.touches(span)}
    led = {each.partition for each in facts.leads if each.leader == leader and each.touches(span)}
    return {
        each
        for each in led - stalled
        if each in facts.written and facts.written[each].overlap_ms(span) >= least
    }
