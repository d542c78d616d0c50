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
    case,
    dropped,
    judged,
    led,
    only,
    paused,
    served,
    told,
    unacked,
)

ALONE: dict[str, Any] = {"leads": [led(1, ZERO)]}
"""Only broker 1 leads, so that nothing shows whether its links work."""
GIVEN_AWAY: dict[str, Any] = {"leads": [led(1, ZERO, until=12_000), led(2, ZERO, since=12_000)]}
"""Broker 2 leads what broker 1 led before."""
FETCH, FOLLOWS = "1 disk: fetch", "disk: append as a follower"
WITH_3 = {"peers_known": {3}, "pauses_known": {3}}


def at(ms: float, follower: int, left: int) -> Dropped:
    return dropped(1, follower, at_ms=ms, left=left)


def mutual(one: int, two: int, *partitions: Any) -> list[Dropped]:
    return [dropped(one, two, partitions[0]), dropped(two, one, partitions[1])]


MUTUAL = mutual(1, 3, ZERO, ONE)
WAITS = awaited(1, 2, 10_000, 11_500)
CASES = [
    # As recorded: its reads hung for one follower after the other.
    case("one soon after the other", FETCH, at(12_500, 2, 2), at(15_700, 3, 1), **STOCK),
    case("one long after the other", f"2 {FOLLOWS}; 3 {FOLLOWS}",
         at(12_500, 2, 2), at(16_700, 3, 1), **STOCK),
    # Its reads hang under the lock that the search for late followers needs, too.
    case("one much too late", FETCH, dropped(1, 3, unseen_ms=4_100)),
    case("one late, but in time", f"3 {FOLLOWS}", dropped(1, 3, unseen_ms=3_000)),
    # As recorded: the followers leave when the stall ends, not when they are late.
    case("acks were missing for long", FETCH, dropped(1, 2), unacked(1, 8_000, 12_600), **STOCK),
    case("acks were missing shortly", f"2 {FOLLOWS}",
         dropped(1, 2), unacked(1, 10_000, 13_500), **STOCK),
    # If no other member is left, the leader may refuse records below min ISR.
    case("acks do not come after a drop, and others are left", FETCH,
         dropped(1, 2, left=2, unseen_ms=1_700), unacked(1, 10_700, 15_700)),
    case("acks do not come after a drop, and nobody is left", f"2 {FOLLOWS}",
         dropped(1, 2, left=1, unseen_ms=1_700), unacked(1, 10_700, 15_700)),
    # As recorded: a drop acks what waited, and then all handlers hang as before.
    case("acks come only at the moment of a drop", FETCH, dropped(1, 2, left=2),
         unacked(1, 10_200, 12_530), unacked(1, 12_620, 15_420), **STOCK),
    case("acks come for a while after a drop", f"2 {FOLLOWS}", dropped(1, 2, left=2),
         unacked(1, 10_200, 12_530), unacked(1, 14_000, 16_800), **STOCK),
    # The leader before it had hung; the new one drops it after one lag, as it must.
    case("acks were missing before it led", "1 disk or network: following",
         dropped(2, 1, at_ms=14_400, unseen_ms=2_400), unacked(1, 10_000, 14_500), **GIVEN_AWAY),
    case("a former leader whose acks came", f"1 {FOLLOWS}",
         dropped(2, 1, at_ms=14_400, unseen_ms=300), **GIVEN_AWAY),
    case("a follower of which nothing else is known", "3 disk or network: following",
         dropped(1, 3, unseen_ms=2_500), **ALONE),
    case("a follower that waits for answers", "3-1 network: link",
         dropped(1, 3, unseen_ms=2_500), awaited(3, 1, 10_500), **WITH_3),
    case("a follower that waits for no answer", f"3 {FOLLOWS}",
         dropped(1, 3, unseen_ms=2_500), **WITH_3),
    case("one pair", "1-2 network: link", *mutual(1, 2, ZERO, ONE), **STOCK),
    case("one pair with agents", "1-2 network: link", *mutual(1, 2, ZERO, ONE)),
    case("one pair, and a leader that drops both", "1-3 network: link; 2 disk: fetch",
         *MUTUAL, dropped(2, 1, TWO), dropped(2, 3, TWO), **STOCK),
    case("three pairs", "1-2 network: link; 1-3 network: link; 2-3 network: link",
         *MUTUAL, *mutual(1, 2, ZERO, TWO), *mutual(2, 3, ONE, TWO), **STOCK),
    case("two brokers wait for each other, and nobody is dropped yet", "1-2 network: link",
         WAITS, awaited(2, 1, 10_200, 11_600)),
    case("one end waits, and the other one's agent is known", "1-2 network: link", WAITS),
    case("one end waits, and the other one has no agent", "", WAITS, pauses_known={1}),
    case("one end waits shortly", "", awaited(1, 2, 10_000, 10_500)),
    # As recorded with `memory-pressure`: its threads were not where the agent sees them.
    case("two wait for one", "3 disk: fetch", awaited(1, 3, 10_001), awaited(2, 3, 10_002)),
    case("two wait in turn", "1-3 network: link; 2-3 network: link",
         awaited(1, 3, 10_001), awaited(2, 3, 14_000, 17_000)),
    case("the controller removed it", "", dropped(1, 3, fenced=True)),
    case("drops at different times", f"3 {FOLLOWS}; 1 {FOLLOWS}",
         dropped(1, 3, unseen_ms=300), dropped(2, 1, TWO, at_ms=40_000, unseen_ms=300)),
]  # fmt: skip


