"""Processes that ended, were frozen or starved, and brokers that only the controller lost."""

from typing import Any

import pytest

from insync.why.answer import Finding
from insync.why.facts import Dropped, Ended, Fenced, Paused, Served, Unacked
from insync.why.infer import answer_of
from unit.why.made_up import BROKERS, TWO, ZERO, facts


def only(found: tuple[Finding, ...]) -> Finding:
    assert len(found) == 1, found
    return found[0]


def test_a_process_that_did_not_run_is_named_with_its_time() -> None:
    paused = [Paused(broker=2, since_ms=10_000, until_ms=14_000, paused_ms=3_500)]
    found = only(answer_of(facts(paused=paused), "made up").findings)
    assert (found.broker, found.cause, found.site) == (2, "process", "frozen or starved")
    assert (found.span.since_ms, found.span.until_ms) == (10_000, 14_000)
    assert found.evidence[0].value == 3_500


def test_many_short_pauses_are_one_starved_process() -> None:
    paused = [
        Paused(broker=2, since_ms=at, until_ms=at + 400, paused_ms=400)
        for at in (10_000, 11_000, 12_000)
    ]
    found = only(answer_of(facts(paused=paused), "made up").findings)
    assert (found.evidence[0].value, found.evidence[1].value) == (1_200, 400)


def test_a_pause_at_an_unknown_time_is_a_gap() -> None:
    undated = [Paused(broker=2, since_ms=10_000, until_ms=40_000, paused_ms=3_500)]
    answer = answer_of(facts(undated=undated), "made up")
    assert answer.findings == ()
    assert any("did not run for 3,500 ms, at some time in 30 s" in gap for gap in answer.gaps)


def test_a_pause_at_an_unknown_time_explains_why_others_missed_the_broker() -> None:
    """Its agent reports while followers fetch, and this broker led nothing."""
    undated = [Paused(broker=2, since_ms=8_000, until_ms=18_000, paused_ms=3_500)]
    fenced = [Fenced(broker=2, since_ms=12_000, until_ms=13_300)]
    dropped = [Dropped(at_ms=12_900, leader=1, follower=2, partition=ZERO, unseen_ms=2_400)]
    for seen in ({"fenced": fenced}, {"dropped": dropped}, {"fenced": fenced, "dropped": dropped}):
        answer = answer_of(facts(undated=undated, reports={}, **seen), "made up")
        found = only(answer.findings)
        assert (found.broker, found.cause, found.site) == (2, "process", "frozen or starved")
        assert found.span.until_ms in {12_900, 13_300}
        assert not any("at some time" in gap for gap in answer.gaps)


def test_a_pause_at_an_unknown_time_does_not_explain_what_lasted_longer() -> None:
    undated = [Paused(broker=2, since_ms=8_000, until_ms=38_000, paused_ms=1_100)]
    dropped = [Dropped(at_ms=32_900, leader=1, follower=2, partition=ZERO, unseen_ms=3_400)]
    answer = answer_of(facts(undated=undated, dropped=dropped), "made up")
    assert only(answer.findings).site != "frozen or starved"
    assert any("at some time" in gap for gap in answer.gaps)


def test_pauses_that_are_short_in_sum_are_no_finding() -> None:
    """As a garbage collection, or a busy machine."""
    paused = [Paused(broker=2, since_ms=10_000, until_ms=11_000, paused_ms=900)]
    assert answer_of(facts(paused=paused), "made up").findings == ()


def test_short_pauses_far_apart_are_no_finding() -> None:
    paused = [
        Paused(broker=2, since_ms=at, until_ms=at + 600, paused_ms=600) for at in (10_000, 20_000)
    ]
    assert answer_of(facts(paused=paused), "made up").findings == ()


def test_a_fetch_that_waited_for_a_frozen_leader_is_not_blamed_on_its_disk() -> None:
    paused = [Paused(broker=1, since_ms=10_000, until_ms=14_000, paused_ms=3_900)]
    served = [Served(leader=1, follower=2, partition=None, since_ms=10_000, until_ms=14_100)]
    found = only(answer_of(facts(paused=paused, served=served), "made up").findings)
    assert (found.broker, found.cause) == (1, "process")


