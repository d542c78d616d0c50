"""Step 4: links whose ends wait for each other, and followers that were dropped from ISRs.

Only those that no slow process or leader explains.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from insync.why import rules
from insync.why.answer import Cause, Evidence, SlowBroker
from insync.why.facts import (
    FOLLOWER_APPEND,
    Awaited,
    Dropped,
    Facts,
    Partition,
    Span,
    groups,
    whole,
)
from insync.why.leaders import FETCH
from insync.why.processes import is_start

FOLLOWING: Final = "following"
LINK: Final = "link"
LINKS: Final = "links to other brokers"


def link_findings(facts: Facts, found: Sequence[SlowBroker]) -> list[SlowBroker]:
    """Return the brokers whose answers others wait for, and the links over which one waits."""
    new = list(_awaited_by_several(facts, found))
    return [*new, *_awaited(facts, [*found, *new])]


def _awaited_by_several(facts: Facts, found: Sequence[SlowBroker]) -> Iterator[SlowBroker]:
    """Yield the brokers whose answers at least two others wait for, while they have its own.

    The links work in the other direction. What such a broker does is where its agent sees nothing,
    as when the network threads wait for its disk.
    """
    for peer in sorted({each.peer for each in facts.awaited}):
        waits = [
            each
            for each in facts.awaited
            if each.peer == peer
            and _is_long(facts, each)
            and not _back(facts, each)
            and not _is_known(facts, (each.broker, peer), each, found)
        ]
        for together in groups(waits, 0):
            if len({each.broker for each in together}) > 1:
                yield SlowBroker(
                    span=whole(together), broker=peer, cause="disk", site=FETCH,
                    evidence=tuple(_waited(each) for each in together),
                )  # fmt: skip


def _awaited(facts: Facts, found: Sequence[SlowBroker]) -> Iterator[SlowBroker]:
    """Yield the links over which a broker waits for answers, though neither end is slow.

    Both ends wait; or only one does, and the other one's agent would say if it were slow.
    """
    told: set[frozenset[int]] = set()
    for one in facts.awaited:
        pair = (one.broker, one.peer)
        back = _back(facts, one)
        shown = back or _is_long(facts, one)
        known = _is_known(facts, pair, one, found)
        if shown and not known and frozenset(pair) not in told:
            told.add(frozenset(pair))
            low, high = sorted(pair)
            yield SlowBroker(
                span=whole([one, *back]), broker=low, peer=high, cause="network", site=LINK,
                evidence=tuple(_waited(each) for each in (one, *back[:1])),
            )  # fmt: skip


def _back(facts: Facts, one: Awaited) -> list[Awaited]:
    """Return the waits of the peer for this broker at the same time."""
    return [
        each
        for each in facts.awaited
        if (each.broker, each.peer) == (one.peer, one.broker) and each.touches(one)
    ]


def _is_long(facts: Facts, one: Awaited) -> bool:
    """Whether a wait is long enough, and the peer's agent would say if its process had paused."""
    return one.ms >= rules.SERVED_LAGS * facts.lag_ms and one.peer in facts.pauses_known


def _waited(one: Awaited) -> Evidence:
    return Evidence(f"broker {one.broker} waited for answers of broker {one.peer} for", one.ms)


def _is_known(facts: Facts, ends: tuple[int, int], span: Span, found: Sequence[SlowBroker]) -> bool:
    """Whether one of two brokers is known to have been slow then, or to have been started."""
    return any(is_start(each, span, found) for each in ends) or any(
        each.broker in ends and each.span.touches(span, within_ms=facts.lag_ms / 2)
        for each in found
    )


def drop_findings(facts: Facts, found: Sequence[SlowBroker]) -> list[SlowBroker]:
    """Return the findings of drops that nothing explains, those of one time together.

    Not those that the controller made, nor those of new partitions. A follower whose leader was
    paused is dropped when the leader runs again, up to a lag later.
    """
    new: list[SlowBroker] = []
    left = [each for each in facts.dropped if facts.by_time and not (each.fenced or each.new)]
    while True:
        known = [*found, *new]
        left = [each for each in left if not _is_explained(facts, each, known)]
        if not left:
            return new
        first = min(each.at_ms for each in left)
        near = [
            each for each in left if each.at_ms - first <= rules.SAME_DROP_LAGS * facts.lag_ms
        ]  # fmt: skip
        new += _findings(facts, near)
        left = [each for each in left if each not in near]


