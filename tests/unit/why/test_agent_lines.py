"""What an agent's events say, and what they do not."""

import pytest

from insync.why.facts import Facts, Partition
from insync.why.sources.agent_lines import add_agent_lines
from unit.why.made_up import LAG, SPAN, event, pending, shrink, slow_fetch, started

READS = Partition("reads", 0)


def read(*lines: dict[str, object], broker: int = 1) -> Facts:
    facts = Facts(lag_ms=LAG, span=SPAN)
    add_agent_lines(facts, broker, lines)
    return facts


def test_an_agent_that_writes_nothing_leaves_its_broker_unknown() -> None:
    assert read().heard == set()
    assert read(*started(1)).heard == {1}


def test_pauses_are_known_only_in_scope_request() -> None:
    assert read(*started(1)).pauses_known == {1}
    off = [{**line, "insync.scope": "read"} for line in started(1)]
    assert read(*off).pauses_known == set()


def test_a_pause_is_what_the_counter_grew_by() -> None:
    facts = read(*started(1), pending(1_000), pending(2_000), pending(6_000, 3_800))
    (paused,) = facts.paused
    assert (paused.broker, paused.paused_ms, paused.until_ms) == (1, 3_800, 6_000)
    assert paused.since_ms == 2_000


def test_a_pause_between_reports_that_are_far_apart_was_at_some_time_between_them() -> None:
    facts = read(*started(1), pending(1_000), pending(20_000, 3_000))
    assert facts.paused == []
    (paused,) = facts.undated
    assert (paused.since_ms, paused.until_ms, paused.paused_ms) == (1_000, 20_000, 3_000)


def test_a_time_without_reports_is_no_pause() -> None:
    """No fetch arrives at a broker that leads nothing, and then its agent reports nothing."""
    assert read(*started(1), pending(1_000), pending(30_000)).paused == []


def test_a_counter_that_begins_again_after_a_restart_is_no_pause() -> None:
    facts = read(*started(1), pending(1_000, 500), *started(1, 5_000), pending(7_000, 100))
    assert facts.paused == []
    (ended,) = facts.ended
    assert (ended.broker, ended.since_ms, ended.until_ms) == (1, 1_000, 5_000)


@pytest.mark.parametrize(("again_ms", "ends"), [(50_000, 1), (90_000, 0)])
def test_a_process_that_was_started_again_after_the_span_did_not_end_in_it(
    again_ms: float, ends: int
) -> None:
    """A matrix runs its scenarios on one cluster: a later one may have killed the broker."""
    facts = read(*started(1), pending(45_000), *started(1, again_ms))
    assert len(facts.ended) == ends


def test_a_slow_fetch_began_before_its_event() -> None:
    facts = read(*started(1), slow_fetch(9_000, 2, 4_000))
    (served,) = facts.served
    assert (served.leader, served.follower, served.partition) == (1, 2, None)
    assert (served.since_ms, served.until_ms) == (5_000, 9_000)


@pytest.mark.parametrize("ended", [True, False])
def test_a_hold_has_a_site_and_lasts_until_its_end(*, ended: bool) -> None:
    about = {"topic": "reads", "partition": 0, "replica": 2, "site": "read"}
    end = [event("hold_ended", 9_000, **about, held_ms=4_000)] if ended else []
    facts = read(*started(1), event("hold", 5_000, **about, pending_ms=2_100), *end)
    (served,) = facts.served
    assert (served.site, served.partition, served.held) == ("read", READS, True)
    assert (served.since_ms, served.until_ms) == (2_900, 9_000 if ended else SPAN.until_ms)


def test_a_hold_without_a_pending_fetch_says_nothing_of_the_leader() -> None:
    about = {"topic": "reads", "partition": 0, "replica": 2, "site": "none"}
    assert read(*started(1), event("hold", 5_000, **about, pending_ms=0)).served == []


