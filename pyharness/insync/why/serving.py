"""Step 2: leaders that were slow with fetches or appends although their process ran."""

from collections.abc import Iterator, Sequence
from typing import Final

from insync.why.answer import Finding, in_ms, number
from insync.why.facts import Appended, Facts, Partition, Served, Span
from insync.why.processes import PAUSED, is_start
from insync.why.rules import Rules
from insync.why.sites import FETCH
from insync.why.spans import groups, whole

_LOCK: Final = "lock"


def serving_findings(facts: Facts, rules: Rules, found: Sequence[Finding]) -> list[Finding]:
    """Return the findings about disks under a leader: slow appends, and slow fetches."""
    appends = list(_appends(facts, rules, found))
    return appends + list(_fetches(facts, rules, [*found, *appends]))


def _appends(facts: Facts, rules: Rules, found: Sequence[Finding]) -> Iterator[Finding]:
    for broker in sorted({each.leader for each in facts.appended} - facts.clock_moved):
        own = [each for each in facts.appended if each.leader == broker]
        for together in groups(own, rules.served_apart_lags * facts.lag_ms):
            span = whole(together)
            if not is_start(broker, span, found, rules) and not _known(broker, span, found):
                yield _slow_append(broker, span, together)


def _slow_append(broker: int, span: Span, appends: Sequence[Appended]) -> Finding:
    """Return the finding; its site is that of the longest append that waits for no other one."""
    longest = min(appends, key=lambda each: (each.site == _LOCK, -each.ms))
    return Finding(
        span=span, broker=broker, cause="disk", site=f"append: {longest.site}",
        partitions=_of(appends),
        evidence=(
            in_ms(f"an append hung at site {longest.site}, at least for", longest.ms),
            number("partitions with such appends", "partitions", len(_of(appends))),
        ),
    )  # fmt: skip


def _of(seen: Sequence[Appended | Served]) -> tuple[Partition, ...]:
    return tuple(sorted({each.partition for each in seen if each.partition is not None}))


def _fetches(facts: Facts, rules: Rules, found: Sequence[Finding]) -> Iterator[Finding]:
    for broker in sorted({each.leader for each in facts.served} - facts.clock_moved):
        slow = [
            each
            for each in facts.served
            if each.leader == broker and _is_slow(facts, rules, each, found)
        ]
        for together in groups(slow, rules.served_apart_lags * facts.lag_ms):
            span = whole(together)
            if not is_start(broker, span, found, rules) and not _known(broker, span, found):
                yield _slow_fetch(facts, broker, span, together)


def _is_slow(facts: Facts, rules: Rules, fetch: Served, found: Sequence[Finding]) -> bool:
    """Whether a leader took too long for a fetch while its process ran.

    Not the first fetches of a follower that has just started, which read much, nor those during
    which a starved process, which is a finding, got little CPU time between its pauses.
    """
    paused = _pauses_ms(facts, fetch.leader, fetch)
    starts = fetch.follower is not None and is_start(fetch.follower, fetch, found, rules)
    starved = paused >= rules.starved_share * fetch.ms and any(
        each.broker == fetch.leader and each.site == PAUSED and each.span.touches(fetch)
        for each in found
    )
    long = fetch.ms - paused >= rules.served_lags * facts.lag_ms
    return not (starts or starved) and (fetch.decided or long)


def _known(broker: int, span: Span, found: Sequence[Finding]) -> bool:
    """Whether a finding about the broker explains more than half of a time already."""
    return any(each.broker == broker and each.span.overlap_ms(span) > span.ms / 2 for each in found)


def _pauses_ms(facts: Facts, broker: int, span: Span) -> float:
    """Return for how much of a time the broker's process may not have run."""
    return sum(
        min(each.paused_ms, each.overlap_ms(span)) for each in facts.paused if each.broker == broker
    )


def _sites(fetches: Sequence[Served]) -> str:
    """Return where the fetches were; several places if each has a third of them at least.

    Then the cause may be at none of them: appends that hang occupy the handlers, too.
    """
    sites = [each.site for each in fetches if each.site is not None]
    often = sorted({each for each in sites if 3 * sites.count(each) >= len(sites)})
    return ", ".join(often) or FETCH


def _slow_fetch(facts: Facts, broker: int, span: Span, fetches: Sequence[Served]) -> Finding:
    longest = max(fetches, key=lambda each: each.ms)
    followers = {each.follower for each in fetches if each.follower is not None}
    return Finding(
        span=span, broker=broker, cause="disk", partitions=_of(fetches),
        site=_sites(fetches),
        evidence=(
            in_ms("the leader took for a follower's fetch up to", longest.ms),
            in_ms("of which its process did not run for", _pauses_ms(facts, broker, longest)),
            number("followers that waited", "followers", len(followers)),
        ),
    )  # fmt: skip
