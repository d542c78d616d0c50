"""The orders in which a race's halves are put: which thread is held where, and who goes on when.

Every step waits for what it rests on: a thread at its point, an offset at a broker. Nothing is
left to time but a follower's leaving of the ISR, which takes replica.lag.time.max.ms.
"""

from collections.abc import Callable
from typing import Final

from insync.faults.support.pause_point import PointHold
from insync.run.race.topic import FOLLOWER, LEADER, OTHER, RACED, Raced
from insync.scenario.model import Race

FEW: Final = 3
MANY: Final = 30
"""Of 100 kB each: more than two segments."""
ISR_SECONDS: Final = 20.0

Say = Callable[[str], None]


def play(raced: Raced, race: Race, say: Say) -> None:
    """Play a race up to the point where every thread goes on."""
    {"late-values": _late_values, "half-read": _half_read}[race.order](raced, race, say)


def _park(raced: Raced, follower: int) -> PointHold:
    """Hold a follower with an answer; one about the partition comes only if there are records."""
    parked = raced.hold(follower, "follower-received")
    raced.burst(RACED, FEW)
    parked.await_held()
    return parked


def _late_values(raced: Raced, race: Race, say: Say) -> None:
    """KAFKA-7104: records are read, the log start offset moves above them, the answer is made.

    The follower must be out of the ISR, or nothing is deleted that it lacks. In Kafka 1.1.0 the
    answer takes the leader's new values if the follower's fetch itself moves the high watermark:
    so another follower's fetch is recorded, and held before the high watermark is looked at.
    """
    say("the follower falls behind and leaves the ISR")
    behind = _park(raced, FOLLOWER)
    raced.expect(
        "the follower out of the ISR", lambda: FOLLOWER not in raced.seen().isr, ISR_SECONDS
    )
    raced.burst(RACED, FEW)
    raced.await_watermark_at_end()
    say("the leader has read for it")
    parked = _park(raced, OTHER)
    read = raced.hold(LEADER, "leader-read")
    behind.release()
    read.await_held()
    parked.release()
    read_to = raced.replica(LEADER).leo
    raced.burst(RACED, MANY)
    raced.await_watermark_at_end()
    say("the leader's log start offset moves")
    raced.move_start(race, read_to)
    recorded = _record_other(raced)
    say("the leader answers")
    read.release()
    raced.expect(
        "the follower with the answer, or stopped",
        lambda: raced.replica(FOLLOWER).leo >= read_to or raced.fetcher_stopped(),
    )
    recorded.release()


def _record_other(raced: Raced) -> PointHold:
    """Let the other follower take some records, and hold what its next fetch tells of that."""
    parked = _park(raced, OTHER)
    raced.burst(RACED, FEW)
    # The next answer it gets has records: it is asked for when they are there.
    parked.over()
    taking = raced.hold(OTHER, "follower-received")
    taking.await_held()
    recorded = raced.hold(LEADER, "leader-recorded")
    taking.release()
    recorded.await_held()
    return recorded


def _half_read(raced: Raced, race: Race, say: Say) -> None:
    """Let the leader read its high watermark for an answer, and later its log start offset.

    Meanwhile both move: the other follower, which alone held the high watermark back, catches
    up, and what is committed is deleted. The follower of the race has all those records.
    """
    say("the other follower holds the high watermark back")
    parked = _park(raced, OTHER)
    end = raced.replica(LEADER).leo
    raced.expect("the follower at the end", lambda: raced.seen_leo(FOLLOWER) == end)
    before = raced.replica(LEADER).high_watermark
    say("the leader has read its high watermark")
    half = raced.hold(LEADER, "leader-half-read")
    half.await_held()
    parked.release()
    raced.await_watermark_at_end()
    say("the leader's log start offset moves")
    raced.move_start(race, before)
    say("the leader answers")
    half.release()
