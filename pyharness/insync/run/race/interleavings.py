"""Force the interleavings of races: which threads stop at which pause point, and in what order.

Every step waits for its precondition: a thread at its pause point, or an offset on a broker. Only
a follower's removal from the ISR depends on time; it takes replica.lag.time.max.ms.
"""

from collections.abc import Callable
from typing import Final

from insync.faults.kinds.points import PointHold
from insync.run.race.fixture import FOLLOWER, LEADER, OTHER, RACE_PARTITION, RaceFixture
from insync.scenario.model import Race

FEW: Final = 3
MANY: Final = 30
"""With 100 kB each these fill more than two segments."""
ISR_SECONDS: Final = 20.0

Say = Callable[[str], None]


def run_interleaving(fixture: RaceFixture, race: Race, say: Say) -> None:
    """Run a race's interleaving; at its end every thread is released."""
    {"late-values": _late_values, "half-read": _half_read}[race.order](fixture, race, say)


def _park(fixture: RaceFixture, follower: int) -> PointHold:
    """Stop a follower with a fetch response; a response for the partition needs new records."""
    parked = fixture.hold(follower, "follower-received")
    fixture.burst(RACE_PARTITION, FEW)
    parked.await_held()
    return parked


def _late_values(fixture: RaceFixture, race: Race, say: Say) -> None:
    """KAFKA-7104: move the log start offset after records are read, before the response is built.

    The follower must be out of the ISR, otherwise no record that it lacks is deleted. In Kafka
    1.1.0 the response has the leader's new values if the follower's own fetch moves the high
    watermark. So another follower's fetch is recorded first, and stopped before the leader updates
    the high watermark.
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
    """Let the other follower append records, and stop its next fetch after it is recorded."""
    parked = _park(fixture, OTHER)
    fixture.burst(RACE_PARTITION, FEW)
    # The records exist before its next fetch, so the next response has them.
    parked.over()
    taking = fixture.hold(OTHER, "follower-received")
    taking.await_held()
    recorded = fixture.hold(LEADER, "leader-recorded")
    taking.release()
    recorded.await_held()
    return recorded


def _half_read(fixture: RaceFixture, race: Race, say: Say) -> None:
    """Let the leader read its high watermark for a response, and later its log start offset.

    Both move in between: the other follower, the only one behind the high watermark, catches up,
    and the committed records are deleted. The race's follower has all of these records.
    """
    say("the other follower keeps the high watermark low")
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