def _is_explained(facts: Facts, drop: Dropped, found: Sequence[SlowBroker]) -> bool:
    """Whether an end of a drop was slow, or had just been started when the follower was dropped.

    A follower that was in the ISR had caught up since its start, however early it was late.
    """
    ends, at = (drop.leader, drop.follower), Span(since_ms=drop.at_ms, until_ms=drop.at_ms)
    late = facts.late(drop)
    return any(is_start(each, at, found) for each in ends) or any(
        each.broker in ends and each.span.touches(late, within_ms=facts.lag_ms / 2)
        for each in found
    )


def _findings(facts: Facts, drops: Sequence[Dropped]) -> Iterator[SlowBroker]:
    """Yield the findings of drops that happened at one time: leaders, links, then followers."""
    pairs = {(each.leader, each.follower) for each in drops}
    mutual = {pair for pair in pairs if (pair[1], pair[0]) in pairs}
    center = _at_every_link(pairs, mutual)
    if center is not None:
        yield _cut_off(facts, center, drops)
        return
    for one, two in sorted(pair for pair in mutual if pair[0] < pair[1]):
        both = [each for each in drops if {each.leader, each.follower} == {one, two}]
        says = f"brokers {one} and {two} dropped each other from the ISRs of"
        yield _finding(facts, both, one, ("network", LINK), _count(both, says), peer=two)
    rest = [each for each in drops if (each.leader, each.follower) not in mutual]
    for leader in sorted({each.leader for each in rest}):
        own = [each for each in rest if each.leader == leader]
        overdue = _waited_ms(facts, own) >= rules.OVERDUE_LAGS * facts.lag_ms
        if len({each.follower for each in own}) > 1 or overdue:
            yield _cut_off(facts, leader, own)
            rest = [each for each in rest if each.leader != leader]
    for follower in sorted({each.follower for each in rest}):
        yield _behind(facts, follower, [each for each in rest if each.follower == follower])


def _finding(
    facts: Facts,
    drops: Sequence[Dropped],
    broker: int,
    why: tuple[Cause, str],
    *evidence: Evidence,
    peer: int | None = None,
) -> SlowBroker:
    """Return the finding of some drops; one that is not decided is the disk or the network.

    Or the process, of which logs say little.
    """
    cause, site = why
    gaps = [gap for each in drops for gap in _gaps(facts, each)] if site == FETCH else []
    may_be: tuple[Cause, ...] = (
        ("disk", "network", "process") if facts.logs else ("disk", "network")
    )
    return SlowBroker(
        span=whole([*(facts.late(each) for each in drops), *gaps]), broker=broker, peer=peer,
        cause=cause, site=site, may_be=may_be if cause == "undecided" else (),
        partitions=_partitions(drops), evidence=evidence,
    )  # fmt: skip


def _partitions(drops: Sequence[Dropped]) -> tuple[Partition, ...]:
    return tuple(sorted({each.partition for each in drops}))


def _count(drops: Sequence[Dropped], says: str) -> Evidence:
    return Evidence(says, len(_partitions(drops)), "partitions")


def _at_every_link(
    pairs: Collection[tuple[int, int]], mutual: Collection[tuple[int, int]]
) -> int | None:
    """Return the broker that is at an end of each drop, with several others; or None.

    With one of them at least the drops are mutual: it may have dropped, or been dropped by, the
    others only, because it went on before more of them came.
    """
    found = [
        broker
        for broker in {broker for broker, _ in mutual}
        if all(broker in pair for pair in pairs)
        and len({other for pair in pairs for other in pair} - {broker}) > 1
    ]
    return found[0] if len(found) == 1 else None


def _cut_off(facts: Facts, broker: int, drops: Sequence[Dropped]) -> SlowBroker:
    """Return the finding of a broker that others lost, and that lost others, at one time.

    It serves slowly if it dropped one much too late, because its search for late followers hangs
    behind the same lock; or if its links work in the other direction. Its links are bad if its
    agent saw no fetch that was pending.
    """
    own = [each for each in drops if each.leader == broker]
    waited_ms = _waited_ms(facts, own)
    kept = _kept(facts, own) if own else []
    why: tuple[Cause, str] = ("undecided", LINKS)
    gave_up = _gave_up(facts, broker, drops)
    if waited_ms >= rules.OVERDUE_LAGS * facts.lag_ms or any(
        _woke(facts, each, drops) for each in own
    ):
        why = ("disk", FETCH)
    elif gave_up is not None:
        why = ("network", LINKS) if gave_up[1].value else ("disk", FETCH)
    elif broker in facts.pauses_known - facts.clock_moved:
        why = ("network", LINKS)
    elif len(own) == len(drops) and (_links_work(facts, drops) or kept):
        why = ("disk", FETCH)
    late = (
        ("a follower was late, or acks missing,", waited_ms),
        (
            "usual are one to one and a half lags: a follower had not caught up",
            max((each.late_ms for each in own), default=0.0),
        ),
    )
    lost = {each.follower for each in own}
    losers = {each.leader for each in drops} - {broker}
    return _finding(
        facts, drops, broker, why,
        Evidence("followers that it dropped at one time", len(lost), "followers"),
        Evidence("leaders that dropped it", len(losers), "leaders"),
        *(Evidence(f"{says} when it was dropped, for", ms) for says, ms in late if ms),
        *kept, *(gave_up or ()),
    )  # fmt: skip


