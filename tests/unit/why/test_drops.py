"""Followers that were dropped from ISRs: it is their disk, their link, or their leader."""

from dataclasses import replace
from typing import Any

import pytest

from insync.why.facts import Dropped
from unit.why.made_up import (
    ONE,
    STOCK,
    TWO,
    ZERO,
    answer,
    awaited,
    dropped,
    found,
    led,
    only,
    paused,
    served,
    unacked,
    where,
)

ALONE: dict[str, Any] = {"leads": [led(1, ZERO)]}
"""Only broker 1 leads, so that nothing shows whether its links work."""
AS_FOLLOWER = "append as a follower"


def test_on_stock_a_leader_that_drops_everybody_is_the_slow_one() -> None:
    said = answer(dropped=[dropped(1, 2), dropped(1, 3)], **STOCK)
    (one,) = said.findings
    assert (one.broker, one.cause, one.site) == (1, "disk", "fetch")
    assert [(each.follower, each.rightly) for each in one.blamed] == [(2, False), (3, False)]
    assert any("no events of an agent" in gap for gap in said.gaps)


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
    said = answer(dropped=drops, unacked=[unacked(1, 10_000, 15_000)], **agents, **leads)
    (one,) = said.findings
    assert (one.broker, one.cause, one.site) == (1, cause, "links to other brokers")
    assert one.may_be == (("disk", "network") if cause == "undecided" else ())
    assert said.is_complete == (cause == "network")
    late = [replace(each, unseen_ms=4_000) if each.leader == 1 else each for each in drops]
    assert where(dropped=late, **agents, **leads)[:2] == (1, "disk")


@pytest.mark.parametrize(("later_ms", "slow"), [(3_200, [1]), (4_200, [2, 3])])
def test_a_leader_that_drops_one_soon_after_the_other_is_the_slow_one(
    later_ms: int, slow: list[int]
) -> None:
    """As recorded: its reads hung for one follower after the other."""
    first = dropped(1, 2, left=2)
    drops = [first, replace(first, at_ms=first.at_ms + later_ms, follower=3, left=1)]
    assert [each.broker for each in found(dropped=drops, **STOCK)] == slow


def test_a_leader_that_drops_one_follower_much_too_late_is_the_slow_one() -> None:
    """Its reads hang under the lock that the search for late followers needs, too."""
    assert where(dropped=[dropped(1, 3, unseen_ms=4_100)]) == (1, "disk", "fetch")
    assert only(dropped=[dropped(1, 3, unseen_ms=3_000)]).broker == 3


def test_on_stock_missing_acks_show_that_a_leader_dropped_a_follower_too_late() -> None:
    """As recorded: the followers leave when the stall ends, not when they are late."""
    drops = {"dropped": [dropped(1, 2)], **STOCK}
    one = only(unacked=[unacked(1, 8_000, 12_600)], **drops)
    assert (one.broker, one.span.since_ms) == (1, 8_000)
    assert only(unacked=[unacked(1, 10_000, 13_500)], **drops).broker == 2


@pytest.mark.parametrize(("left", "slow"), [(2, 1), (1, 2)])
def test_acks_that_do_not_come_after_a_drop_show_that_the_leader_is_slow(
    left: int, slow: int
) -> None:
    """If other members are left; otherwise the leader may refuse records below min ISR."""
    drops = [dropped(1, 2, left=left, unseen_ms=1_700)]
    assert only(dropped=drops, unacked=[unacked(1, 10_700, 15_700)]).broker == slow


@pytest.mark.parametrize(("again_ms", "slow"), [(12_620, 1), (14_000, 2)])
def test_acks_that_come_only_at_the_moment_of_a_drop_do_not_end_a_gap(
    again_ms: int, slow: int
) -> None:
    """As recorded: a drop acks what waited, and then all handlers hang as before."""
    gaps = [unacked(1, 10_200, 12_530), unacked(1, again_ms, again_ms + 2_800)]
    seen = found(dropped=[dropped(1, 2, left=2)], unacked=gaps, **STOCK)
    assert [each.broker for each in seen][:1] == [slow]


GIVEN_AWAY = [led(1, ZERO, until=12_000), led(2, ZERO, since=12_000)]
"""Broker 2 leads what broker 1 led before."""


def test_a_leader_is_not_late_for_acks_that_were_missing_before_it_led() -> None:
    """The leader before it had hung; the new one drops it after one lag, as it must."""
    drops = [dropped(2, 1, at_ms=14_400, unseen_ms=2_400)]
    one = only(dropped=drops, unacked=[unacked(1, 10_000, 14_500)], leads=GIVEN_AWAY)
    assert one.broker == 1
    assert [(each.follower, each.rightly) for each in one.blamed] == [(1, True)]


def test_a_former_leader_whose_acks_came_is_a_slow_follower_only() -> None:
    known = {"dropped": [dropped(2, 1, at_ms=14_400, unseen_ms=300)], "leads": GIVEN_AWAY}
    assert where(**known) == (1, "disk", AS_FOLLOWER)


@pytest.mark.parametrize("unseen_ms", [300, 2_500])
def test_a_follower_that_is_behind_or_over_whose_link_the_leader_keeps_up_appends_slowly(
    unseen_ms: int,
) -> None:
    """It fetches, or it leads partition 2 and broker 1 does not leave that ISR."""
    one = only(dropped=[dropped(1, 3, unseen_ms=unseen_ms)])
    assert (one.broker, one.cause, one.site) == (3, "disk", AS_FOLLOWER)
    assert [(each.follower, each.rightly) for each in one.blamed] == [(3, True)]