@pytest.mark.parametrize(("expected", "seen", "known"), CASES)
def test_who_is_slow_if_followers_are_dropped(
    expected: str, seen: Any, known: dict[str, Any]
) -> None:
    assert told(answer(*seen, **known)) == expected


def test_on_stock_a_leader_that_drops_everybody_drops_them_wrongly() -> None:
    said = answer(dropped(1, 2), dropped(1, 3), **STOCK)
    assert (told(said), judged(said.findings[0])) == (FETCH, ["2 wrongly", "3 wrongly"])
    assert any("no events of an agent" in gap for gap in said.gaps)


@pytest.mark.parametrize("leads", [ALONE, {}], ids=["it leads all", "each leads one"])
@pytest.mark.parametrize(
    ("agents", "cause"), [(STOCK, "disk or network"), ({}, "network")], ids=["stock", "agents"]
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
    said = answer(*drops, unacked(1, 10_000, 15_000), **agents, **leads)
    assert told(said) == f"1 {cause}: links to other brokers"
    assert said.is_complete == (cause == "network")
    late = [replace(each, unseen_ms=4_000) if each.leader == 1 else each for each in drops]
    assert told(answer(*late, **agents, **leads)) == FETCH


def test_a_leader_was_slow_since_its_acks_are_missing() -> None:
    one = only(dropped(1, 2), unacked(1, 8_000, 12_600), **STOCK)
    assert (one.broker, one.span.since_ms) == (1, 8_000)


def test_a_former_leader_is_removed_rightly_by_the_next_one() -> None:
    drop = dropped(2, 1, at_ms=14_400, unseen_ms=2_400)
    assert judged(only(drop, unacked(1, 10_000, 14_500), **GIVEN_AWAY)) == ["1 rightly"]


@pytest.mark.parametrize("unseen_ms", [300, 2_500])
def test_a_follower_that_is_behind_or_over_whose_link_the_leader_keeps_up_appends_slowly(
    unseen_ms: int,
) -> None:
    """It fetches, or it leads partition 2 and broker 1 does not leave that ISR."""
    said = answer(dropped(1, 3, unseen_ms=unseen_ms))
    assert (told(said), judged(said.findings[0])) == (f"3 {FOLLOWS}", ["3 rightly"])


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
    said = answer(*drops, **STOCK)
    assert told(said) == "1 disk or network: links to other brokers"
    assert said.findings[0].partitions == (ZERO, ONE, TWO)
    late = [replace(each, unseen_ms=4_100) if each.leader == 1 else each for each in drops]
    said = answer(*late, **STOCK)
    assert told(said) == FETCH
    blamed = {each.follower: each.rightly for each in said.findings[0].blamed}
    assert blamed.pop(1)
    assert not any(blamed.values())


def test_one_removal_is_judged_alike_beside_every_finding() -> None:
    """Leader 1 served slowly while follower 3 was frozen: follower 3 was removed rightly."""
    seen = answer(
        served(), paused(3, 10_000, 14_000, 3_900),
        dropped(1, 3, unseen_ms=2_500), dropped(1, 2, unseen_ms=2_500),
    ).findings  # fmt: skip
    assert [each.broker for each in seen] == [1, 3]
    assert {one for each in seen for one in judged(each)} == {
        "2 wrongly",
        "2 wrongly, kept",
        "3 rightly",
    }


def test_a_bad_link_names_only_the_removals_between_its_ends() -> None:
    """As with a cut listener for replication: neither direction works, and no broker is slow."""
    waits = [awaited(*each) for each in ((1, 3), (3, 1), (1, 2), (2, 1))]
    seen = answer(*waits, dropped(1, 2), dropped(1, 3)).findings
    assert [(each.brokers, [one.follower for one in each.blamed]) for each in seen] == [
        ((1, 3), [3]), ((1, 2), [2]),
    ]  # fmt: skip


def test_a_broker_that_others_wait_for_is_slow_from_the_first_wait_to_the_last() -> None:
    span = only(awaited(1, 3, 10_001), awaited(2, 3, 10_002)).span
    assert (span.since_ms, span.until_ms) == (10_001, 13_000)


def test_drops_by_messages_say_nothing_of_time() -> None:
    said = answer(dropped(1, 3), dropped(1, 2), by_time=False)
    assert said.findings == ()
    assert any("by messages" in gap for gap in said.gaps)
