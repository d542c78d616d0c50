"""Step 3: links whose ends wait for each other, and followers that were dropped from ISRs.

Only those that no slow process or leader explains.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from insync.why.answer import Evidence, Finding, in_ms, number
from insync.why.behind import why_behind
from insync.why.facts import Awaited, Dropped, Facts, Partition, Span, Unacked
from insync.why.processes import is_start
from insync.why.rules import Rules
from insync.why.sites import APPEND, CLOCK, FETCH, LINK, late
from insync.why.spans import groups, whole


def drop_findings(facts: Facts, rules: Rules, found: Sequence[Finding]) -> list[Finding]:
    """Return the findings about links, followers, and leaders of which nothing else is known."""
    new = list(_awaited_by_several(facts, rules, found))
    new += _awaited(facts, rules, [*found, *new])
    if not facts.by_time:
        return new
    left = facts.dropped
    while True:
        known = [*found, *new]
        left = [each for each in left if not _is_explained(facts, rules, each, known)]
        if not left:
            return new
        first = min(each.at_ms for each in left)
        within = rules.same_drop_lags * facts.lag_ms
        near = [each for each in left if each.at_ms - first <= within]
        near += [
            each for each in left if each not in near and _ends_alone(facts, rules, each, near)
        ]
        new += _findings(facts, rules, near)
        left = [each for each in left if each not in near]


def _ends_alone(facts: Facts, rules: Rules, last: Dropped, before: Sequence[Dropped]) -> bool:
    """Whether a leader is alone after this drop, and dropped another follower not long before."""
    where, within = (last.leader, last.partition), rules.alone_lags * facts.lag_ms
    return last.left == 1 and any(
        (each.leader, each.partition) == where and last.at_ms - each.at_ms <= within
        for each in before
    )


def _awaited_by_several(facts: Facts, rules: Rules, found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the brokers whose answers at least two others wait for, while they have its own.

    The links work in the other direction. What such a broker does is where its agent sees nothing,
    as when the network threads wait for its disk.
    """
    for peer in sorted({each.peer for each in facts.awaited}):
        waits = [
            each
            for each in facts.awaited
            if each.peer == peer
            and _is_long(facts, rules, each)
            and not _back(facts, each)
            and not _is_known(facts, rules, (each.broker, peer), each, found)
        ]
        for together in groups(waits, 0):
            if len({each.broker for each in together}) > 1:
                yield Finding(
                    span=whole(together), broker=peer, cause="disk", site=FETCH,
                    evidence=tuple(_waited(each) for each in together),
                )  # fmt: skip