def test_a_follower_of_which_nothing_else_is_known_is_not_decided() -> None:
    said = answer(dropped=[dropped(1, 3, unseen_ms=2_500)], **ALONE)
    (one,) = said.findings
    assert (one.broker, one.cause, one.may_be) == (3, "undecided", ("disk", "network"))
    assert not said.is_complete


@pytest.mark.parametrize("waits", [True, False])
def test_what_a_follower_waits_for_decides_between_its_link_and_its_disk(*, waits: bool) -> None:
    one = only(
        dropped=[dropped(1, 3, unseen_ms=2_500)], awaited=[awaited(3, 1, 10_500)] * waits,
        peers_known={3}, pauses_known={3},
    )  # fmt: skip
    expected = ("network", "link", 1) if waits else ("disk", AS_FOLLOWER, None)
    assert (one.cause, one.site, one.peer) == expected


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
    one = only(dropped=drops, **STOCK)
    assert (one.brokers, one.site) == ((1,), "links to other brokers")
    assert one.partitions == (ZERO, ONE, TWO)
    late = [replace(each, unseen_ms=4_100) if each.leader == 1 else each for each in drops]
    one = only(dropped=late, **STOCK)
    assert (one.brokers, one.cause, one.site) == ((1,), "disk", "fetch")
    blamed = {each.follower: each.rightly for each in one.blamed}
    assert blamed.pop(1)
    assert not any(blamed.values())


def test_one_removal_is_judged_alike_beside_every_finding() -> None:
    """Leader 1 served slowly while follower 3 was frozen: follower 3 was removed rightly."""
    seen = found(
        served=[served()],
        paused=[paused(3, 10_000, 14_000, 3_900)],
        dropped=[dropped(1, 3, unseen_ms=2_500), dropped(1, 2, unseen_ms=2_500)],
    )
    assert [each.broker for each in seen] == [1, 3]
    blamed = [one for each in seen for one in each.blamed if not one.kept]
    assert {(one.follower, one.rightly) for one in blamed} == {(2, False), (3, True)}


def test_a_bad_link_names_only_the_removals_between_its_ends() -> None:
    """As with a cut listener for replication: neither direction works, and no broker is slow."""
    waits = [awaited(*each) for each in ((1, 3), (3, 1), (1, 2), (2, 1))]
    seen = found(awaited=waits, dropped=[dropped(1, 2), dropped(1, 3)])
    assert [(each.brokers, [one.follower for one in each.blamed]) for each in seen] == [
        ((1, 3), [3]), ((1, 2), [2]),
    ]  # fmt: skip


MUTUAL = mutual(1, 3, ZERO, ONE)


@pytest.mark.parametrize(
    ("drops", "sites"),
    [
        (mutual(1, 2, ZERO, ONE), ["link"]),
        ([*MUTUAL, dropped(2, 1, TWO), dropped(2, 3, TWO)], ["link", "fetch"]),
        ([*MUTUAL, *mutual(1, 2, ZERO, TWO), *mutual(2, 3, ONE, TWO)], ["link"] * 3),
    ],
    ids=["one pair", "one pair, and a leader that drops both", "three pairs"],
)
def test_brokers_that_drop_each_other_have_a_bad_link(
    drops: list[Dropped], sites: list[str]
) -> None:
    assert [each.site for each in found(dropped=drops, **STOCK)] == sites
    one = only(dropped=mutual(1, 2, ZERO, ONE))
    assert (one.brokers, one.cause, one.site) == ((1, 2), "network", "link")


def test_two_brokers_that_wait_for_each_other_have_a_bad_link_before_anybody_is_dropped() -> None:
    one = only(awaited=[awaited(1, 2, 10_000, 11_500), awaited(2, 1, 10_200, 11_600)])
    assert (one.brokers, one.cause, one.site) == ((1, 2), "network", "link")


def test_one_end_that_waits_is_enough_if_the_other_ends_agent_is_known() -> None:
    there = [awaited(1, 2, 10_000, 11_500)]
    one = only(awaited=there)
    assert (one.brokers, one.cause) == ((1, 2), "network")
    assert found(awaited=there, pauses_known={1}) == ()
    assert found(awaited=[awaited(1, 2, 10_000, 10_500)]) == ()


def test_a_broker_whose_answers_two_others_wait_for_is_slow_itself() -> None:
    """As recorded with `memory-pressure`: its threads were not where the agent sees them."""
    waits = [awaited(1, 3, 10_001), awaited(2, 3, 10_002)]
    one = only(awaited=waits)
    assert (one.broker, one.peer, one.cause, one.site) == (3, None, "disk", "fetch")
    assert (one.span.since_ms, one.span.until_ms) == (10_001, 13_000)
    later = found(awaited=[waits[0], awaited(2, 3, 14_000, 17_000)])
    assert [each.site for each in later] == ["link", "link"]


def test_a_follower_that_the_controller_removed_is_no_finding() -> None:
    assert found(dropped=[dropped(1, 3, fenced=True)]) == ()


def test_drops_by_messages_say_nothing_of_time() -> None:
    said = answer(dropped=[dropped(1, 3), dropped(1, 2)], by_time=False)
    assert said.findings == ()
    assert any("by messages" in gap for gap in said.gaps)


def test_drops_at_different_times_are_different_findings() -> None:
    late = dropped(2, 1, TWO, at_ms=40_000, unseen_ms=300)
    seen = found(dropped=[dropped(1, 3, unseen_ms=300), late])
    assert [each.broker for each in seen] == [3, 1]
