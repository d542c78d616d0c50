"""Step 4: partitions that clients could not write to, which nothing else explains."""

from collections.abc import Sequence
from typing import Final

from insync.why.answer import Finding, in_ms, number
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
    slow. Appends, if it does not time them, and other partitions had acks or a consumer had
    answers. Else either: appends may occupy all handlers, and then consumers have no answer, too.
    """
    span = whole(gaps)
    partitions = tuple(sorted({each.partition for each in gaps}))
    others = _acked(facts, rules, leader, span)
    timed = leader in facts.appends_known
    silent_ms = _silent_ms(facts, leader, span)
    answered = silent_ms is not None and silent_ms < rules.answered_lags * facts.lag_ms
    evidence = (
        number("partitions without an ack", "partitions", len(partitions)),
        in_ms("for up to", max(each.ms for each in gaps)),
        number("other partitions of this leader that had acks", "partitions", len(others)),
        number("followers that were slow or dropped meanwhile", "followers", 0),
        *([number("slow appends that the leader's agent found", "appends", 0)] if timed else []),
        *(
            []
            if silent_ms is None
            else [in_ms("a consumer received nothing from it for up to", silent_ms)]
        ),
    )
    if timed and not others:
        return Finding(
            span=span, broker=leader, cause="network", site=CLIENT_LINK,
            partitions=partitions, evidence=evidence,
        )  # fmt: skip
    if not timed and (others or answered):
        return Finding(
            span=span, broker=leader, cause="disk", site=APPEND,
            partitions=partitions, evidence=evidence,
        )  # fmt: skip
    return Finding(
        span=span, broker=leader, cause="undecided", may_be=("disk", "network"), site=WRITES,
        partitions=partitions, evidence=evidence,
    )  # fmt: skip


def _silent_ms(facts: Facts, leader: int, span: Span) -> float | None:
    """Return for how long a consumer received nothing from a leader in a span, at most.

    None if no consumer looked then.
    """
    own = (each for each in facts.silent if each.broker == leader)
    return max((each.overlap_ms(span) for each in own if each.touches(span)), default=None)


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