@pytest.mark.parametrize(
    ("paused_ms", "causes"), [(2_300, ["process"]), (1_500, ["process", "disk"])]
)
def test_a_fetch_that_waited_for_a_starved_leader_is_not_blamed_on_its_disk(
    paused_ms: float, causes: list[str]
) -> None:
    """As recorded with `cpu-quota`: no pause was reported of the last two seconds."""
    paused = [Paused(broker=1, since_ms=10_000, until_ms=12_500, paused_ms=paused_ms)]
    served = [Served(leader=1, follower=2, partition=None, since_ms=10_000, until_ms=15_100)]
    found = answer_of(facts(paused=paused, served=served), "made up").findings
    assert [each.cause for each in found] == causes


def test_a_follower_that_was_dropped_while_its_process_was_frozen_is_blamed_rightly() -> None:
    paused = [Paused(broker=3, since_ms=10_000, until_ms=14_000, paused_ms=3_900)]
    dropped = [Dropped(at_ms=12_500, leader=1, follower=3, partition=ZERO, unseen_ms=2_500)]
    found = only(answer_of(facts(paused=paused, dropped=dropped), "made up").findings)
    assert [(each.follower, each.rightly) for each in found.blamed] == [(3, True)]


def test_a_follower_that_a_frozen_leader_drops_when_it_runs_again_is_blamed_wrongly() -> None:
    paused = [Paused(broker=1, since_ms=10_000, until_ms=14_000, paused_ms=3_900)]
    dropped = [Dropped(at_ms=14_100, leader=1, follower=3, partition=ZERO, unseen_ms=4_000)]
    found = only(answer_of(facts(paused=paused, dropped=dropped), "made up").findings)
    assert found.broker == 1
    assert [(each.follower, each.rightly) for each in found.blamed] == [(3, False)]


def test_a_broker_that_was_started_again_had_ended() -> None:
    ended = [Ended(broker=3, since_ms=10_000, until_ms=15_000)]
    found = only(answer_of(facts(ended=ended), "made up").findings)
    assert (found.broker, found.cause, found.site) == (3, "process", "ended")
    assert (found.span.since_ms, found.span.until_ms) == (10_000, 15_000)
    fenced = [Fenced(broker=3, since_ms=12_000, until_ms=18_000)]
    found = only(answer_of(facts(ended=ended, fenced=fenced), "made up").findings)
    assert (found.span.since_ms, found.span.until_ms) == (12_000, 18_000)


@pytest.mark.parametrize(
    "missed",
    [
        {"unacked": [Unacked(leader=3, partition=TWO, since_ms=17_000, until_ms=21_000)]},
        {"dropped": [Dropped(at_ms=19_500, leader=1, follower=3, partition=ZERO, unseen_ms=2_500)]},
    ],
    ids=["clients", "a leader"],
)
@pytest.mark.parametrize("agent", [True, False])
def test_a_killed_broker_ended_when_it_was_missed_not_when_it_last_wrote(
    missed: dict[str, Any], *, agent: bool
) -> None:
    """Its agent had nothing to report for 7 s before, and the controller waited for a session."""
    ended = [Ended(broker=3, since_ms=10_000, until_ms=26_000)]
    fenced = [Fenced(broker=3, since_ms=19_900, until_ms=27_000)]
    heard = set(BROKERS) if agent else set()
    known = facts(ended=ended, fenced=fenced, heard=heard, **missed)
    found = only(answer_of(known, "made up").findings)
    assert (found.site, found.span.since_ms, found.span.until_ms) == ("ended", 17_000, 27_000)


def test_what_a_broker_does_slowly_at_its_start_is_no_finding_of_its_own() -> None:
    ended = [Ended(broker=3, since_ms=10_000, until_ms=15_000)]
    served = [
        Served(leader=3, follower=1, partition=None, since_ms=17_000, until_ms=19_000),
        Served(leader=1, follower=3, partition=None, since_ms=17_000, until_ms=19_000),
    ]
    assert only(answer_of(facts(ended=ended, served=served), "made up").findings).broker == 3


def test_a_fenced_broker_whose_process_ran_has_lost_the_controller() -> None:
    fenced = [Fenced(broker=2, since_ms=10_000, until_ms=14_000)]
    found = only(answer_of(facts(fenced=fenced), "made up").findings)
    assert (found.broker, found.cause, found.site) == (2, "network", "link to the controller")


