"""Steps 1 and 3: brokers that ended, were frozen or starved, or that only the controller lost."""

from collections.abc import Iterator, Sequence
from typing import Final

from insync.why import rules
from insync.why.answer import Evidence, SlowBroker
from insync.why.facts import LOST_DIR, Dropped, Facts, Fenced, Paused, Span, Unacked, groups, whole

PAUSED: Final = "frozen or starved"
ENDED: Final = "ended"
STOPPED: Final = "stopped on request"
ENDED_BY_DISK: Final = "a log directory failed, and its process ended"
AWAY: Final = (ENDED, STOPPED, ENDED_BY_DISK)
"""The sites of a process that was not there for a time."""
GONE: Final = "not heard of"
CONTROLLER_LINK: Final = "link to the controller"


def process_findings(facts: Facts, found: Sequence[SlowBroker]) -> list[SlowBroker]:
    """Return the processes that ended, or did not run for long."""
    new = [*found, *_ended(facts)]
    new += _paused(facts, new)
    new += _missed(facts, new)
    return new[len(found) :]


def is_start(broker: int, span: Span, found: Sequence[SlowBroker]) -> bool:
    """Whether a time belongs to an end of this broker's process, or to its start."""
    return any(
        each.broker == broker
        and each.site in AWAY
        and each.span.since_ms <= span.until_ms
        and span.since_ms <= each.span.until_ms + rules.WARM_UP_MS
        for each in found
    )


def _process(broker: int, span: Span, site: str, *evidence: Evidence) -> SlowBroker:
    return SlowBroker(span=span, broker=broker, cause="process", site=site, evidence=evidence)


def _ended(facts: Facts) -> Iterator[SlowBroker]:
    """Yield the brokers that ended; each was away until the controller let it in again."""
    for broker in sorted(facts.brokers):
        lives = [each for each in facts.ended if each.broker == broker]
        for lived in groups(lives, facts.lag_ms):
            again = whole(lived)
            starts = Span(since_ms=again.since_ms, until_ms=again.until_ms + rules.WARM_UP_MS)
            away = [each for each in facts.fenced if each.broker == broker and each.touches(starts)]
            site = STOPPED if all(each.told for each in lived) else ENDED
            since = again.since_ms
            if site == ENDED:
                since = _gone_since(facts, broker, again, away)
            gone = Span(since_ms=since - rules.LOST_DIR_MS, until_ms=again.until_ms)
            failed = [
                each
                for each in facts.appended
                if each.leader == broker and each.site == LOST_DIR and gone.holds(each.since_ms)
            ]
            yield SlowBroker(
                span=whole([Span(since_ms=since, until_ms=again.until_ms), *away, *failed]),
                broker=broker, cause="disk" if failed else "process",
                site=ENDED_BY_DISK if failed else site,
                evidence=(
                    Evidence("its process was away, until it served again, for",
                             again.until_ms - since),
                    *(Evidence("the controller fenced it for", each.ms) for each in away),
                ),
            )  # fmt: skip


def _gone_since(facts: Facts, broker: int, away: Span, fenced: Sequence[Fenced]) -> float:
    """Return when a process ended: when the first one missed it, after it was last heard of.

    An agent may have nothing to report for long, and the controller waits for a session.
    """
    missed: list[Span] = [_since_last_seen(facts, each) for each in fenced]
    missed += [facts.late(each) for each in facts.dropped if _by_lag(each, broker, away)]
    missed += [
        each for each in facts.unacked if each.leader == broker and away.holds(each.since_ms)
    ]
    if facts.logs:  # a fetcher that fails at once, because nobody listens
        missed += [
            Span(since_ms=each.until_ms, until_ms=each.until_ms)
            for each in facts.awaited
            if each.peer == broker and away.holds(each.until_ms)
        ]
    heard = broker in facts.heard or facts.logs
    known = away.since_ms if heard else away.until_ms
    return max(away.since_ms, min((each.since_ms for each in missed), default=known))


def _paused(facts: Facts, found: Sequence[SlowBroker]) -> Iterator[SlowBroker]:
    """Yield the processes that did not run for long enough in sum, as agents or collectors say."""
    collected = {each.broker for each in facts.paused} if facts.logs else set()
    for broker in sorted(facts.pauses_known | collected):
        own = [each for each in facts.paused if each.broker == broker]
        for together in groups(own, rules.PAUSED_APART_MS):
            total = sum(each.paused_ms for each in together)
            span = whole(together)
            enough = total >= rules.PAUSED_LAGS * facts.lag_ms
            if enough and not is_start(broker, span, found):
                yield _process(
                    broker, span, PAUSED,
                    Evidence("its process did not run, in sum for", total),
                    Evidence("the longest pause", max(each.paused_ms for each in together)),
                )  # fmt: skip


def _missed(facts: Facts, found: Sequence[SlowBroker]) -> Iterator[SlowBroker]:
    """Yield the processes that did not run at a time which only others tell, who missed them.

    The agent of a broker that leads nothing has little to report, so that a pause may be at any
    time between two reports.
    """
    for pause in long_undated(facts):
        broker = pause.broker
        missed = [
            *(_since_last_seen(facts, each) for each in facts.fenced if each.broker == broker),
            *(facts.late(each) for each in facts.dropped
              if each.follower == broker and not each.fenced),
        ]  # fmt: skip
        within = [each for each in missed if pause.overlap_ms(each) and each.ms <= pause.paused_ms]
        if within and not is_start(broker, whole(within), found):
            yield _process(
                broker, whole(within), PAUSED,
                Evidence("its process did not run, in sum for", pause.paused_ms),
                Evidence("times that the controller or a leader missed it", len(within), "times"),
            )  # fmt: skip