def test_a_step_down_for_an_append_has_its_site_and_one_for_a_fetch_has_none() -> None:
    about = {"topic": "reads", "partition": 0, "pending_ms": 700, "score": 1.0}
    slow = event("step_down", 5_000, reason="slow_append", site="log", **about)
    (appended,) = read(*started(1), slow).appended
    assert (appended.site, appended.since_ms) == ("append: log", 4_300)
    fetch = read(*started(1), event("step_down_withheld", 5_000, reason="cooling_down", **about))
    (served,) = fetch.served
    assert (served.site, served.decided, served.partition) == (None, True, READS)


def test_a_broker_that_asks_for_its_fencing_found_itself_too_slow_until_it_no_longer_asks() -> None:
    asked = event("fencing", 5_000, state="asked", why="what it leads is too slow")
    ended = event("fencing", 8_000, state="ended", asked_ms=3_000)
    (appended,) = read(*started(1), asked, ended).appended
    assert (appended.leader, appended.site) == (1, "asks to be fenced")
    assert (appended.since_ms, appended.until_ms) == (5_000, 8_000)
    assert read(*started(1), asked).appended[0].until_ms == SPAN.until_ms
    withheld = event("fencing", 5_000, state="withheld", why="", against="too few replicas")
    assert read(*started(1), withheld).appended == []


def test_a_leader_that_finds_itself_slow_says_from_when_to_when() -> None:
    begun = event("leader_slow", 5_000, slow=True, score=1.0, pending_ms=500)
    (served,) = read(*started(1), begun, event("leader_slow", 8_000, slow=False)).served
    assert (served.since_ms, served.until_ms, served.decided) == (4_500, 8_000, True)


def test_a_peer_that_looks_slow_is_waited_for() -> None:
    facts = read(
        *started(1, step_down=True),
        event("peer_slow", 5_000, peer=3, slow=True, score=1.0),
        event("peer_slow", 8_000, peer=3, slow=False, score=0.0),
    )
    (awaited,) = facts.awaited
    assert (awaited.broker, awaited.peer, awaited.ms) == (1, 3, 3_000)
    assert facts.peers_known == {1}


def test_a_shrink_says_when_the_follower_had_fetched() -> None:
    (dropped,) = read(*started(1), shrink(9_000, READS, 1, 3, 6_500)).dropped
    assert (dropped.leader, dropped.follower, dropped.unseen_ms) == (1, 3, 2_500)
    (never,) = read(*started(1), shrink(9_000, READS, 1, 3, 0)).dropped
    assert never.unseen_ms == float("inf")


def test_a_clock_that_went_back_is_noticed_within_the_span_only() -> None:
    assert read(*started(1), pending(40_000), pending(20_000)).clock_moved == {1}
    assert read(*started(1), pending(40_000), pending(39_500)).clock_moved == set()
    assert read(*started(1), pending(-4_000), pending(-9_000)).clock_moved == set()


def test_what_lies_outside_the_span_is_left_out() -> None:
    facts = read(*started(1), slow_fetch(-1_000, 2, 2_000), slow_fetch(70_000, 2, 2_000))
    assert facts.served == []


def test_an_event_with_other_fields_is_counted_and_left_out() -> None:
    facts = read(
        *started(1), event("pending_long", 5_000, replica="x", held_ms=9),
        event("peer_slow", 7_000), slow_fetch(9_000, 2, 4_000),
    )  # fmt: skip
    assert (facts.unreadable, len(facts.served)) == (2, 1)


def test_a_feature_that_was_switched_off_before_the_span_measures_no_pauses() -> None:
    off = event("settings_updated", -1_000, **{"follower.fetch.pending.reads.insync.enable": False})
    assert read(*started(1), off).pauses_known == set()
    assert read(*started(1), {**off, "t_ms": 30_000}).pauses_known == {1}


def test_a_line_without_a_time_and_an_unknown_event_are_left_out() -> None:
    assert read({"type": "pending"}, event("something_new", 5_000)).served == []
