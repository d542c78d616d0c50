"""Compares the clocks of nodes by the events that several of them log at the same moment.

A broker's registration is logged by the broker and by the controllers; a new leader epoch by the
leader and by its followers. A node that hangs logs an epoch late, so that one moment of epochs says
nothing; a registration needs both ends at once.
"""

from collections import defaultdict
from itertools import combinations
from statistics import median
from typing import Final

from insync.why.facts import Span
from insync.why.sources.log_lines import LogReading

_FAR_MS: Final = 1_000.0
"""Clocks that differ by more are corrected: changes nearer than 1.5 s are taken for one anyway."""
_MOMENT_MS: Final = 60_000.0
"""Epochs nearer than that may have one reason, such as the end of a broker."""
_LATE_MS: Final = 60_000.0
"""No controller that works logs a registration so late."""
_ALIKE_MS: Final = 1_000.0
"""So near must be what two moments say, in order to be believed."""

Differences = dict[tuple[int, int], dict[str, list[Span]]]


def skews(read: LogReading) -> tuple[dict[int, float], list[str]]:
    """Return by how much the clock of each source is ahead, if it is far, and what is to be said.

    The clock to which the others are compared is that of the node which shares most events.
    """
    nodes = {number: each.node for number, each in enumerate(read.sources)}
    found = _between(read, nodes)
    known = {each for each in nodes.values() if each is not None}
    shared = {node: sum(node in pair for pair in found) for node in sorted(known)}
    ahead = {max(shared, key=lambda each: shared[each]): 0.0} if shared else {}
    while True:
        new = {
            two: ahead[one] + by
            for (one, two), by in found.items()
            if one in ahead and two not in ahead
        }
        if not new:
            break
        ahead |= new
    said = [
        f"clocks: that of node {node} was {abs(by) / 1000:,.1f} s"
        f" {'ahead' if by > 0 else 'behind'}; its times are corrected"
        for node, by in sorted(ahead.items())
        if abs(by) > _FAR_MS
    ]
    if unknown := sorted(known - ahead.keys()):
        names = ", ".join(map(str, unknown))
        said.append(f"clocks: could not be compared, taken as they are: node {names}")
    far = {node: by for node, by in ahead.items() if abs(by) > _FAR_MS}
    return {number: far[node] for number, node in nodes.items() if node in far}, said


def _between(read: LogReading, nodes: dict[int, int | None]) -> dict[tuple[int, int], float]:
    """Return by how much the second node of each pair is ahead of the first."""
    seen: Differences = defaultdict(lambda: defaultdict(list))
    for (kind, *_), times in read.shared.items():
        for (one, first), (two, second) in combinations(sorted(times.items()), 2):
            a, b = nodes[one], nodes[two]
            if a is not None and b is not None and a != b:
                for pair, since, until in (((a, b), first, second), ((b, a), second, first)):
                    seen[pair][kind].append(Span(since_ms=since, until_ms=until))
    found = {pair: _agreed(kinds) for pair, kinds in seen.items()}
    return {pair: by for pair, by in found.items() if by is not None}


def _agreed(kinds: dict[str, list[Span]]) -> float | None:
    """Return what the events of two nodes say of their clocks; None if that is not certain.

    A controller that starts, or hangs, logs old registrations late: one of several events that is
    near shows that the clocks agree; others must agree with each other, or differ by much.
    """
    seen = [each.ms for each in kinds["registered"]]
    moments: list[list[Span]] = []
    for each in sorted(kinds["epoch"], key=lambda each: each.since_ms):
        if not moments or each.since_ms - moments[-1][-1].since_ms > _MOMENT_MS:
            moments.append([])
        moments[-1].append(each)
    seen += [median(each.ms for each in moment) for moment in moments]
    least = min(seen, key=abs, default=0.0)
    if seen and abs(least) <= _FAR_MS:
        return 0.0
    agree = len(seen) > 1 and max(seen) - min(seen) <= _ALIKE_MS
    is_certain = agree or (kinds["registered"] and abs(least) > _LATE_MS)
    return median(seen) if is_certain else None
