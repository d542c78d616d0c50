"""What the steps about followers share: names of sites, and since when a follower was late."""

from typing import Final

from insync.why.facts import Dropped, Facts, Span

APPEND: Final = "append"
CLOCK: Final = "clock or CPU time"
ENDED: Final = "ended"
FETCH: Final = "fetch"
"""The site of a slow fetch of which it is not known whether it was queued, read or sent."""
FOLLOWER_APPEND: Final = "append as a follower"
FOLLOWING: Final = "following"
LINK: Final = "link"


def late(facts: Facts, dropped: Dropped) -> Span:
    """Return the time in which a follower that was dropped did not catch up: a lag at least."""
    unseen = dropped.unseen_ms
    known = facts.lag_ms if unseen is None or unseen == float("inf") else max(unseen, facts.lag_ms)
    return Span(since_ms=dropped.at_ms - known, until_ms=dropped.at_ms)
