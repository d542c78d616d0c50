"""Followers that were dropped from ISRs: it is their disk, their link, or their leader."""

from dataclasses import replace
from typing import Any

import pytest

from insync.why.facts import Awaited, Dropped, Leads, Paused, Served, Unacked
from insync.why.infer import answer_of
from unit.why.made_up import BROKERS, ONE, TWO, ZERO, facts
from unit.why.test_processes import only

STOCK: dict[str, Any] = {"heard": set(), "pauses_known": set()}


def dropped(leader: int, follower: int, partition: Any = ZERO, **known: Any) -> Dropped:
    made = {"at_ms": 12_500, **known}
    return Dropped(leader=leader, follower=follower, partition=partition, **made)


def test_on_stock_a_leader_that_drops_everybody_is_the_slow_one() -> None:
    answer = answer_of(facts(dropped=[dropped(1, 2), dropped(1, 3)], **STOCK), "made up")
    found = only(answer.findings)
    assert (found.broker, found.cause, found.site) == (1, "disk", "fetch")
    assert [(each.follower, each.rightly) for each in found.blamed] == [(2, False), (3, False)]
    assert any("no events of an agent" in gap for gap in answer.gaps)


ALONE: dict[str, Any] = {
    "leads": [Leads(leader=1, partition=ZERO, replicas=BROKERS, since_ms=-1_000, until_ms=61_000)]
}
"""Only broker 1 leads, so that nothing shows whether its links work."""


@pytest.mark.parametrize("leads", [ALONE, {}], ids=["it leads all", "each leads one"])
@pytest.mark.parametrize(
    ("agents", "cause"), [(STOCK, "undecided"), ({}, "network")], ids=["stock", "agents"]
)
def test_a_leader_that_two_bad_links_cut_off_from_both_followers_is_not_said_to_have_a_slow_disk(
    agents: dict[str, Any], cause: str, leads: dict[str, Any]
) -> None:
    """As recorded with two cut links. Its agent had no fetch pending, and held nobody."""
    drops = [dropped(1, 2, left=2), dropped(1, 3, left=1)]
    if not leads:
        drops += [dropped(2, 1, ONE, left=2), dropped(3, 1, TWO, left=2)]
    if agents is not STOCK:
        drops = [replace(each, unseen_ms=2_600) for each in drops]
    unacked = [Unacked(leader=1, partition=ZERO, since_ms=10_000, until_ms=15_000)]
    answer = answer_of(facts(dropped=drops, unacked=unacked, **agents, **leads), "made up")
    found = only(answer.findings)
    assert (found.broker, found.cause, found.site) == (1, cause, "links to other brokers")
    assert found.may_be == (("disk", "network") if cause == "undecided" else ())
    assert answer.is_complete == (cause == "network")
    late = [replace(each, unseen_ms=4_000) if each.leader == 1 else each for each in drops]
    overdue = only(answer_of(facts(dropped=late, **agents, **leads), "made up").findings)
    assert (overdue.broker, overdue.cause) == (1, "disk")


@pytest.mark.parametrize(("later_ms", "slow"), [(3_200, [1]), (4_200, [2, 3])])
def test_a_leader_that_drops_one_soon_after_the_other_is_the_slow_one(
    later_ms: int, slow: list[int]
) -> None:
    """As recorded: its reads hung for one follower after the other."""
    first = dropped(1, 2, left=2)
    drops = [first, replace(first, at_ms=first.at_ms + later_ms, follower=3, left=1)]
    found = answer_of(facts(dropped=drops, **STOCK), "made up").findings
    assert [each.broker for each in found] == slow


def test_a_leader_that_drops_one_follower_much_too_late_is_the_slow_one() -> None:
    """Its reads hang under the lock that the search for late followers needs, too."""
    found = only(answer_of(facts(dropped=[dropped(1, 3, unseen_ms=4_100)]), "made up").findings)
    assert (found.broker, found.cause, found.site) == (1, "disk", "fetch")
    in_time = answer_of(facts(dropped=[dropped(1, 3, unseen_ms=3_000)]), "made up")
    assert only(in_time.findings).broker == 3


