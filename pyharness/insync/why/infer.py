"""Draws the conclusions: from facts to findings, in a fixed order, each fact used once.

1. Processes that ended, or were frozen or starved.
2. Brokers that were slow with fetches and appends although their process ran.
3. Brokers that only the controller lost.
4. Links, and followers that were dropped from ISRs, which nothing above explains.
5. Partitions whose acks stopped or were slow, which nothing above explains.

A step may rely on the findings of the steps before. Which replicas stock Kafka drops is added at
the end.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from insync.why import rules
from insync.why.answer import Blamed, Diagnosis, SlowBroker
from insync.why.beside import kip_501, lanes, lines
from insync.why.facts import Facts, Partition, Span, groups, whole
from insync.why.followers import drop_findings, link_findings
from insync.why.leaders import ack_findings, serving_findings
from insync.why.measured import with_metrics
from insync.why.processes import (
    AWAY,
    PAUSED,
    controllers_matter,
    fenced_findings,
    long_undated,
    process_findings,
)


def answer_of(facts: Facts, about: str) -> Diagnosis:
    """Return which brokers were slow in the span of the facts, and why."""
    blind = not (facts.heard or facts.controller_known)
    if blind:
        unread = facts.unread or ["there are neither events of agents nor the controller's log"]
        return Diagnosis(about=about, span=facts.span, unread=tuple(unread), blind=True)
    found: list[SlowBroker] = []
    for step in (
        process_findings, serving_findings, fenced_findings, link_findings, drop_findings,
        ack_findings,
    ):  # fmt: skip
        found += step(facts, found)
    if facts.logs:
        found = list(_episodes(found))
    found = [with_metrics(facts, each) for each in found]
    ordered = sorted(
        found, key=lambda each: (each.cause == "undecided", each.span.since_ms, each.broker)
    )
    return Diagnosis(
        about=about, span=facts.span, gaps=tuple(_gaps(facts, found)),
        findings=tuple(_with_all_beside(facts, each, found) for each in ordered),
        unread=tuple(facts.unread), notes=tuple(facts.notes),
    )  # fmt: skip


def _episodes(found: Sequence[SlowBroker]) -> Iterator[SlowBroker]:
    """Yield one finding for those that come again and again; restarts stay apart."""
    alike: dict[tuple[object, ...], list[SlowBroker]] = {}
    for number, each in enumerate(found):
        apart = number if each.site in AWAY else None
        alike.setdefault((each.brokers, each.cause, each.site, apart), []).append(each)
    for findings in alike.values():
        for spans in groups([each.span for each in findings], rules.AGAIN_MS):
            again = [each for each in findings if whole(spans).covers(each.span)]
            longest = max(again, key=lambda each: each.span.ms)
            partitions = sorted({place for each in again for place in each.partitions})
            yield replace(
                longest, span=whole(spans), partitions=tuple(partitions), times=len(again)
            )  # fmt: skip


def _with_all_beside(facts: Facts, finding: SlowBroker, found: Sequence[SlowBroker]) -> SlowBroker:
    blamed = _blamed(facts, finding, found)
    shown, more = lines(facts, finding)
    return replace(
        finding, blamed=blamed, lines=shown, more_lines=more, lanes=tuple(lanes(facts, finding)),
        kip_501=kip_501(facts, finding, blamed) if facts.logs else None,
    )  # fmt: skip


def _blamed(facts: Facts, finding: SlowBroker, found: Sequence[SlowBroker]) -> tuple[Blamed, ...]:
    """Return the followers that were dropped, or would have been, because of a finding.

    A removal is right if its follower is slow by any finding of that time, so that it is judged
    alike beside each finding; not decided if it is known only that one of two brokers is slow.
    """
    near = facts.lag_ms / 2
    kinds: dict[tuple[int, bool, bool | None], set[Partition]] = {}
    dropped = set()
    for follower, partition, span, kept in (*_dropped(facts, finding), *_held(facts, finding)):
        if kept and (follower, partition) in dropped:
            continue
        if not kept:
            dropped.add((follower, partition))
        near_ones = [
            each
            for each in found
            if follower in each.brokers and each.span.touches(span, within_ms=near)
        ]
        open_yet = near_ones and all(_is_open(each) for each in near_ones)
        rightly = None if open_yet else bool(near_ones)
        known = kinds.setdefault((follower, kept, rightly), set())
        known |= set() if partition is None else {partition}
    return tuple(
        Blamed(follower=follower, partitions=tuple(sorted(where)), kept=kept, rightly=rightly)
        for (follower, kept, rightly), where in sorted(kinds.items(), key=_by_follower)
    )


def _is_open(finding: SlowBroker) -> bool:
    """Whether either end of a link may be slow."""
    return finding.cause == "undecided" and finding.peer is not None


def _by_follower(kind: tuple[tuple[int, bool, bool | None], set[Partition]]) -> tuple[int, ...]:
    (follower, kept, rightly), _ = kind
    return follower, kept, rightly is None, bool(rightly)


Removal = tuple[int, Partition | None, Span, bool]
"""A follower, a partition if it is known, since when it was late, and whether it was kept."""


def _dropped(facts: Facts, finding: SlowBroker) -> Iterator[Removal]:
    for each in facts.dropped:
        ends = {each.leader, each.follower}
        concerns = finding.broker in ends if finding.peer is None else ends == {*finding.brokers}
        late = facts.late(each)
        if concerns and late.touches(finding.span, within_ms=facts.lag_ms / 2):
            yield each.follower, each.partition, late, False


def _held(facts: Facts, finding: SlowBroker) -> Iterator[Removal]:
    """Yield the followers that the agent kept, and those that waited for a fetch for a lag."""
    for each in facts.served:
        own = each.leader == finding.broker and each.touches(finding.span)
        if own and each.follower is not None and (each.held or each.ms >= facts.lag_ms):
            yield each.follower, each.partition, each, True


def _gaps(facts: Facts, found: Sequence[SlowBroker]) -> Iterator[str]:
    """Say what is not known, so that no answer is taken for more than it is."""
    yield from facts.gaps
    silent = [] if facts.logs else sorted(facts.brokers - facts.heard)
    if silent and not facts.controller_known:
        yield f"nothing is known of {_named(silent)}: its agent sent nothing"
    elif silent:
        yield (
            f"{_named(silent)}: no events of an agent, so the leader's own view is not known, only"
            " what controller and clients saw"
        )
    if deaf := sorted(facts.heard - facts.pauses_known):
        yield f"{_named(deaf)}: pauses of the process are not measured, which needs scope request"
    if facts.clock_moved:
        moved = _named(sorted(facts.clock_moved))
        yield f"{moved}: its wall clock jumped, so its times do not count"
    if shared := sorted({each.broker for each in controllers_matter(facts, found)}):
        yield (
            f"the controller fenced {_named(shared)} at one time: that is about the controller, of"
            " which nothing more is known"
        )
    for pause in long_undated(facts):
        if not any(
            each.site == PAUSED and each.broker == pause.broker and each.span.touches(pause)
            for each in found
        ):
            yield (
                f"broker {pause.broker}: its process did not run for {pause.paused_ms:,.0f} ms, at"
                f" some time in {pause.ms / 1000:,.0f} s in which its agent had nothing to report"
            )
    if new := {each.partition for each in facts.dropped if each.new}:
        yield (
            f"{len(new)} new partition(s) lost followers that had not begun to fetch, which says of"
            " no broker that it was slow"
        )
    if facts.unreadable:
        yield f"lines that are not as they must be, and were left out: {facts.unreadable}"
    if not facts.by_time:
        yield "followers are out of sync by messages here, so who was dropped says nothing of time"


def _named(brokers: Sequence[int]) -> str:
    word = "broker" if len(brokers) == 1 else "brokers"
    return f"{word} {', '.join(map(str, brokers))}"
