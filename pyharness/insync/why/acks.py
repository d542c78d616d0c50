"""Step 4: partitions that clients could not write to, which nothing else explains."""

from collections.abc import Sequence
from typing import Final

from insync.why.answer import Cause, Finding, in_ms, number
from insync.why.facts import Facts, Partition, Span, Unacked
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


def _stalled(facts: Facts, rules: Rules, leader: int, gaps: Sequence[Unacked]) -> Finding:
    """Return what is left: appends that hang, or the clients' network.

    The network, if all partitions of the leader stall, and it times its appends and found none
    slow. Appends, if it does not time them, and other partitions had acks. Else either.
    """
    span = whole(gaps)
    others = len(_acked(facts, rules, leader, span))
    timed = leader in facts.appends_known
    found: tuple[Cause, str] = ("undecided", WRITES)
    if timed and not others:
        found = ("network", CLIENT_LINK)
    elif others and not timed:
        found = ("disk", APPEND)
    cause, site = found
    partitions = tuple(sorted({each.partition for each in gaps}))
    none_slow = [number("slow appends that the leader's agent found", "appends", 0)]
    return Finding(
        span=span, broker=leader, cause=cause, site=site,
        may_be=("disk", "network") if cause == "undecided" else (), partitions=partitions,
        evidence=(
            number("partitions without an ack", "partitions", len(partitions)),
            in_ms("for up to", max(each.ms for each in gaps)),
            number("other partitions of this leader that had acks", "partitions", others),
            number("followers that were slow or dropped meanwhile", "followers", 0),
            *(none_slow if timed else []),
        ),
    )  # fmt: skip


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