def _awaited(facts: Facts, rules: Rules, found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the links over which a broker waits for answers, though neither end is slow.

    Both ends wait; or only one does, and the other one's agent would say if it were slow.
    """
    told: set[frozenset[int]] = set()
    for one in facts.awaited:
        pair = (one.broker, one.peer)
        ends = frozenset(pair)
        back = _back(facts, one)
        shown = back or _is_long(facts, rules, one)
        if shown and not _is_known(facts, rules, pair, one, found) and ends not in told:
            told.add(ends)
            low, high = sorted(ends)
            yield Finding(
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


def _is_long(facts: Facts, rules: Rules, one: Awaited) -> bool:
    """Whether a wait is long enough, and the peer's agent would say if its process had paused."""
    return one.ms >= rules.served_lags * facts.lag_ms and one.peer in facts.pauses_known


def _is_known(
    facts: Facts, rules: Rules, ends: tuple[int, int], span: Span, found: Sequence[Finding]
) -> bool:
    """Whether one of two brokers is known to have been slow then, or to have been started."""
    return any(is_start(each, span, found, rules) for each in ends) or any(
        each.broker in ends and each.span.touches(span, within_ms=facts.lag_ms / 2)
        for each in found
    )


def _waited(one: Awaited) -> Evidence:
    return in_ms(f"broker {one.broker} waited for answers of broker {one.peer} for", one.ms)


def _is_explained(facts: Facts, rules: Rules, dropped: Dropped, found: Sequence[Finding]) -> bool:
    """Whether the controller removed it, or a broker of the two is known to have been slow then.

    A follower whose leader was paused is dropped when the leader runs again, up to a lag later.
    """
    ends = (dropped.leader, dropped.follower)
    return dropped.fenced or _is_known(facts, rules, ends, late(facts, dropped), found)


def _findings(facts: Facts, rules: Rules, drops: Sequence[Dropped]) -> Iterator[Finding]:
    """Yield the findings of drops that happened at one time: links, then leaders, followers."""
    hung = {each: gaps for each in drops if (gaps := _stalled_before(facts, each))}
    for broker in sorted({each.follower for each in hung}):
        yield _hung_leader(facts, broker, {
            each: gaps for each, gaps in hung.items() if each.follower == broker
        })  # fmt: skip
    drops = [each for each in drops if each not in hung]
    pairs = {(each.leader, each.follower) for each in drops}
    mutual = {pair for pair in pairs if (pair[1], pair[0]) in pairs}
    center = _at_every_link(facts, pairs, mutual)
    if center is not None:
        yield _slow_at_every_link(facts, center, drops)
        return
    for one, two in sorted(pair for pair in mutual if pair[0] < pair[1]):
        both = [each for each in drops if {each.leader, each.follower} == {one, two}]
        yield _link(facts, one, two, both)
    rest = [each for each in drops if (each.leader, each.follower) not in mutual]
    for leader in sorted({each.leader for each in rest}):
        own = [each for each in rest if each.leader == leader]
        waited = max(overdue_ms(facts, rules, each) for each in own)
        if len({each.follower for each in own}) > 1 or waited >= rules.overdue_lags * facts.lag_ms:
            yield _slow_leader(facts, rules, leader, own, waited)
            rest = [each for each in rest if each.leader != leader]
    for follower in sorted({each.follower for each in rest}):
        behind = [each for each in rest if each.follower == follower]
        yield _slow_follower(facts, rules, follower, behind)


def _at_every_link(
    facts: Facts, pairs: Collection[tuple[int, int]], mutual: Collection[tuple[int, int]]
) -> int | None:
    """Return the broker that is at an end of each drop, with every other one; or None.

    With one of them at least the drops are mutual: it may have dropped, or been dropped by, the
    others only, because it went on before more of them came.
    """
    peers = len(facts.brokers) - 1
    found = [
        broker
        for broker in {broker for broker, _ in mutual}
        if all(broker in pair for pair in pairs)
        and len({other for pair in pairs for other in pair} - {broker}) == peers
    ]
    return found[0] if len(found) == 1 and peers > 1 else None


def _slow_at_every_link(facts: Facts, broker: int, drops: Sequence[Dropped]) -> Finding:
    """Return the finding of a broker that is bad with every other one.

    The controller did not fence it, or its drops would be explained: so its network works.
    """
    says = f"brokers that dropped broker {broker}, that it dropped, or both"
    peers = {end for each in drops for end in (each.leader, each.follower)} - {broker}
    return Finding(
        span=_span(facts, drops), broker=broker, cause="disk", site=FETCH,
        partitions=_partitions(drops),
        evidence=(number(says, "brokers", len(peers)), _dropped_from(drops, "from the ISRs of")),
    )  # fmt: skip


def _span(facts: Facts, drops: Sequence[Dropped]) -> Span:
    return whole([late(facts, each) for each in drops])


def _partitions(drops: Sequence[Dropped]) -> tuple[Partition, ...]:
    return tuple(sorted({each.partition for each in drops}))


def _dropped_from(drops: Sequence[Dropped], says: str) -> Evidence:
    return number(says, "partitions", len(_partitions(drops)))


def _link(facts: Facts, one: int, two: int, drops: Sequence[Dropped]) -> Finding:
    says = f"brokers {one} and {two} dropped each other from the ISRs of"
    return Finding(
        span=_span(facts, drops), broker=one, peer=two, cause="network", site=LINK,
        partitions=_partitions(drops), evidence=(_dropped_from(drops, says),),
    )  # fmt: skip


def overdue_ms(facts: Facts, rules: Rules, dropped: Dropped) -> float:
    """Return for how long a follower was late when its leader dropped it, 0 if that is not known.

    By its last fetch; or by how long the partition had no ack, also after the drop: a slow follower
    delays acks only until it is dropped. If only the leader was left, acks may be refused then.
    """
    unseen = dropped.unseen_ms
    waits = [
        each.ms if dropped.left > 1 else dropped.at_ms - each.since_ms
        for each in _gaps(facts, rules, dropped)
    ]
    fetched = [] if unseen is None or unseen == float("inf") else [unseen]
    return max([*waits, *fetched], default=0.0)


def _gaps(facts: Facts, rules: Rules, dropped: Dropped) -> list[Span]:
    """Return the times without acks of a partition in which a follower was dropped.

    A drop acks what waited for the follower: two gaps that only this parts are one.
    """
    own = [
        each
        for each in facts.unacked
        if (each.partition, each.leader) == (dropped.partition, dropped.leader)
    ]
    joined = [whole(gaps) for gaps in groups(own, rules.same_gap_lags * facts.lag_ms)]
    half = facts.lag_ms / 2
    return [each for each in joined if each.since_ms <= dropped.at_ms <= each.until_ms + half]


def _stalled_before(facts: Facts, dropped: Dropped) -> list[Unacked]:
    """Return the times without acks in which the dropped replica ceased to lead the partition.

    Its append hangs, and with it the lock that it needs to follow: so the new leader drops it.
    """
    ends = [
        each.until_ms
        for each in facts.leads
        if (each.partition, each.leader) == (dropped.partition, dropped.follower)
    ]
    return [
        each
        for each in facts.unacked
        if (each.partition, each.leader) == (dropped.partition, dropped.follower)
        and each.since_ms <= dropped.at_ms
        and any(each.since_ms <= end <= min(each.until_ms, dropped.at_ms) for end in ends)
    ]


def _hung_leader(
    facts: Facts, broker: int, stalled: Mapping[Dropped, Sequence[Unacked]]
) -> Finding:
    """Return the finding of a leader whose appends hung also after it had ceased to lead.

    `stalled` are the times without acks before each of its drops.
    """
    drops, gaps = [*stalled], [gap for each in stalled.values() for gap in each]
    return Finding(
        span=whole([_span(facts, drops), *gaps]), broker=broker, cause="disk", site=APPEND,
        partitions=_partitions(drops),
        evidence=(
            _dropped_from(drops, "without an ack until another leader dropped it from the ISRs of"),
            in_ms("without an ack for up to", max(each.ms for each in gaps)),
        ),
    )  # fmt: skip


def _slow_leader(
    facts: Facts, rules: Rules, leader: int, drops: Sequence[Dropped], waited_ms: float
) -> Finding:
    """Return the finding of a leader that loses several followers at one time, or one too late.

    It serves them slowly: none of them is slow elsewhere, and it keeps up with other leaders. Its
    thread that looks for followers that are out of sync hangs behind the same lock. If acks went
    on, no follower was late: the leader's clock jumped, or it had no time to note their fetches.
    """
    followers = {each.follower for each in drops}
    gaps = [each for dropped in drops for each in _gaps(facts, rules, dropped)]
    went_on = waited_ms == 0 and all(_acks_went_on(facts, each) for each in drops)
    return Finding(
        span=whole([_span(facts, drops), *gaps]), broker=leader, partitions=_partitions(drops),
        cause="process" if went_on else "disk", site=CLOCK if went_on else FETCH,
        evidence=(
            number("followers that it dropped at one time", "followers", len(followers)),
            in_ms("a follower was late, or acks missing, when it was dropped, for", waited_ms),
            number("other leaders that dropped it", "leaders", 0),
        ),
    )  # fmt: skip


def _acks_went_on(facts: Facts, dropped: Dropped) -> bool:
    """Whether records were due in the lag before a drop; a gap of their acks would be known."""
    span = late(facts, dropped)
    written = facts.written.get(dropped.partition)
    return written is not None and written.overlap_ms(span) == span.ms


def _slow_follower(facts: Facts, rules: Rules, follower: int, drops: Sequence[Dropped]) -> Finding:
    leaders = sorted({each.leader for each in drops})
    word = "leader" if len(leaders) == 1 else "leaders"
    dropped = f"dropped by {word} {', '.join(map(str, leaders))} from the ISRs of"
    seen = [each.unseen_ms for each in drops if each.unseen_ms not in (None, float("inf"))]
    fetched = [in_ms("its last fetch there was before", min(filter(None, seen)))] if seen else []
    span = _span(facts, drops)
    behind = why_behind(facts, rules, follower, drops, span)
    peer = leaders[0] if behind.site == LINK and len(leaders) == 1 else None
    return Finding(
        span=span, broker=follower, peer=peer, cause=behind.cause, site=behind.site,
        may_be=behind.may_be, partitions=_partitions(drops),
        evidence=(_dropped_from(drops, dropped), *fetched, *behind.evidence),
    )  # fmt: skip