def test_a_fenced_broker_whose_agent_reported_nothing_may_have_been_frozen() -> None:
    """It led nothing, so that its agent had nothing to report; leaders dropped it for its lag."""
    fenced = [Fenced(broker=3, since_ms=12_500, until_ms=14_000)]
    drops = [
        Dropped(at_ms=12_400, leader=each, follower=3, partition=ZERO, unseen_ms=2_400)
        for each in (1, 2)
    ]
    known = facts(fenced=fenced, dropped=drops, reports={})
    found = only(answer_of(known, "made up").findings)
    assert (found.broker, found.cause, found.site) == (3, "process", "not heard of")


def test_a_fenced_broker_without_an_agent_is_its_process_if_its_partitions_stalled() -> None:
    fenced = [Fenced(broker=2, since_ms=10_000, until_ms=14_000)]
    unacked = [Unacked(leader=2, partition=ZERO, since_ms=9_000, until_ms=14_000)]
    known = facts(fenced=fenced, unacked=unacked, heard=set(), pauses_known=set())
    found = only(answer_of(known, "made up").findings)
    assert (found.broker, found.cause, found.site) == (2, "process", "not heard of")
    without = facts(fenced=fenced, heard=set(), pauses_known=set())
    assert only(answer_of(without, "made up").findings).site == "link to the controller"


def test_a_drop_after_a_fenced_broker_is_back_tells_nothing_of_its_process() -> None:
    """It is back in the ISR and lags: it could not follow while it was fenced."""
    fenced = [Fenced(broker=2, since_ms=10_000, until_ms=13_000)]
    later = [Dropped(at_ms=13_600, leader=1, follower=2, partition=ZERO)]
    known = facts(fenced=fenced, dropped=later, heard=set(), pauses_known=set())
    found = only(answer_of(known, "made up").findings)
    assert (found.broker, found.cause, found.site) == (2, "network", "link to the controller")


def test_a_fenced_stock_broker_that_led_nothing_is_not_decided() -> None:
    """Neither acks nor followers can show whether its process ran."""
    fenced = [Fenced(broker=2, since_ms=10_000, until_ms=14_000)]
    known = facts(fenced=fenced, heard=set(), pauses_known=set())
    known.leads = [each for each in known.leads if each.leader != 2]
    found = only(answer_of(known, "made up").findings)
    assert (found.broker, found.cause, found.site) == (2, "undecided", "not heard of")
    assert found.may_be == ("network", "process")


def test_a_broker_that_is_not_heard_of_is_gone_since_others_missed_it() -> None:
    """So the followers that it lost, and the leaders that dropped it, are not slow themselves."""
    fenced = [Fenced(broker=3, since_ms=14_000, until_ms=15_000)]
    drops = [Dropped(at_ms=12_900, leader=1, follower=3, partition=ZERO, unseen_ms=2_400)]
    unacked = [Unacked(leader=3, partition=ZERO, since_ms=10_400, until_ms=15_000)]
    known = facts(
        fenced=fenced, dropped=drops, unacked=unacked, heard=set(), pauses_known=set(), reports={}
    )
    found = only(answer_of(known, "made up").findings)
    assert (found.broker, found.site, found.span.since_ms) == (3, "not heard of", 10_400)


def test_brokers_that_are_fenced_at_once_are_the_controllers_matter() -> None:
    fenced = [Fenced(broker=each, since_ms=10_000, until_ms=14_000) for each in BROKERS]
    answer = answer_of(facts(fenced=fenced), "made up")
    assert answer.findings == ()
    assert any("that is about the controller" in gap for gap in answer.gaps)


def test_two_frozen_stock_brokers_are_not_the_controllers_matter() -> None:
    """Their partitions had no acks before they were fenced."""
    fenced = [Fenced(broker=each, since_ms=10_000, until_ms=14_000) for each in (1, 2)]
    unacked = [
        Unacked(leader=each, partition=ZERO, since_ms=8_000, until_ms=14_000) for each in (1, 2)
    ]
    known = facts(fenced=fenced, unacked=unacked, heard=set(), pauses_known=set())
    found = answer_of(known, "made up").findings
    assert [(each.broker, each.cause) for each in found] == [(1, "process"), (2, "process")]


def test_brokers_that_are_fenced_at_different_times_are_findings_of_their_own() -> None:
    fenced = [
        Fenced(broker=each, since_ms=at, until_ms=at + 2_000) for each, at in ((1, 0), (2, 30_000))
    ]
    found = answer_of(facts(fenced=fenced), "made up").findings
    assert [each.broker for each in found] == [1, 2]
