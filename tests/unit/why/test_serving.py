"""Leaders that are slow with fetches, appends and acks although their process runs."""

from typing import Any

import pytest

from insync.why.facts import Facts, Span
from insync.why.sources.recorded import add_produced
from unit.why.made_up import (
    ONE,
    SPAN,
    TWO,
    ZERO,
    answer,
    appended,
    case,
    dropped,
    ended,
    facts,
    fenced,
    judged,
    led,
    only,
    served,
    told,
    unacked,
)

STALLED = unacked(1, 10_000, 15_000)
TWO_OF_ONE: dict[str, Any] = {"leads": [*facts().leads, led(1, ONE)]}
"""Broker 1 leads partition 1, too."""
ASKED = appended(1, "asks to be fenced", 12_000, 35_000, None)
FENCED = fenced(1, 12_100, 35_100)
UNDECIDED = "1 disk or network: clients' writes"
CASES = [
    # As recorded while appends hung: some fetches waited for a handler, some were being sent.
    case("fetches at several places, of which one is rare", "1 disk: queue, send",
         *(served(partition=ONE, site=site, held=True)
           for site in ["queue"] * 3 + ["send"] * 3 + ["read"])),
    case("a fetch of less than half of the lag", "", served(until=10_900)),
    case("a fetch of less than half of the lag that the leader found slow", "1 disk: fetch",
         served(follower=None, partition=ZERO, decided=True, until=10_600)),
    case("an append at a broker's start", "2 process: ended",
         ended(2, 5_000, 9_000), appended(2, "append: log", 10_000, 12_000)),
    case("it asks to be fenced", "1 disk: asks to be fenced", ASKED, FENCED),
    case("it does not ask to be fenced", "1 network: link to the controller", FENCED),
    case("all partitions of a leader without acks", UNDECIDED, STALLED),
    case("it times its appends and found none slow", "1 network: link to clients",
         STALLED, appends_known={1}),
    case("acks that wait for a slow follower", "3 disk: append as a follower",
         STALLED, dropped(1, 3, unseen_ms=300)),
    # Kafka drops a follower that is one to one and a half lags late; until then acks wait.
    case("a late follower need not have been dropped", "", unacked(1, 10_000, 12_900)),
    # Partitions such as those of an earlier topic: nobody writes to them any more.
    case("another partition was never written", UNDECIDED, STALLED, written={}, **TWO_OF_ONE),
    case("another one was written before", UNDECIDED,
         STALLED, written={ONE: Span(since_ms=0, until_ms=9_000)}, **TWO_OF_ONE),
    case("another one was written later", UNDECIDED,
         STALLED, written={ONE: Span(since_ms=13_500, until_ms=60_000)}, **TWO_OF_ONE),
    case("another one was without acks for a shorter time", UNDECIDED,
         STALLED, unacked(1, 10_100, 12_500, ONE), written={ONE: SPAN}, **TWO_OF_ONE),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "seen", "known"), CASES)
def test_what_a_leader_is_slow_with(expected: str, seen: Any, known: dict[str, Any]) -> None:
    assert told(answer(*seen, **known)) == expected


def test_a_slow_fetch_names_the_leader_not_the_followers() -> None:
    said = answer(served(1, 2), served(1, 3))
    (one,) = said.findings
    assert (told(said), judged(one)) == ("1 disk: fetch", ["2 wrongly, kept", "3 wrongly, kept"])
    assert (one.span.since_ms, one.span.until_ms) == (10_000, 15_000)


def test_a_hold_names_site_and_partition() -> None:
    one = only(served(), served(partition=ONE, site="send", held=True))
    assert (one.site, one.partitions) == ("send", (ONE,))
    assert one.blamed[0].partitions == (ONE,)


def test_followers_that_a_slow_leader_dropped_are_no_finding_of_their_own() -> None:
    one = only(served(1, 3), dropped(1, 3, at_ms=13_000, unseen_ms=3_000))
    assert (one.broker, judged(one)) == (1, ["3 wrongly", "3 wrongly, kept"])


def test_an_append_that_hangs_names_its_site_not_the_lock_that_others_wait_for() -> None:
    said = answer(
        appended(2, "append: lock", 10_000, 12_500), appended(2, "append: log", 10_000, 12_000)
    )
    assert (told(said), said.findings[0].partitions) == ("2 disk: append: log", (ONE,))


def test_a_broker_that_asked_for_its_fencing_is_not_said_to_have_lost_the_controller() -> None:
    """As recorded with `fenced-disk`: its appends hung, and it asked the controller."""
    said = answer(appended(1, "append: log", 10_000, 12_000, ZERO), ASKED, FENCED)
    assert (told(said), said.findings[0].span.until_ms) == ("1 disk: append: log", 35_000)


def test_a_broker_whose_clock_jumped_is_a_gap_not_a_finding() -> None:
    said = answer(served(), clock_moved={1})
    assert said.findings == ()
    assert any("broker 1: its wall clock jumped" in gap for gap in said.gaps)


def test_one_partition_of_several_without_acks_is_an_append_that_hangs() -> None:
    said = answer(STALLED, written={ONE: SPAN}, **TWO_OF_ONE)
    (one,) = said.findings
    assert (told(said), one.partitions, one.blamed) == ("1 disk: append", (ZERO,), ())


def produced(*records: tuple[int, int | None]) -> Facts:
    """Return facts of records of broker 3's partition: when each was due, and when acked."""
    known = facts()
    of = {"topic": TWO.topic, "partition": TWO.number, "error": None}
    add_produced(known, [{**of, "sent_ms": sent, "done_ms": done} for sent, done in records])
    return known


def test_a_gap_between_acks_counts_from_the_first_record_that_waited() -> None:
    waited = range(10_000, 16_000, 100)
    known = produced(*((at, 16_000 if at in waited else at + 5) for at in range(0, 60_000, 100)))
    assert known.unacked == [unacked(3, 10_000, 16_000, TWO)]
    assert known.written[TWO] == Span(since_ms=0, until_ms=59_900)


def test_a_time_without_records_is_no_gap() -> None:
    due = (*range(0, 10_000, 100), *range(20_000, 60_000, 100))
    assert produced(*((at, at + 5) for at in due)).unacked == []


def test_records_that_are_never_acked_are_a_gap_until_the_last_one_was_due() -> None:
    known = produced(*((at, at + 5 if at < 10_000 else None) for at in range(0, 30_000, 100)))
    assert [(each.since_ms, each.until_ms) for each in known.unacked] == [(10_000, 29_900)]