def long_undated(facts: Facts) -> list[Paused]:
    """Return the pauses that are long, and of which the agent does not tell the time."""
    return [each for each in facts.undated if each.paused_ms >= rules.PAUSED_LAGS * facts.lag_ms]


def fenced_findings(facts: Facts, found: Sequence[SlowBroker]) -> list[SlowBroker]:
    """Return the brokers without heartbeats that nothing explains so far."""
    alone = controllers_matter(facts, found)
    left = [each for each in _unexplained(facts, found) if each not in alone]
    return [_silent(facts, each) for each in left]


def controllers_matter(facts: Facts, found: Sequence[SlowBroker]) -> list[Fenced]:
    """Return the fencings that say something of the controller: of several brokers at one time.

    Not those of brokers whose partitions had stalled before, or that others dropped for their lag,
    unless their agents show that their processes ran.
    """
    left = [
        each
        for each in _unexplained(facts, found)
        if _is_known_to_run(facts, each) or not (_stalled(facts, each) or _lagged(facts, each))
    ]
    return [
        each
        for each in left
        if any(
            other.broker != each.broker and other.touches(each, rules.TOGETHER_MS)
            for other in left
        )
    ]  # fmt: skip


def _unexplained(facts: Facts, found: Sequence[SlowBroker]) -> list[Fenced]:
    """Return the fencings of brokers that had not ended, nor paused or hung shortly before.

    A broker whose disk hangs asks for its fencing, or is too late with its heartbeats.
    """
    return [
        fenced
        for fenced in facts.fenced
        if not is_start(fenced.broker, fenced, found)
        and not any(
            each.broker == fenced.broker
            and each.site not in (GONE, CONTROLLER_LINK)
            and each.span.touches(fenced, within_ms=max(2 * facts.lag_ms, rules.SESSION_MS))
            for each in found
        )
    ]


def _silent(facts: Facts, fenced: Fenced) -> SlowBroker:
    """Return whose fault it is that the heartbeats did not arrive.

    The process's, if it did nothing else either; otherwise that of the link to the controller. An
    agent that measures pauses and has none shows that the process ran.
    """
    length = Evidence("the controller fenced it for", fenced.ms)
    lagged, stalled = _lagged(facts, fenced), _stalled(facts, fenced)
    runs = _is_known_to_run(facts, fenced)
    if runs and not (facts.logs and lagged):
        return _link(fenced, length, Evidence("while its process did not run for only", 0))
    if runs or not (lagged or stalled or _leads_any(facts, fenced)):
        return SlowBroker(
            span=fenced, broker=fenced.broker, cause="undecided", site=GONE, evidence=(length,),
            may_be=("network", "process"),
        )  # fmt: skip
    if not (lagged or stalled) and facts.clients_known:
        return _link(fenced, length, Evidence("partitions that stalled meanwhile", 0, "partitions"))
    return _process(
        fenced.broker, _since_last_seen(facts, fenced), GONE, length,
        _partitions("partitions that it led and that had no ack", stalled),
        _partitions("ISRs that dropped it for its lag", lagged),
    )  # fmt: skip


def _partitions(says: str, seen: Sequence[Unacked | Dropped]) -> Evidence:
    return Evidence(says, len({each.partition for each in seen}), "partitions")


def _link(fenced: Fenced, *evidence: Evidence) -> SlowBroker:
    return SlowBroker(
        span=fenced, broker=fenced.broker, cause="network", site=CONTROLLER_LINK, evidence=evidence
    )


def _leads_any(facts: Facts, fenced: Fenced) -> bool:
    """Whether the fenced broker led a partition shortly before, whose clients show it running."""
    before = Span(since_ms=fenced.since_ms - facts.lag_ms, until_ms=fenced.since_ms)
    return any(each.leader == fenced.broker and each.touches(before) for each in facts.leads)


def _is_known_to_run(facts: Facts, fenced: Fenced) -> bool:
    """Whether the agent of a fenced broker reported about that time, and had no pause.

    Or whether its log has lines of heartbeats that timed out before it was fenced.
    """
    around = Span(since_ms=fenced.since_ms - facts.lag_ms, until_ms=fenced.until_ms)
    if facts.logs:
        around = Span(since_ms=fenced.since_ms - rules.RAN_MS, until_ms=fenced.since_ms)
    told = any(around.holds(at_ms) for at_ms in facts.reports.get(fenced.broker, ()))
    return told and (facts.logs or fenced.broker in facts.pauses_known)


def _since_last_seen(facts: Facts, fenced: Fenced) -> Span:
    """Return the time of a fencing from when on nothing else of the broker was seen either.

    The controller fences only when the session is over; leaders and clients notice earlier.
    """
    seen: list[Span] = [facts.late(each) for each in _lagged(facts, fenced)]
    seen += [*_stalled(facts, fenced), fenced]
    return Span(since_ms=min(each.since_ms for each in seen), until_ms=fenced.until_ms)


def _stalled(facts: Facts, fenced: Fenced) -> list[Unacked]:
    """Return the times without acks of what a fenced broker led, from before it was fenced on."""
    return [
        each
        for each in facts.unacked
        if each.leader == fenced.broker
        and each.since_ms <= fenced.since_ms
        and each.touches(fenced, facts.lag_ms)
    ]


def _lagged(facts: Facts, fenced: Fenced) -> list[Dropped]:
    """Return the drops of a fenced broker for its lag, before it was back."""
    away = Span(since_ms=fenced.since_ms - facts.lag_ms, until_ms=fenced.until_ms)
    return [each for each in facts.dropped if _by_lag(each, fenced.broker, away)]


def _by_lag(dropped: Dropped, broker: int, away: Span) -> bool:
    """Whether a broker was dropped for its lag at that time."""
    return dropped.follower == broker and not dropped.fenced and away.holds(dropped.at_ms)