def _gave_up(
    facts: Facts, broker: int, drops: Sequence[Dropped]
) -> tuple[Evidence, Evidence] | None:
    """Return how many gave up waiting for a broker's answers, and whose answers it gave up.

    None unless several did, as logs say, and it would say so itself. If it gave up on nobody, its
    links work in the other direction.
    """
    span = whole([facts.late(each) for each in drops])
    near = [each for each in facts.awaited if each.touches(span, within_ms=facts.lag_ms)]
    by = {each.broker for each in near if each.peer == broker}
    of = {each.peer for each in near if each.broker == broker}
    if not facts.logs or broker not in facts.peers_known or len(by) <= 1:
        return None
    return (
        Evidence("fetchers of other brokers that gave it up", len(by), "brokers"),
        Evidence("brokers that its own fetchers gave up", len(of), "brokers"),
    )


def _woke(facts: Facts, dropped: Dropped, drops: Sequence[Dropped]) -> bool:
    """Whether a leader dropped a follower much too late, as logs say, and had it back at once.

    Then the leader hung, and the follower waited for it. It was late since it had caught up; or
    since others lost the leader, which they drop after a lag. That alone is not enough: a follower
    is not behind as long as nobody writes, and is dropped with the next record.
    """
    lost = (each.at_ms for each in drops if each.follower == dropped.leader)
    missed_ms = dropped.at_ms - min(lost, default=dropped.at_ms) + facts.lag_ms
    soon_ms = max(rules.BACK_LAGS * facts.lag_ms, rules.BACK_MS)
    back = Span(since_ms=dropped.at_ms, until_ms=dropped.at_ms + soon_ms)
    return max(dropped.late_ms, missed_ms) >= rules.OVERDUE_LAGS * facts.lag_ms and any(
        each.partition == dropped.partition
        and each.leader == dropped.leader
        and dropped.follower in each.isr
        and back.holds(each.since_ms)
        for each in facts.leads
    )


def _kept(facts: Facts, drops: Sequence[Dropped]) -> list[Evidence]:
    """Return in how many ISRs leaders stayed whose dropped followers lead other partitions.

    None if logs are not the source, or one of them keeps such a leader in too few to show that the
    link works, or was fenced soon after: then it may have ended before.
    """
    span = whole([facts.late(each) for each in drops])
    followers = {each.follower for each in drops}
    gone = any(
        each.broker in followers and each.touches(span, rules.SESSION_MS) for each in facts.fenced
    )
    led = [
        {
            each.partition
            for each in facts.leads
            if each.leader == follower and leader in each.isr
            if each.covers(span)
        }
        for leader, follower in {(each.leader, each.follower) for each in drops}
    ]
    if gone or not facts.logs or min(map(len, led)) < rules.KEPT_LEADS:
        return []
    says = "partitions of the removed followers, in which who removed them stayed in sync"
    return [Evidence(says, len(set.union(*led)), "partitions")]


def _waited_ms(facts: Facts, drops: Sequence[Dropped]) -> float:
    """Return for how long a follower was late when its leader dropped it; 0 if that is not known.

    By the last fetch; or by how long the partition had no ack, also
    after the drop: a slow follower delays acks only until it is dropped. If only the leader was
    left, acks may be refused then.
    """
    alone = {each.partition for each in drops if each.left <= 1}
    late = [each.unseen_ms for each in drops if each.unseen_ms not in (None, float("inf"))]
    late += [
        each.at_ms - gap.since_ms if each.partition in alone else gap.ms
        for each in drops
        for gap in _gaps(facts, each)
    ]
    return max(filter(None, late), default=0.0)


