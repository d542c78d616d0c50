"""The orders in which a race's halves are put: which thread is held where, and who goes on when.

Every step waits for what it rests on: a thread at its point, an offset at a broker. Nothing is
left to time but a follower's leaving of the ISR, which takes replica.lag.time.max.ms.
"""

from collections.abc import Callable
from typing import Final

from insync.faults.kinds.points import PointHold
from insync.run.race.fixture import FOLLOWER, LEADER, OTHER, RACE_PARTITION, RaceFixture
from insync.scenario.model import Race

FEW: Final = 3
MANY: Final = 30
"""Of 100 kB each: more than two segments."""
ISR_SECONDS: Final = 20.0

Say = Callable[[str], None]


def run_interleaving(fixture: RaceFixture, race: Race, say: Say) -> None:
    """Play a race up to the point where every thread goes on."""
    {"late-values": _late_values, "half-read": _half_read}[race.order](fixture, race, say)


def _park(fixture: RaceFixture, follower: int) -> PointHold:
    """Hold a follower with an answer; one about the partition comes only if there are records."""
    parked = fixture.hold(follower, "follower-received")
    fixture.burst(RACE_PARTITION, FEW)
    parked.await_held()
    return parked


def _late_values(fixture: RaceFixture, race: Race, say: Say) -> None:
    """KAFKA-7104: records are read, the log start offset moves above them, the answer is made.

    The follower must be out of the ISR, or nothing is deleted that it lacks. In Kafka 1.1.0 the
    answer takes the leader's new values if the follower's fetch itself moves the high watermark:
    so another follower's fetch is recorded, and held before the high watermark is looked at.
    """
    say("the follower falls behind and leaves the ISR")
    behind = _park(fixture, FOLLOWER)
    fixture.expect(
        "the follower out of the ISR", lambda: FOLLOWER not in fixture.seen().isr, ISR_SECONDS
    )
    fixture.burst(RACE_PARTITION, FEW)
    fixture.await_watermark_at_end()
    say("the leader has read for it")
    parked = _park(fixture, OTHER)
    read = fixture.hold(LEADER, "leader-read")
    behind.release()
    read.await_held()
    parked.release()
    read_to = fixture.replica(LEADER).leo
    fixture.burst(RACE_PARTITION, MANY)
    fixture.await_watermark_at_end()
    say("the leader's log start offset moves")
    fixture.move_start(race, read_to)
    recorded = _record_other(fixture)
    say("the leader answers")
    read.release()
    fixture.expect(
        "the follower with the answer, or stopped",
        lambda: fixture.replica(FOLLOWER).leo >= read_to or fixture.fetcher_stopped(),
    )
    recorded.release()


def _record_other(fixture: RaceFixture) -> PointHold:
    """Let the other follower take some records, and hold what its next fetch tells of that."""
    parked = _park(fixture, OTHER)
    fixture.burst(RACE_PARTITION, FEW)
    # The next answer it gets has records: it is asked for when they are there.
    parked.over()
    taking = fixture.hold(OTHER, "follower-received")
    taking.await_held()
    recorded = fixture.hold(LEADER, "leader-recorded")
    taking.release()
    recorded.await_held()
    return recorded


def _half_read(fixture: RaceFixture, race: Race, say: Say) -> None:
    """Let the leader read its high watermark for an answer, and later its log start offset.

    Meanwhile both move: the other follower, which alone held the high watermark back, catches
    up, and what is committed is deleted. The follower of the race has all those records.
    """
    say("the other follower holds the high watermark back")
    parked = _park(fixture, OTHER)
    end = fixture.replica(LEADER).leo
    fixture.expect("the follower at the end", lambda: fixture.seen_leo(FOLLOWER) == end)
    before = fixture.replica(LEADER).high_watermark
    say("the leader has read its high watermark")
    half = fixture.hold(LEADER, "leader-half-read")
    half.await_held()
    parked.release()
    fixture.await_watermark_at_end()
    say("the leader's log start offset moves")
    fixture.move_start(race, before)
    say("the leader answers")
    half.release()
