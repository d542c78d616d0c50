"""Turns what a run's producers saw into facts: times without acks."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from insync.why.facts import Facts, Partition, Span, Unacked

Line = Mapping[str, Any]


def add_produced(facts: Facts, lines: Iterable[Line], least_ms: float) -> None:
    """Add when partitions were written, and the times of at least `least_ms` without any ack.

    Call it when the facts know who leads: a partition's stall is one of its leader.
    """
    due: dict[Partition, list[float]] = {}
    acked: dict[Partition, list[float]] = {}
    for line in lines:
        partition = Partition(line["topic"], line["partition"])
        due.setdefault(partition, []).append(float(line["sent_ms"]))
        if line.get("error") is None and line.get("done_ms") is not None:
            acked.setdefault(partition, []).append(float(line["done_ms"]))
    facts.clients_known = facts.clients_known or bool(due)
    for partition, times in due.items():
        sent = sorted(times)
        facts.written[partition] = Span(since_ms=sent[0], until_ms=sent[-1])
        facts.unacked += _gaps(facts, partition, sent, sorted(acked.get(partition, [])), least_ms)


def _gaps(
    facts: Facts, partition: Partition, sent: list[float], acked: list[float], least_ms: float
) -> Iterator[Unacked]:
    """Yield the gaps between acks. A gap begins with the first record that was due in it."""
    last = min(facts.span.until_ms, sent[-1])
    for before, after in pairwise([facts.span.since_ms, *acked, max(last, facts.span.since_ms)]):
        if after - before < least_ms:
            continue
        waited = next((each for each in sent if each >= before), None)
        if waited is None or after - waited < least_ms:
            continue
        leader = _leader(facts, partition, waited)
        if leader is not None:
            yield Unacked(leader=leader, partition=partition, since_ms=waited, until_ms=after)


def _leader(facts: Facts, partition: Partition, at_ms: float) -> int | None:
    own = (each for each in facts.leads if each.partition == partition)
    return next((each.leader for each in own if each.since_ms <= at_ms <= each.until_ms), None)