def test_on_stock_missing_acks_show_that_a_leader_dropped_a_follower_too_late() -> None:
    """As recorded: the followers leave when the stall ends, not when they are late."""
    drops = [dropped(1, 2)]
    unacked = [Unacked(leader=1, partition=ZERO, since_ms=8_000, until_ms=12_600)]
    found = only(answer_of(facts(dropped=drops, unacked=unacked, **STOCK), "made up").findings)
    assert (found.broker, found.span.since_ms) == (1, 8_000)
    short = [Unacked(leader=1, partition=ZERO, since_ms=10_000, until_ms=13_500)]
    again = answer_of(facts(dropped=drops, unacked=short, **STOCK), "made up")
    assert only(again.findings).broker == 2


@pytest.mark.parametrize(("left", "slow"), [(2, 1), (1, 2)])
def test_acks_that_do_not_come_after_a_drop_show_that_the_leader_is_slow(
    left: int, slow: int
) -> None:
    """If other members are left; else the leader may refuse records below min.insync.replicas."""
    drops = [dropped(1, 2, left=left, unseen_ms=1_700)]
    unacked = [Unacked(leader=1, partition=ZERO, since_ms=10_700, until_ms=15_700)]
    found = only(answer_of(facts(dropped=drops, unacked=unacked), "made up").findings)
    assert found.broker == slow


@pytest.mark.parametrize(("again_ms", "slow"), [(12_620, 1), (14_000, 2)])
def test_acks_that_come_only_at_the_moment_of_a_drop_do_not_end_a_gap(
    again_ms: int, slow: int
) -> None:
    """As recorded: a drop acks what waited, and then all handlers hang as before."""
    unacked = [
        Unacked(leader=1, partition=ZERO, since_ms=10_200, until_ms=12_530),
        Unacked(leader=1, partition=ZERO, since_ms=again_ms, until_ms=again_ms + 2_800),
    ]
    known = facts(dropped=[dropped(1, 2, left=2)], unacked=unacked, **STOCK)
    found = answer_of(known, "made up").findings
    assert [each.broker for each in found][:1] == [slow]


def given_away(at_ms: float) -> list[Leads]:
    """Return what broker 1 led before that time, and broker 2 afterwards."""
    return [
        Leads(leader=leader, partition=ZERO, replicas=BROKERS, since_ms=since, until_ms=until)
        for leader, since, until in ((1, -1_000, at_ms), (2, at_ms, 61_000))
    ]


def test_a_leader_is_not_late_for_acks_that_were_missing_before_it_led() -> None:
    """The leader before it had hung; the new one drops it after one lag, as it must."""
    unacked = [Unacked(leader=1, partition=ZERO, since_ms=10_000, until_ms=14_500)]
    drops = [dropped(2, 1, at_ms=14_400, unseen_ms=2_400)]
    known = facts(dropped=drops, unacked=unacked, leads=given_away(12_000))
    found = only(answer_of(known, "made up").findings)
    assert found.broker == 1
    assert [(each.follower, each.rightly) for each in found.blamed] == [(1, True)]


def test_a_former_leader_whose_acks_came_is_a_slow_follower_only() -> None:
    known = facts(dropped=[dropped(2, 1, at_ms=14_400, unseen_ms=300)], leads=given_away(12_000))
    found = only(answer_of(known, "made up").findings)
    assert (found.broker, found.site) == (1, "append as a follower")


def test_brokers_that_drop_each_other_have_a_bad_link() -> None:
    drops = [dropped(1, 2), dropped(2, 1, ONE)]
    found = only(answer_of(facts(dropped=drops), "made up").findings)
    assert (found.brokers, found.cause, found.site) == ((1, 2), "network", "link")


def test_a_follower_that_fetches_but_is_behind_appends_slowly() -> None:
    found = only(answer_of(facts(dropped=[dropped(1, 3, unseen_ms=300)]), "made up").findings)
    assert (found.broker, found.cause, found.site) == (3, "disk", "append as a follower")


def test_a_follower_over_whose_link_the_leader_keeps_up_appends_slowly() -> None:
    """Broker 3 leads partition 2, and broker 1 does not leave its ISR."""
    found = only(answer_of(facts(dropped=[dropped(1, 3, unseen_ms=2_500)]), "made up").findings)
    assert (found.broker, found.cause, found.site) == (3, "disk", "append as a follower")
    assert [(each.follower, each.rightly) for each in found.blamed] == [(3, True)]


