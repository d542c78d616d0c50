"""Steps 2 and 5: brokers that were slow with fetches, appends or acks although they ran."""

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from insync.why import rules
from insync.why.answer import Cause, Evidence, SlowBroker
from insync.why.facts import (
    APPEND,
    ASKED_FENCING,
    Appended,
    Facts,
    Partition,
    Served,
    Span,
    Unacked,
    groups,
    whole,
)
from insync.why.processes import PAUSED, controllers_matter, is_start

CLIENT_LINK: Final = "link to clients"
FETCH: Final = "fetch"
"""The site of a slow fetch of which it is not known whether it was queued, read or sent."""
WRITES: Final = "clients' writes"
_BY_MEAN: Final[dict[str, tuple[Cause, ...]]] = {
    "send": ("disk", "network"), "queue": ("disk", "process"),
}  # fmt: skip
"""The causes that are left where only the mean of a part of the fetches is known."""
_LAST_NAMED: Final = (f"{APPEND}: lock", ASKED_FENCING)
"""Sites that are named only if there is no other one: they wait for what is slow."""


def serving_findings(facts: Facts, found: Sequence[SlowBroker]) -> list[SlowBroker]:
    """Return the findings about disks under a broker: slow appends, and slow fetches."""
    known = [*found]
    for broker in sorted(facts.brokers - facts.clock_moved):
        appends = [each for each in facts.appended if each.leader == broker]
        known += [_slow_append(each) for each in _apart(facts, appends, known)]
        fetches = [
            each for each in facts.served if each.leader == broker and _is_slow(facts, each, known)
        ]
        known += [_slow_fetch(facts, each) for each in _apart(facts, fetches, known)]
    return known[len(found) :]


_Slow = TypeVar("_Slow", Appended, Served)


def _apart(
    facts: Facts, slow: Sequence[_Slow], known: Sequence[SlowBroker]
) -> Iterator[list[_Slow]]:
    """Yield what one broker was slow with, by time; not what a finding about it explains."""
    for together in groups(slow, rules.SERVED_APART_LAGS * facts.lag_ms):
        broker, span = together[0].leader, whole(together)
        explained = is_start(broker, span, known) or any(
            each.broker == broker and each.span.overlap_ms(span) > span.ms / 2 for each in known
        )
        if not explained:
            yield together


def _slow_append(appends: Sequence[Appended]) -> SlowBroker:
    """Return the finding; its site is that of the longest append that waits for no other one."""
    longest = min(appends, key=lambda each: (each.site in _LAST_NAMED, -each.ms))
    took = Evidence(f"{longest.site}, at least for", longest.ms)
    if longest.mean_ms is not None:
        took = Evidence("an append took on average", longest.mean_ms)
    return SlowBroker(
        span=whole(appends), broker=longest.leader, cause="disk", site=longest.site,
        partitions=_of(appends),
        evidence=(
            took,
            Evidence("partitions with such appends", len(_of(appends)), "partitions"),
        ),
    )  # fmt: skip


def _of(seen: Sequence[Appended] | Sequence[Served]) -> tuple[Partition, ...]:
    return tuple(sorted({each.partition for each in seen if each.partition is not None}))


def _is_slow(facts: Facts, fetch: Served, found: Sequence[SlowBroker]) -> bool:
    """Whether a leader took too long for a fetch while its process ran.

    Not the first fetches of a follower that has just started, which read much, nor those during
    which a starved process, which is a finding, got little CPU time between its pauses.
    """
    paused = _pauses_ms(facts, fetch)
    starts = fetch.follower is not None and is_start(fetch.follower, fetch, found)
    starved = paused >= rules.STARVED_SHARE * fetch.ms and any(
        each.broker == fetch.leader and each.site == PAUSED and each.span.touches(fetch)
        for each in found
    )
    long = fetch.ms - paused >= rules.SERVED_LAGS * facts.lag_ms
    return not (starts or starved) and (fetch.decided or long)


def _pauses_ms(facts: Facts, fetch: Served) -> float:
    """Return for how much of a fetch the leader's process may not have run."""
    return sum(
        min(each.paused_ms, each.overlap_ms(fetch))
        for each in facts.paused
        if each.broker == fetch.leader
    )


