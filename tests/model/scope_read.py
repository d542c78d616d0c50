"""Scope "read" of the reference: KIP-501's solution 1 as written."""

from collections.abc import Mapping
from dataclasses import dataclass

from model.kafka_rule import UNKNOWN, Counters, Fetch, Rule


@dataclass(eq=False)
class Mark:
    """A fetch that counts as pending, from before it is read until its response is made."""

    fetch: Fetch
    offset: int
    age_ms: int = 0
    caught_up: bool = False


class ReadRule(Rule):
    """Pending fetches hold the follower in sync; a fetch that catches up does so when it completes.

    - A fetch is pending if it asks for the leader's end at the follower's previous fetch or beyond.
      The first fetch under a leader has no previous one and is pending, but is not catching up.
    - A pending fetch at the same offset as one that is read is as good as read.
    - A fetch that is pending for more than ten times the lag holds no longer.
    - An election ends what was pending, and is a catching up for members of the ISR.
    - The plugin also ends what is pending on a connection that is lost; the source patch does not.
    """

    def __init__(self, counters: Counters, *, ends_when_lost: bool) -> None:
        self.counters = counters
        self.ends_when_lost = ends_when_lost
        self.marks: list[Mark] = []
        self.previous_leo = UNKNOWN
        self.since_caught_up: int | None = None

    def elected(self, new_leader: bool, in_sync: bool, leo: int, epoch: int) -> None:
        self._clear()
        # Of a follower that has not fetched yet, the next fetch is the first one still.
        if self.previous_leo != UNKNOWN:
            self.previous_leo = UNKNOWN if new_leader else leo
        self.since_caught_up = 0 if in_sync else None

    def resigned(self) -> None:
        self._clear()
        self.previous_leo = UNKNOWN

    def _clear(self) -> None:
        self.counters.cleared_total += len(self.marks)
        self.marks.clear()

    def passed(self, ms: int, paused_ms: int, stalled_ms: Mapping[int, int]) -> None:
        for mark in self.marks:
            mark.age_ms += ms
        if self.since_caught_up is not None:
            self.since_caught_up += ms

    def began(self, fetch: Fetch, offset: int) -> None:
        if offset >= self.previous_leo:
            self.marks.append(Mark(fetch, offset))
            self.counters.marks_total += 1

    def read(self, fetch: Fetch, offset: int, leo: int, started_ms: int) -> None:
        if offset >= leo or (self.previous_leo != UNKNOWN and offset >= self.previous_leo):
            for mark in self.marks:
                mark.caught_up |= mark.offset == offset
        self.previous_leo = leo

    def answered(self, fetch: Fetch) -> None:
        for mark in [one for one in self.marks if one.fetch is fetch]:
            if mark.caught_up:
                self.since_caught_up = 0
            self.marks.remove(mark)
            self.counters.released_total += 1

    def ended(self, fetch: Fetch) -> None:
        if not self.ends_when_lost:
            return
        kept = [mark for mark in self.marks if mark.fetch is not fetch]
        self.counters.cleared_total += len(self.marks) - len(kept)
        self.marks = kept

    def least_lag_ms(self, leo: int) -> int | None:
        # A mark counts for ten times the lag.
        lags = [-(-mark.age_ms // 10) for mark in self.marks]
        if self.since_caught_up is not None:
            lags.append(self.since_caught_up)
        return min(lags, default=None)

    def pending(self) -> list[tuple[int, int]]:
        return [(mark.offset, mark.age_ms) for mark in self.marks]
