"""Puts facts together that are near each other in time."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from insync.why.facts import Span

_S = TypeVar("_S", bound=Span)


def groups(spans: Iterable[_S], apart_ms: float) -> Iterator[list[_S]]:
    """Yield the spans in groups whose members are not further apart than `apart_ms`."""
    together: list[_S] = []
    end = 0.0
    for span in sorted(spans, key=lambda each: each.since_ms):
        if together and span.since_ms > end + apart_ms:
            yield together
            together = []
        end = span.until_ms if not together else max(end, span.until_ms)
        together.append(span)
    if together:
        yield together


def whole(spans: Sequence[Span]) -> Span:
    """Return the span from the first begin to the last end."""
    return Span(
        since_ms=min(each.since_ms for each in spans), until_ms=max(each.until_ms for each in spans)
    )