def _slow_fetch(facts: Facts, fetches: Sequence[Served]) -> SlowBroker:
    """Return the finding; its site is where the fetches were.

    It is several places if each has a third of the fetches at least. Then the cause may be at none
    of them: appends that hang occupy the handlers, too.
    """
    longest = max(fetches, key=lambda each: each.ms)
    took = Evidence("the leader took for a follower's fetch up to", longest.ms)
    may_be: tuple[Cause, ...] = ()
    if longest.mean_ms is not None:
        took = Evidence("the leader took for a follower's fetch on average", longest.mean_ms)
        may_be = _BY_MEAN.get(str(longest.site), ())
    sites = [each.site for each in fetches if each.site is not None]
    often = sorted({each for each in sites if 3 * sites.count(each) >= len(sites)})
    followers = {each.follower for each in fetches if each.follower is not None}
    return SlowBroker(
        span=whole(fetches), broker=longest.leader, cause="undecided" if may_be else "disk",
        may_be=may_be, site=", ".join(often) or FETCH, partitions=_of(fetches),
        evidence=(
            took,
            Evidence("of which its process did not run for", _pauses_ms(facts, longest)),
            Evidence("followers that waited", len(followers), "followers"),
        ),
    )  # fmt: skip


def ack_findings(facts: Facts, found: Sequence[SlowBroker]) -> list[SlowBroker]:
    """Return the leaders whose acks stopped or were slow, though nothing else is known of it."""
    known = [each.span for each in found]
    known += controllers_matter(facts, found)
    late = [each for each in facts.unacked if each.ms >= rules.UNEXPLAINED_LAGS * facts.lag_ms]
    late += [each for each in facts.slow_acks if each.ms >= rules.SLOW_ACKS_MS]
    left = [
        each for each in late if not any(one.touches(each, within_ms=facts.lag_ms) for one in known)
    ]
    return [
        _stalled(facts, leader, together)
        for leader in sorted({each.leader for each in left})
        for together in groups((each for each in left if each.leader == leader), 0)
    ]


def _stalled(facts: Facts, leader: int, waits: Sequence[Unacked]) -> SlowBroker:
    """Return what is left: appends that hang, or the clients' network.

    The network, if the acks of all partitions of the leader stop, and it times its appends and
    found none slow. Appends, if it does not time them, and other partitions had acks. Otherwise
    either.
    """
    span = whole(waits)
    others = len(_acked(facts, leader, span))
    timed = leader in facts.appends_known
    means = [each.mean_ms for each in waits if each.mean_ms is not None]
    found: tuple[Cause, str] = ("undecided", WRITES)
    if timed and not others and len(means) < len(waits):
        found = ("network", CLIENT_LINK)
    elif others and not timed:
        found = ("disk", APPEND)
    cause, site = found
    partitions = tuple(sorted({each.partition for each in waits}))
    evidence = [
        Evidence("partitions whose acks stopped or were slow", len(partitions), "partitions"),
        Evidence("for up to", max(each.ms for each in waits)),
        Evidence("other partitions of this leader that had acks", others, "partitions"),
        Evidence("followers that were slow or dropped meanwhile", 0, "followers"),
    ]
    if means:
        evidence.append(Evidence("an ack took on average up to", max(means)))
    if timed:
        evidence.append(Evidence("slow appends that the leader's agent found", 0, "appends"))
    return SlowBroker(
        span=span, broker=leader, cause=cause, site=site, partitions=partitions,
        may_be=("disk", "network") if cause == "undecided" else (), evidence=tuple(evidence),
    )  # fmt: skip


def _acked(facts: Facts, leader: int, span: Span) -> set[Partition]:
    """Return the partitions of a leader that had acks in a span.

    Records were due there for so long that a gap would be known, and none is.
    """
    least = rules.UNACKED_LAGS * facts.lag_ms
    late = {each.partition for each in (*facts.unacked, *facts.slow_acks) if each.touches(span)}
    led = {each.partition for each in facts.leads if each.leader == leader and each.touches(span)}
    return {
        each
        for each in led - late
        if each in facts.written and facts.written[each].overlap_ms(span) >= least
    }
