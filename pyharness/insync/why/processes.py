"""Step 1: brokers whose process ended, was frozen or starved, or that only the controller lost."""

from collections.abc import Iterator, Sequence
from typing import Final

from insync.why.answer import Evidence, Finding, in_ms, number
from insync.why.facts import Dropped, Ended, Facts, Fenced, Partition, Paused, Span, Unacked
from insync.why.rules import Rules
from insync.why.sites import ENDED, late
from insync.why.spans import groups, whole

PAUSED: Final = "frozen or starved"
GONE: Final = "not heard of"
CONTROLLER_LINK: Final = "link to the controller"


def process_findings(facts: Facts, rules: Rules) -> list[Finding]:
    """Return the findings about whole processes."""
    found = list(_ended(facts, rules))
    found += _paused(facts, rules, found)
    found += _missed(facts, rules, found)
    found += _fenced(facts, rules, found)
    return found


def is_start(broker: int, span: Span, found: Sequence[Finding], rules: Rules) -> bool:
    """Whether a time belongs to an end of this broker's process, or to its start."""
    return any(
        each.broker == broker
        and each.site == ENDED
        and each.span.since_ms <= span.until_ms
        and span.since_ms <= each.span.until_ms + rules.warm_up_ms
        for each in found
    )


def _ended(facts: Facts, rules: Rules) -> Iterator[Finding]:
    """Yield the brokers that ended; each was away until the controller let it in again."""
    for broker in sorted(facts.brokers):
        lives = [each for each in facts.ended if each.broker == broker]
        for lived in groups(lives, facts.lag_ms):
            away = [
                each
                for each in facts.fenced
                if each.broker == broker and _follows(each, lived, rules)
            ]
            seen = [_since_last_seen(facts, each) for each in away]
            yield _process(
                broker, whole([*lived, *away, *seen]), ENDED,
                in_ms("its process ended and was started again, after", whole(lived).ms),
                *(in_ms("the controller fenced it for", each.ms) for each in away),
            )  # fmt: skip


def _follows(fenced: Fenced, lives: Sequence[Ended], rules: Rules) -> bool:
    """Whether the controller fenced a broker because it had ended, or registered it again."""
    return any(
        each.since_ms <= fenced.until_ms and fenced.since_ms <= each.until_ms + rules.warm_up_ms
        for each in lives
    )


def _process(broker: int, span: Span, site: str, *evidence: Evidence) -> Finding:
    return Finding(span=span, broker=broker, cause="process", site=site, evidence=evidence)


