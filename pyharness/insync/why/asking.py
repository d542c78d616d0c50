"""Requests of the harness that need no log, and which of them a broker answered."""

from collections.abc import Sequence

from insync.why.facts import Asked, Facts, Span


def asked_within(facts: Facts, broker: int, span: Span, way: str | None = None) -> list[Asked]:
    """Return the requests to a broker, by one way or any, whose whole time lies in a span."""
    return [
        each
        for each in facts.asked
        if each.broker == broker
        and way in (None, each.way)
        and span.since_ms <= each.since_ms
        and each.until_ms <= span.until_ms
    ]


def answered(asked: Sequence[Asked]) -> int:
    """Return how many requests were answered."""
    return sum(each.got == "answer" for each in asked)