def test_a_follower_of_which_nothing_else_is_known_is_not_decided() -> None:
    alone = [Leads(leader=1, partition=ZERO, replicas=BROKERS, since_ms=-1_000, until_ms=61_000)]
    known = facts(dropped=[dropped(1, 3, unseen_ms=2_500)], leads=alone)
    answer = answer_of(known, "made up")
    found = only(answer.findings)
    assert (found.broker, found.cause, found.may_be) == (3, "undecided", ("disk", "network"))
    assert not answer.is_complete


@pytest.mark.parametrize("waits", [True, False])
def test_what_a_follower_waits_for_decides_between_its_link_and_its_disk(*, waits: bool) -> None:
    awaited = [Awaited(broker=3, peer=1, since_ms=10_500, until_ms=13_000)] if waits else []
    drops = [dropped(1, 3, unseen_ms=2_500)]
    known = facts(dropped=drops, awaited=awaited, peers_known={3}, pauses_known={3})
    found = only(answer_of(known, "made up").findings)
    expected = ("network", "link", 1) if waits else ("disk", "append as a follower", None)
    assert (found.cause, found.site, found.peer) == expected


def mutual(one: int, two: int, *partitions: Any) -> list[Dropped]:
    return [dropped(one, two, partitions[0]), dropped(two, one, partitions[1])]


@pytest.mark.parametrize(
    "drops",
    [
        [*mutual(1, 2, ZERO, ONE), *mutual(1, 3, ZERO, TWO)],
        [*mutual(1, 3, ZERO, ONE), dropped(2, 1, TWO)],
        [*mutual(1, 3, ZERO, ONE), dropped(1, 2, TWO)],
    ],
    ids=["mutual", "the second one dropped it", "it dropped the second one"],
)
def test_a_broker_that_is_at_an_end_of_every_drop_is_one_finding(drops: list[Dropped]) -> None:
    """As recorded with `disk-stall`: it had not dropped the second one yet when it went on."""
    found = only(answer_of(facts(dropped=drops, **STOCK), "made up").findings)
    assert (found.brokers, found.site) == ((1,), "links to other brokers")
    assert found.partitions == (ZERO, ONE, TWO)
    late = [replace(each, unseen_ms=4_100) if each.leader == 1 else each for each in drops]
    found = only(answer_of(facts(dropped=late, **STOCK), "made up").findings)
    assert (found.brokers, found.cause, found.site) == ((1,), "disk", "fetch")
    blamed = {each.follower: each.rightly for each in found.blamed}
    assert blamed.pop(1)
    assert not any(blamed.values())


def test_one_removal_is_judged_alike_beside_every_finding() -> None:
    """Leader 1 served slowly while follower 3 was frozen: follower 3 was removed rightly."""
    known = facts(
        served=[Served(leader=1, follower=2, partition=None, since_ms=10_000, until_ms=15_000)],
        paused=[Paused(broker=3, since_ms=10_000, until_ms=14_000, paused_ms=3_900)],
        dropped=[dropped(1, 3, unseen_ms=2_500), dropped(1, 2, unseen_ms=2_500)],
    )
    found = answer_of(known, "made up").findings
    assert [each.broker for each in found] == [1, 3]
    judged = {
        (blamed.follower, blamed.rightly)
        for each in found
        for blamed in each.blamed
        if not blamed.kept
    }
    assert judged == {(2, False), (3, True)}


def test_a_bad_link_names_only_the_removals_between_its_ends() -> None:
    pairs = [(1, 3), (3, 1), (1, 2), (2, 1)]
    waits = [
        Awaited(broker=one, peer=other, since_ms=10_000, until_ms=13_000) for one, other in pairs
    ]
    known = facts(awaited=waits, dropped=[dropped(1, 2), dropped(1, 3)])
    found = answer_of(known, "made up").findings
    assert [(each.brokers, [one.follower for one in each.blamed]) for each in found] == [
        ((1, 3), [3]), ((1, 2), [2]),
    ]  # fmt: skip