def _gaps(facts: Facts, dropped: Dropped) -> list[Span]:
    """Return the times without acks of a partition in which a follower was dropped.

    A drop acks what waited for the follower: two gaps that only this parts are one.
    """
    place = (dropped.partition, dropped.leader)
    own = [each for each in facts.unacked if (each.partition, each.leader) == place]
    joined = [whole(gaps) for gaps in groups(own, facts.lag_ms / 10)]
    half = facts.lag_ms / 2
    return [each for each in joined if each.since_ms <= dropped.at_ms <= each.until_ms + half]


def _behind(facts: Facts, follower: int, drops: Sequence[Dropped]) -> SlowBroker:
    """Return why one follower is behind at some leaders.

    It fetches, but is behind: it appends slowly. It waits for answers to fetches that the leader
    does not have: the link. It waits for none, or keeps up with something else over the same link:
    it appends slowly. Otherwise either.
    """
    leaders = sorted({each.leader for each in drops})
    named = f"leader{'s' if len(leaders) > 1 else ''} {', '.join(map(str, leaders))}"
    evidence = [_count(drops, f"dropped by {named} from the ISRs of")]
    seen = [each.unseen_ms for each in drops if each.unseen_ms is not None]
    if seen and min(seen) < float("inf"):
        evidence.append(Evidence("its last fetch there was before", min(seen)))
    span = whole([facts.late(each) for each in drops])
    waits = [
        each.ms
        for each in facts.awaited
        if each.broker == follower and each.peer in leaders and each.touches(span)
    ]
    why: tuple[Cause, str] = ("disk", FOLLOWER_APPEND)
    if seen and min(seen) < rules.FETCHING_LAGS * facts.lag_ms:
        pass
    elif facts.logs:
        return _behind_in_logs(facts, follower, drops, evidence)
    elif follower in facts.peers_known:
        evidence.append(Evidence("it waited for a leader's answers for", max(waits, default=0.0)))
        why = ("network", LINK) if waits else why
    elif not _links_work(facts, drops):
        why = ("undecided", FOLLOWING)
    peer = leaders[0] if why[1] == LINK and len(leaders) == 1 else None
    return _finding(facts, drops, follower, why, *evidence, peer=peer)


def _behind_in_logs(
    facts: Facts, follower: int, drops: Sequence[Dropped], evidence: Sequence[Evidence]
) -> SlowBroker:
    """Return why one follower is behind at some leaders, of which logs say no more.

    If one leader alone dropped it, either of the two is slow, or their link. If several did, it
    appends slowly if the links work, as partitions show that it leads itself.
    """
    span = whole([facts.late(each) for each in drops])
    leaders = {each.leader for each in drops}
    if len(leaders) == 1:
        dropped = {each.partition for each in drops}
        kept = {
            each.partition
            for each in facts.leads
            if each.partition not in dropped and follower in each.isr and each.leader != follower
            if each.covers(span)
        }
        told = Evidence("other partitions in which it stayed in sync", len(kept), "partitions")
        return _finding(
            facts, drops, follower, ("undecided", FOLLOWING), *evidence, told, peer=min(leaders)
        )  # fmt: skip
    lost = {each.peer for each in facts.awaited if each.broker == follower and each.touches(span)}
    if len(lost & leaders) > 1:
        told = Evidence("leaders whose answers it gave up", len(lost & leaders), "brokers")
        return _finding(facts, drops, follower, ("network", LINKS), *evidence, told)
    works = _kept(facts, drops)
    cause: tuple[Cause, str] = ("disk", FOLLOWER_APPEND) if works else ("undecided", FOLLOWING)
    return _finding(facts, drops, follower, cause, *evidence, *works)


def _links_work(facts: Facts, drops: Sequence[Dropped]) -> bool:
    """Whether the links of all these drops work, as other partitions show.

    One in which the follower keeps up with this leader, because one fetch asks for all of them
    (with one fetcher thread, Kafka's default); or one in which the leader keeps up with the
    follower. Only if it was written: of another one nobody is behind.
    """
    span = whole([facts.late(each) for each in drops])
    behind = {(each.leader, each.follower, each.partition) for each in drops}
    used = {
        (led.leader, replica)
        for led in facts.leads
        if led.covers(span)
        if led.partition in facts.written and facts.written[led.partition].overlap_ms(span)
        for replica in led.replicas
        if (led.leader, replica, led.partition) not in behind
    }
    return all(
        (each.leader, each.follower) in used or (each.follower, each.leader) in used
        for each in drops
    )
