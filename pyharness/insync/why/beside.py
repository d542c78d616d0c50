"""What is shown beside a finding: lines of logs, what its brokers led, what KIP-501 would do.

None of it decides anything.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from insync.why.answer import Blamed, Kip501, LedSpan, SlowBroker
from insync.why.facts import FOLLOWER_APPEND, Facts, Leads, LogLine, Partition, Span
from insync.why.processes import AWAY

_MOST_LINES: Final = 12
_MOST_ALIKE: Final = 3
_ALIKE: Final = 60
_VARIES: Final = re.compile(r"\[Partition \S+|[\d:.,-]+")
_STEPS: Final = 400
"""A picture shows no shorter times than its width over this."""
NOT_KNOWN: Final = (
    "whether a fetch was pending at the leader when it removed the follower",
    "whether producers with acks=all wrote at that time",
)
MIN_ISR: Final = "min.insync.replicas, of which no log says something: it is taken for 2"
STILL: Final = "when the ISR was full again: it was not at the end of the logs"
NOT_DECIDED: Final = (
    "whether a fetch was being served: with bad links, or while the process does not run, none is"
)
TOO_FEW: Final = "without the slow broker there are too few replicas for min.insync.replicas"


def lines(facts: Facts, finding: SlowBroker) -> tuple[tuple[LogLine, ...], int]:
    """Return the first lines about a finding's brokers at its time, and how many more there are.

    About a link, those that are about both of its ends. Of lines that say the same of the same
    brokers only the first ones.
    """
    around = facts.lag_ms / 2
    near = Span(since_ms=finding.span.since_ms - around, until_ms=finding.span.until_ms + around)
    ends = {*finding.brokers}
    own = [each for each in facts.lines if near.holds(each.at_ms) and ends <= {*each.brokers}]
    own.sort(key=lambda each: (each.at_ms, each.file, each.number))
    alike: Counter[tuple[tuple[int, ...], str]] = Counter()
    shown: list[LogLine] = []
    for each in own:
        key = each.brokers, _VARIES.sub("", each.text)[:_ALIKE]
        alike[key] += 1
        if alike[key] <= _MOST_ALIKE and len(shown) < _MOST_LINES:
            shown.append(each)
    return tuple(shown), len(own) - len(shown)


def lanes(facts: Facts, finding: SlowBroker) -> Iterator[LedSpan]:
    """Yield what each broker led, from before a finding until after it."""
    around = max(facts.lag_ms, finding.span.ms / 4)
    window = Span(
        since_ms=max(facts.span.since_ms, finding.span.since_ms - around),
        until_ms=min(facts.span.until_ms, finding.span.until_ms + around),
    )
    for broker in sorted(facts.brokers):
        away: list[Span] = [
            each for each in facts.fenced if each.broker == broker and each.overlap_ms(window)
        ]
        if finding.broker == broker and finding.site in AWAY:
            away.append(finding.span)
        led = [each for each in facts.leads if each.leader == broker and each.overlap_ms(window)]
        yield from _lanes(facts, broker, window, led, away)


def _lanes(
    facts: Facts, broker: int, window: Span, led: Sequence[Leads], away: Sequence[Span]
) -> Iterator[LedSpan]:
    """Yield the times in which nothing changed, without those shorter than a step."""
    step = window.ms / _STEPS
    changes: dict[int, list[int]] = defaultdict(lambda: [0] * 5)
    for each in (*led, *away):
        figures = (0, 0, 0, 0, 1)
        if isinstance(each, Leads):
            under = len(each.isr) < facts.least_isr(each.partition)
            figures = (1, len(each.replicas), len(each.isr), int(under), 0)
        first = max(0, int((each.since_ms - window.since_ms) / step))
        last = min(_STEPS, int((each.until_ms - window.since_ms) / step))
        for at, sign in ((first, 1), (last, -1)):
            changes[at] = [
                old + sign * new for old, new in zip(changes[at], figures, strict=True)
            ]  # fmt: skip
    now = [0] * 5
    for at, until in pairwise([*sorted(changes), _STEPS]):
        now = [old + new for old, new in zip(now, changes[at], strict=True)]
        if until > at and any(now):
            yield LedSpan(
                since_ms=window.since_ms + at * step, until_ms=window.since_ms + until * step,
                broker=broker, partitions=now[0], replicas=now[1], in_sync=now[2], under=now[3],
                away=now[4] > 0,
            )  # fmt: skip


def kip_501(facts: Facts, finding: SlowBroker, blamed: Sequence[Blamed]) -> Kip501:
    """Return what KIP-501 would have done about the followers that a leader removed wrongly.

    A range begins with 0 unless the leader is known to have been slow; both ends are 0 if its links
    were bad, because then no fetch is pending.
    """
    wrong = {each.follower for each in blamed if each.rightly is False and not each.kept}
    drops = [
        each
        for each in facts.dropped
        if each.leader == finding.broker and each.follower in wrong and not each.fenced
        if finding.peer is None and facts.late(each).touches(finding.span, facts.lag_ms / 2)
    ]
    if not drops or finding.site in (FOLLOWER_APPEND, *AWAY):
        return Kip501()
    least, most = float(finding.cause == "disk"), float(finding.cause != "network")
    times = [each.at_ms for each in drops]
    span = Span(since_ms=min(times), until_ms=max(*times, finding.span.until_ms))
    partitions = {each.partition for each in drops}
    shrunk = list(_shrunk(facts, finding.broker, partitions, span))
    under = sum(each.ms for each in shrunk) / 1000
    offline = sum(_away_ms(facts, each) for each in shrunk) / 1000
    spared = sum(each.ms for each in shrunk if _has_spare(facts, each)) / 1000
    not_known = [*NOT_KNOWN]
    not_known += [] if facts.min_isr else [MIN_ISR]
    not_known += [STILL] if any(each.until_ms >= facts.span.until_ms for each in shrunk) else []
    not_known += [NOT_DECIDED] if least < most else []
    not_known += [TOO_FEW] if spared < under else []
    return Kip501(
        removals=len(drops), kept=(least * len(drops), most * len(drops)),
        under_min_isr=under - offline, offline=offline, solution_1=(least * under, most * under),
        step_down=(least * spared, most * under), not_known=tuple(not_known),
    )  # fmt: skip


def _shrunk(facts: Facts, leader: int, partitions: set[Partition], during: Span) -> Iterator[Leads]:
    """Yield the times in which partitions of a leader lacked replicas for acks, begun in a span."""
    for each in facts.leads:
        own = each.leader == leader and each.partition in partitions
        if own and during.holds(each.since_ms) and len(each.isr) < facts.least_isr(each.partition):
            yield each


def _away_ms(facts: Facts, led: Leads) -> float:
    """Return for how long the last replica in an ISR, the leader, was fenced."""
    if led.isr != (led.leader,):
        return 0.0
    own = (each.overlap_ms(led) for each in facts.fenced if each.broker == led.leader)
    return max(own, default=0.0)


def _has_spare(facts: Facts, led: Leads) -> bool:
    return len(led.replicas) - 1 >= facts.least_isr(led.partition)