def test_a_bad_link_and_a_drop_between_other_brokers_are_two_findings() -> None:
    drops = [*mutual(1, 3, ZERO, ONE), dropped(2, 1, TWO), dropped(2, 3, TWO)]
    found = answer_of(facts(dropped=drops, **STOCK), "made up").findings
    assert [each.site for each in found] == ["link", "fetch"]


def test_bad_links_of_three_pairs_are_links() -> None:
    drops = [*mutual(1, 2, ZERO, ONE), *mutual(1, 3, ZERO, TWO), *mutual(2, 3, ONE, TWO)]
    found = answer_of(facts(dropped=drops, **STOCK), "made up").findings
    assert {each.site for each in found} == {"link"}
    assert len(found) == 3


def test_one_bad_link_of_several_is_a_link() -> None:
    found = only(answer_of(facts(dropped=mutual(1, 2, ZERO, ONE), **STOCK), "made up").findings)
    assert (found.brokers, found.site) == ((1, 2), "link")


def test_two_brokers_that_wait_for_each_other_have_a_bad_link_before_anybody_is_dropped() -> None:
    there = Awaited(broker=1, peer=2, since_ms=10_000, until_ms=11_500)
    back = Awaited(broker=2, peer=1, since_ms=10_200, until_ms=11_600)
    found = only(answer_of(facts(awaited=[there, back]), "made up").findings)
    assert (found.brokers, found.cause, found.site) == ((1, 2), "network", "link")


def test_one_end_that_waits_is_enough_if_the_other_ends_agent_is_known() -> None:
    there = Awaited(broker=1, peer=2, since_ms=10_000, until_ms=11_500)
    found = only(answer_of(facts(awaited=[there]), "made up").findings)
    assert (found.brokers, found.cause) == ((1, 2), "network")
    assert answer_of(facts(awaited=[there], pauses_known={1}), "made up").findings == ()
    short = Awaited(broker=1, peer=2, since_ms=10_000, until_ms=10_500)
    assert answer_of(facts(awaited=[short]), "made up").findings == ()


def test_a_broker_whose_answers_two_others_wait_for_is_slow_itself() -> None:
    """As recorded with `memory-pressure`: its threads were not where the agent sees them."""
    waits = [
        Awaited(broker=each, peer=3, since_ms=10_000 + each, until_ms=13_000) for each in (1, 2)
    ]
    found = only(answer_of(facts(awaited=waits), "made up").findings)
    assert (found.broker, found.peer, found.cause, found.site) == (3, None, "disk", "fetch")
    assert (found.span.since_ms, found.span.until_ms) == (10_001, 13_000)

    later = [waits[0], replace(waits[1], since_ms=14_000, until_ms=17_000)]
    found_later = answer_of(facts(awaited=later), "made up").findings
    assert [each.site for each in found_later] == ["link", "link"]


def test_a_broker_that_waits_for_both_others_as_they_do_for_it_has_bad_links() -> None:
    """A cut listener for replication: neither direction works."""
    pairs = [(1, 3), (2, 3), (3, 1), (3, 2)]
    waits = [
        Awaited(broker=one, peer=other, since_ms=10_000, until_ms=13_000) for one, other in pairs
    ]
    found = answer_of(facts(awaited=waits), "made up").findings
    assert [(each.broker, each.peer, each.site) for each in found] == [
        (1, 3, "link"), (2, 3, "link"),
    ]  # fmt: skip


def test_a_follower_that_the_controller_removed_is_no_finding() -> None:
    assert answer_of(facts(dropped=[dropped(1, 3, fenced=True)]), "made up").findings == ()


def test_drops_by_messages_say_nothing_of_time() -> None:
    answer = answer_of(facts(dropped=[dropped(1, 3), dropped(1, 2)], by_time=False), "made up")
    assert answer.findings == ()
    assert any("by messages" in gap for gap in answer.gaps)


def test_drops_at_different_times_are_different_findings() -> None:
    late = Dropped(at_ms=40_000, leader=2, follower=1, partition=TWO, unseen_ms=300)
    early = dropped(1, 3, unseen_ms=300)
    found = answer_of(facts(dropped=[early, late]), "made up").findings
    assert [each.broker for each in found] == [3, 1]
