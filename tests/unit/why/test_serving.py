"""Leaders that are slow with fetches, appends and acks although their process runs."""

from typing import Any

import pytest

from insync.why.facts import Appended, Facts, Partition, Span, Unacked
from insync.why.sources.recorded import add_produced
from unit.why.made_up import (
    ONE,
    SPAN,
    TWO,
    ZERO,
    answer,
    dropped,
    ended,
    facts,
    fenced,
    found,
    led,
    only,
    served,
    unacked,
    where,
)


def appended(
    leader: int, site: str, since: float, until: float, of: Partition | None = ONE
) -> Appended:
    return Appended(leader=leader, partition=of, site=site, since_ms=since, until_ms=until)


def test_a_slow_fetch_names_the_leader_not_the_followers() -> None:
    one = only(served=[served(1, 2), served(1, 3)])
    assert (one.broker, one.cause, one.site) == (1, "disk", "fetch")
    assert (one.span.since_ms, one.span.until_ms) == (10_000, 15_000)
    assert [(each.follower, each.rightly, each.kept) for each in one.blamed] == [
        (2, False, True), (3, False, True),
    ]  # fmt: skip


def test_a_hold_names_site_and_partition() -> None:
    one = only(served=[served(), served(partition=ONE, site="send", held=True)])
    assert (one.site, one.partitions) == ("send", (ONE,))
    assert one.blamed[0].partitions == (ONE,)


def test_fetches_at_several_places_name_all_of_them_but_the_rare_ones() -> None:
    """As recorded while appends hung: some fetches waited for a handler, some were being sent."""
    sites = ["queue"] * 3 + ["send"] * 3 + ["read"]
    slow = [served(partition=ONE, site=site, held=True) for site in sites]
    assert only(served=slow).site == "queue, send"


def test_a_fetch_that_took_less_than_half_of_the_lag_counts_if_the_leader_found_it_slow() -> None:
    assert found(served=[served(until=10_900)]) == ()
    decided = served(follower=None, partition=ZERO, decided=True, until=10_600)
    assert only(served=[decided]).broker == 1


def test_followers_that_a_slow_leader_dropped_are_no_finding_of_their_own() -> None:
    drops = [dropped(1, 3, at_ms=13_000, unseen_ms=3_000)]
    one = only(served=[served(1, 3)], dropped=drops)
    assert one.broker == 1
    assert [(each.follower, each.rightly, each.kept) for each in one.blamed] == [
        (3, False, False), (3, False, True),
    ]  # fmt: skip


def test_an_append_that_hangs_names_its_site_not_the_lock_that_others_wait_for() -> None:
    slow = [
        appended(2, "append: lock", 10_000, 12_500), appended(2, "append: log", 10_000, 12_000),
    ]  # fmt: skip
    one = only(appended=slow)
    assert (one.broker, one.cause, one.site) == (2, "disk", "append: log")
    assert one.partitions == (ONE,)


def test_an_append_at_a_brokers_start_is_part_of_the_start() -> None:
    slow = [appended(2, "append: log", 10_000, 12_000)]
    assert only(ended=[ended(2, 5_000, 9_000)], appended=slow).cause == "process"


def test_a_broker_that_asked_for_its_fencing_is_not_said_to_have_lost_the_controller() -> None:
    """As recorded with `fenced-disk`: its appends hung, and it asked the controller."""
    slow = appended(1, "append: log", 10_000, 12_000, ZERO)
    asked = appended(1, "asks to be fenced", 12_000, 35_000, None)
    gone = [fenced(1, 12_100, 35_100)]
    one = only(appended=[slow, asked], fenced=gone)
    assert (one.broker, one.cause, one.site) == (1, "disk", "append: log")
    assert one.span.until_ms == 35_000
    assert only(appended=[asked], fenced=gone).site == "asks to be fenced"
    assert only(fenced=gone).site == "link to the controller"


def test_a_broker_whose_clock_jumped_is_a_gap_not_a_finding() -> None:
    said = answer(served=[served()], clock_moved={1})
    assert said.findings == ()
    assert any("broker 1: its wall clock jumped" in gap for gap in said.gaps)


STALLED = unacked(1, 10_000, 15_000)
TWO_OF_ONE: dict[str, Any] = {"leads": [*facts().leads, led(1, ONE)]}
"""Broker 1 leads partition 1, too."""


def test_one_partition_of_several_without_acks_is_an_append_that_hangs() -> None:
    one = only(unacked=[STALLED], written={ONE: SPAN}, **TWO_OF_ONE)
    assert (one.broker, one.cause, one.site) == (1, "disk", "append")
    assert (one.partitions, one.blamed) == ((ZERO,), ())


def test_all_partitions_of_a_leader_without_acks_are_not_decided() -> None:
    one = only(unacked=[STALLED])
    assert (one.cause, one.may_be) == ("undecided", ("disk", "network"))


@pytest.mark.parametrize(
    ("written", "more"),
    [
        ({}, []),
        ({ONE: Span(since_ms=0, until_ms=9_000)}, []),
        ({ONE: Span(since_ms=13_500, until_ms=60_000)}, []),
        ({ONE: SPAN}, [unacked(1, 10_100, 12_500, ONE)]),
    ],
    ids=["never written", "written before", "written later", "without acks for a shorter time"],
)
def test_a_partition_without_acks_at_that_time_tells_nothing_of_the_others(
    written: dict[Partition, Span], more: list[Unacked]
) -> None:
    """Such as those of an earlier topic: nobody writes to them any more."""
    assert only(unacked=[STALLED, *more], written=written, **TWO_OF_ONE).cause == "undecided"


def test_a_leader_that_times_its_appends_and_found_none_slow_has_lost_its_clients() -> None:
    known = {"unacked": [STALLED], "appends_known": {1}}
    assert where(**known) == (1, "network", "link to clients")


def test_acks_that_wait_for_a_slow_follower_are_no_finding_of_their_own() -> None:
    assert only(unacked=[STALLED], dropped=[dropped(1, 3, unseen_ms=300)]).broker == 3


def test_a_gap_in_which_a_late_follower_need_not_have_been_dropped_is_no_finding() -> None:
    """Kafka drops a follower that is one to one and a half lags late; until then acks wait."""
    assert found(unacked=[unacked(1, 10_000, 12_900)]) == ()


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