def _paused(facts: Facts, rules: Rules, found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the processes that did not run for long enough in sum, as their agents measured."""
    for broker in sorted(facts.pauses_known):
        own = [each for each in facts.paused if each.broker == broker]
        for together in groups(own, rules.paused_apart_ms):
            total = sum(each.paused_ms for each in together)
            span = whole(together)
            enough = total >= rules.paused_lags * facts.lag_ms
            if enough and not is_start(broker, span, found, rules):
                yield _process(
                    broker, span, PAUSED,
                    in_ms("its process did not run, in sum for", total),
                    in_ms("the longest pause", max(each.paused_ms for each in together)),
                )  # fmt: skip


def _missed(facts: Facts, rules: Rules, found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the processes that did not run at a time which only others tell, who missed them.

    The agent of a broker that leads nothing has little to report, so that a pause may be at any
    time between two reports.
    """
    for pause in long_undated(facts, rules):
        broker = pause.broker
        missed = [
            *(_since_last_seen(facts, each) for each in facts.fenced if each.broker == broker),
            *(late(facts, each) for each in facts.dropped
              if each.follower == broker and not each.fenced),
        ]  # fmt: skip
        within = [each for each in missed if pause.overlap_ms(each) and each.ms <= pause.paused_ms]
        if within and not is_start(broker, whole(within), found, rules):
            yield _process(
                broker, whole(within), PAUSED,
                in_ms("its process did not run, in sum for", pause.paused_ms),
                number("times that the controller or a leader missed it", "times", len(within)),
            )  # fmt: skip


def long_undated(facts: Facts, rules: Rules) -> list[Paused]:
    """Return the pauses that are long, and of which the agent does not tell the time."""
    return [each for each in facts.undated if each.paused_ms >= rules.paused_lags * facts.lag_ms]


def _fenced(facts: Facts, rules: Rules, found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the brokers without heartbeats that nothing explains so far."""
    alone = controllers_matter(facts, rules, found)
    for fenced in _unexplained(facts, rules, found):
        if fenced not in alone:
            yield _silent(facts, fenced)


def controllers_matter(facts: Facts, rules: Rules, found: Sequence[Finding]) -> list[Fenced]:
    """Return the fencings that say something of the controller: of several brokers at one time.

    Not those of brokers whose partitions had stalled before, or that others dropped for their lag,
    unless their agents show that their processes ran.
    """
    left = [
        each
        for each in _unexplained(facts, rules, found)
        if _is_known_to_run(facts, each) or not (_stalled(facts, each) or _lagged(facts, each))
    ]
    return [
        each
        for each in left
        if any(
            other.broker != each.broker and other.touches(each, rules.together_ms)
            for other in left
        )
    ]  # fmt: skip


def _unexplained(facts: Facts, rules: Rules, found: Sequence[Finding]) -> list[Fenced]:
    """Return the fencings of brokers that had neither ended nor paused shortly before."""
    return [
        fenced
        for fenced in facts.fenced
        if not is_start(fenced.broker, fenced, found, rules)
        and not any(
            each.broker == fenced.broker
            and each.cause == "process"
            and each.span.touches(fenced, within_ms=2 * facts.lag_ms)
            for each in found
        )
    ]


def _silent(facts: Facts, fenced: Fenced) -> Finding:
    """Return whose fault it is that the heartbeats did not arrive.

    The process's, if it did nothing else either; else that of the link to the controller. An agent
    that measures pauses and has none shows that the process ran.
    """
    length = in_ms("the controller fenced it for", fenced.ms)
    if _is_known_to_run(facts, fenced):
        return _link(fenced, length, in_ms("while its process did not run for only", 0))
    lagged, stalled = _lagged(facts, fenced), _stalled(facts, fenced)
    waited = {each.partition for each in _waits(facts, fenced)}
    if not (lagged or stalled or waited or _leads_any(facts, fenced)):
        return Finding(
            span=fenced, broker=fenced.broker, cause="undecided", site=GONE, evidence=(length,),
            may_be=("network", "process"),
        )  # fmt: skip
    if not (lagged or stalled or waited) and facts.clients_known:
        return _link(fenced, length, number("partitions that stalled meanwhile", "partitions", 0))
    return _process(
        fenced.broker, _since_last_seen(facts, fenced), GONE, length,
        number("partitions that it led and that had no ack", "partitions", len(stalled)),
        number("partitions whose acks waited for its fetches", "partitions", len(waited)),
        number("ISRs that dropped it for its lag", "partitions", len(lagged)),
    )  # fmt: skip


def _leads_any(facts: Facts, fenced: Fenced) -> bool:
    """Whether the fenced broker led a partition shortly before, whose clients show it running."""
    before = Span(since_ms=fenced.since_ms - facts.lag_ms, until_ms=fenced.since_ms)
    return any(each.leader == fenced.broker and each.touches(before) for each in facts.leads)


def _is_known_to_run(facts: Facts, fenced: Fenced) -> bool:
    """Whether the agent of a fenced broker reported about that time, and had no pause."""
    around = Span(since_ms=fenced.since_ms - facts.lag_ms, until_ms=fenced.until_ms)
    reports = facts.reports.get(fenced.broker, ())
    told = any(around.since_ms <= at_ms <= around.until_ms for at_ms in reports)
    return told and fenced.broker in facts.pauses_known


def _link(fenced: Fenced, *evidence: Evidence) -> Finding:
    return Finding(
        span=fenced, broker=fenced.broker, cause="network", site=CONTROLLER_LINK, evidence=evidence
    )


def _since_last_seen(facts: Facts, fenced: Fenced) -> Span:
    """Return the time of a fencing from when on nothing else of the broker was seen either.

    The controller fences only when the session is over; leaders and clients notice earlier.
    """
    seen = [
        late(facts, each).since_ms for each in facts.dropped if _by_lag(each, fenced, facts.lag_ms)
    ]
    seen += [each.since_ms for each in facts.unacked if _stalls_before(facts, each, fenced)]
    seen += [each.since_ms for each in _waits(facts, fenced)]
    return Span(since_ms=min([fenced.since_ms, *seen]), until_ms=fenced.until_ms)


def _stalls_before(facts: Facts, unacked: Unacked, fenced: Fenced) -> bool:
    return (
        unacked.leader == fenced.broker
        and unacked.since_ms <= fenced.since_ms
        and unacked.touches(fenced, facts.lag_ms)
    )


def _stalled(facts: Facts, fenced: Fenced) -> set[Partition]:
    """Return the partitions of a fenced broker that had no acks, from before it was fenced on."""
    return {each.partition for each in facts.unacked if _stalls_before(facts, each, fenced)}


def _waits(facts: Facts, fenced: Fenced) -> list[Unacked]:
    """Return the times without acks, shortly before a fencing, of partitions that it follows.

    A broker that has only lost the controller fetches on, so that acks do not wait for it.
    """
    replica_of = {each.partition for each in facts.leads if fenced.broker in each.replicas}
    return [
        each
        for each in facts.unacked
        if each.partition in replica_of
        and each.leader != fenced.broker
        and each.since_ms <= fenced.since_ms
        and each.touches(fenced, 2 * facts.lag_ms)
    ]


def _lagged(facts: Facts, fenced: Fenced) -> set[Partition]:
    """Return the partitions whose leaders dropped a fenced broker for its lag."""
    return {each.partition for each in facts.dropped if _by_lag(each, fenced, facts.lag_ms)}


def _by_lag(dropped: Dropped, fenced: Fenced, lag_ms: float) -> bool:
    """Whether a fenced broker was dropped for its lag: before it was back, or it tells nothing."""
    before_it_was_back = fenced.since_ms - lag_ms <= dropped.at_ms <= fenced.until_ms
    return dropped.follower == fenced.broker and not dropped.fenced and before_it_was_back
