"""Partitions without acks that no slow fetch, process or follower explains."""

import pytest

from insync.why.facts import Dropped, Leads, Partition, Span, Unacked
from insync.why.infer import answer_of
from insync.why.recorded import add_produced
from unit.why.made_up import BROKERS, ONE, SPAN, TWO, ZERO, facts
from unit.why.test_processes import only

OTHER = Leads(leader=1, partition=ONE, replicas=BROKERS, since_ms=-1_000, until_ms=61_000)
STALLED = Unacked(leader=1, partition=ZERO, since_ms=10_000, until_ms=15_000)


def test_one_partition_of_several_without_acks_is_an_append_that_hangs() -> None:
    known = facts(unacked=[STALLED], written={ONE: SPAN})
    known.leads.append(OTHER)
    found = only(answer_of(known, "made up").findings)
    assert (found.broker, found.cause, found.site) == (1, "disk", "append")
    assert found.partitions == (ZERO,)
    assert found.blamed == ()


def test_all_partitions_of_a_leader_without_acks_are_not_decided() -> None:
    found = only(answer_of(facts(unacked=[STALLED]), "made up").findings)
    assert (found.cause, found.may_be) == ("undecided", ("disk", "network"))


@pytest.mark.parametrize(
    ("written", "unacked"),
    [
        ({}, []),
        ({ONE: Span(since_ms=0, until_ms=9_000)}, []),
        ({ONE: Span(since_ms=13_500, until_ms=60_000)}, []),
        ({ONE: SPAN}, [Unacked(leader=1, partition=ONE, since_ms=10_100, until_ms=12_500)]),
    ],
    ids=[
        "never written",
        "written before",
        "written only later",
        "without acks for a shorter time",
    ],
)
def test_a_partition_without_acks_at_that_time_tells_nothing_of_the_others(
    written: dict[Partition, Span], unacked: list[Unacked]
) -> None:
    """Such as those of an earlier topic: nobody writes to them any more."""
    known = facts(unacked=[STALLED, *unacked], written=written)
    known.leads.append(OTHER)
    assert only(answer_of(known, "made up").findings).cause == "undecided"


def test_a_leader_that_times_its_appends_and_found_none_slow_has_lost_its_clients() -> None:
    found = only(answer_of(facts(unacked=[STALLED], appends_known={1}), "made up").findings)
    assert (found.cause, found.site) == ("network", "link to clients")


def test_acks_that_wait_for_a_slow_follower_are_no_finding_of_their_own() -> None:
    dropped = [Dropped(at_ms=12_500, leader=1, follower=3, partition=ZERO, unseen_ms=300)]
    found = only(answer_of(facts(unacked=[STALLED], dropped=dropped), "made up").findings)
    assert found.broker == 3


def test_a_gap_in_which_a_late_follower_need_not_have_been_dropped_is_no_finding() -> None:
    """Kafka drops a follower that is one to one and a half lags late; until then acks wait."""
    short = Unacked(leader=1, partition=ZERO, since_ms=10_000, until_ms=12_900)
    assert answer_of(facts(unacked=[short]), "made up").findings == ()


def record(sent_ms: float, done_ms: float | None, partition: int = 2) -> dict[str, object]:
    return {
        "topic": TWO.topic, "partition": partition, "sent_ms": sent_ms, "done_ms": done_ms,
        "error": None,
    }  # fmt: skip


def test_a_gap_between_acks_counts_from_the_first_record_that_waited() -> None:
    known = facts()
    sent = [record(at, at + 5) for at in range(0, 10_000, 100)]
    sent += [record(at, 16_000) for at in range(10_000, 16_000, 100)]
    sent += [record(at, at + 5) for at in range(16_000, 60_000, 100)]
    add_produced(known, sent)
    gap = only(tuple(known.unacked))  # type: ignore[arg-type]  # any one fact
    assert (gap.leader, gap.since_ms, gap.until_ms) == (3, 10_000, 16_000)  # type: ignore[attr-defined]
    assert known.written[TWO] == Span(since_ms=0, until_ms=59_900)


def test_a_time_without_records_is_no_gap() -> None:
    known = facts()
    sent = [record(at, at + 5) for at in (*range(0, 10_000, 100), *range(20_000, 60_000, 100))]
    add_produced(known, sent)
    assert known.unacked == []


def test_records_that_are_never_acked_are_a_gap_until_the_last_one_was_due() -> None:
    known = facts()
    sent = [record(at, at + 5 if at < 10_000 else None) for at in range(0, 30_000, 100)]
    add_produced(known, sent)
    assert [(each.since_ms, each.until_ms) for each in known.unacked] == [(10_000, 29_900)]
