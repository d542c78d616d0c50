"""Adds to each finding the brokers that stock Kafka blames: the followers that leave the ISR."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from insync.why.answer import Blamed, Finding
from insync.why.facts import Facts, Partition
from insync.why.sites import late


def with_blame(facts: Facts, found: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings with the followers that were dropped, or would have been."""
    for finding in found:
        dropped = list(_dropped(facts, finding))
        gone = {(follower, partition) for follower, partition, _ in dropped}
        held = (each for each in _held(facts, finding) if each[:2] not in gone)
        seen = [*dropped, *held]
        yield replace(finding, blamed=tuple(_blamed(finding, seen)))


Seen = tuple[int, Partition | None, bool]
"""A follower, a partition if it is known, and whether the agent kept the follower in its ISR."""


def _dropped(facts: Facts, finding: Finding) -> Iterator[Seen]:
    for each in facts.dropped:
        concerns = {each.leader, each.follower} & set(finding.brokers)
        if concerns and late(facts, each).touches(finding.span, within_ms=facts.lag_ms / 2):
            yield each.follower, each.partition, False


def _held(facts: Facts, finding: Finding) -> Iterator[Seen]:
    """Yield the followers that the agent kept, and those that waited for a fetch for a lag."""
    for each in facts.served:
        own = each.leader == finding.broker and each.touches(finding.span)
        if own and each.follower is not None and (each.held or each.ms >= facts.lag_ms):
            yield each.follower, each.partition, True


def _blamed(finding: Finding, seen: Iterable[Seen]) -> Iterator[Blamed]:
    by_follower: dict[tuple[int, bool], set[Partition]] = {}
    for follower, partition, kept in seen:
        known = by_follower.setdefault((follower, kept), set())
        known |= set() if partition is None else {partition}
    for (follower, kept), partitions in sorted(by_follower.items()):
        yield Blamed(
            follower=follower, partitions=tuple(sorted(partitions)), kept=kept,
            rightly=follower in finding.brokers,
        )  # fmt: skip
