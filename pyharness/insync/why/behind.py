"""Decides why one follower is behind at some leaders, when nothing else explains it."""

from collections.abc import Sequence
from dataclasses import dataclass

from insync.why.answer import Cause, Evidence, in_ms, number
from insync.why.facts import Dropped, Facts, Leads, Span
from insync.why.rules import Rules
from insync.why.sites import FOLLOWER_APPEND, FOLLOWING, LINK


@dataclass(frozen=True, slots=True)
class Behind:
    """A cause, its site, what shows it, and the causes that are left if none is decided."""

    cause: Cause
    site: str
    evidence: tuple[Evidence, ...] = ()
    may_be: tuple[Cause, ...] = ()


def why_behind(
    facts: Facts, rules: Rules, follower: int, drops: Sequence[Dropped], span: Span
) -> Behind:
    """Return why a follower is behind.

    It fetches, but is behind: what it does with the records is slow, that is, it appends. It waits
    for answers to fetches that the leader does not have: the link. It waits for none, or keeps up
    with something else over the same link: it appends. Else either.
    """
    appends = Behind("disk", FOLLOWER_APPEND)
    seen = [each.unseen_ms for each in drops if each.unseen_ms is not None]
    if seen and min(seen) < rules.fetching_lags * facts.lag_ms:
        return appends
    if follower in facts.peers_known:
        return _by_what_it_waits_for(facts, follower, drops, span)
    return (
        appends
        if _link_works(facts, follower, drops, span)
        else Behind("undecided", FOLLOWING, may_be=("disk", "network"))
    )


def _by_what_it_waits_for(
    facts: Facts, follower: int, drops: Sequence[Dropped], span: Span
) -> Behind:
    leaders = {each.leader for each in drops}
    waits = [
        each.ms
        for each in facts.awaited
        if each.broker == follower and each.peer in leaders and each.touches(span)
    ]
    if waits:
        return Behind("network", LINK, (in_ms("it waited for a leader's answers for", max(waits)),))
    none = number("leaders whose answers it waited for", "leaders", 0)
    return Behind("disk", FOLLOWER_APPEND, (none,))


def _link_works(facts: Facts, follower: int, drops: Sequence[Dropped], span: Span) -> bool:
    """Whether its links to all these leaders work.

    They do if it kept up in another partition of the leader, because one fetch asks for all of
    them (with one fetcher thread, Kafka's default); or if the leader kept up with it in return.
    """
    behind = {(each.leader, each.partition) for each in drops}
    steady = [
        led for led in facts.leads
        if led.since_ms <= span.since_ms and led.until_ms >= span.until_ms
    ]  # fmt: skip
    return all(
        any(_shows(led, leader, follower) and (led.leader, led.partition) not in behind
            for led in steady)
        for leader in {each.leader for each in drops}
    )  # fmt: skip


def _shows(led: Leads, leader: int, follower: int) -> bool:
    """Whether a partition is replicated over the link, in either direction."""
    return (led.leader == leader and follower in led.replicas) or (
        led.leader == follower and leader in led.replicas
    )
