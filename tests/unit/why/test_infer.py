"""Who is slow, why and where, by made-up facts: of followers, of processes and of leaders."""

from dataclasses import replace
from typing import Any

import pytest

from insync.why.facts import Dropped, Facts, Span
from insync.why.sources.recorded import add_produced
from unit.why.made_up import (
    BROKERS,
    ONE,
    SPAN,
    STOCK,
    TWO,
    ZERO,
    answer,
    appended,
    awaited,
    case,
    dropped,
    ended,
    facts,
    fenced,
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
FROZEN = "process: frozen or starved"
NO_CONTROLLER = "network: link to the controller"
GONE = fenced(2, 10_000, 14_000)
UNDATED: dict[str, Any] = {"undated": [paused(2, 8_000, 18_000, 3_500)], "reports": {}}
"""Its agent reports while followers fetch, and this broker led nothing."""
MISSED = fenced(2, 12_000, 13_300)
LEFT = dropped(1, 2, at_ms=12_900, unseen_ms=2_400)
KILLED = fenced(3, 19_900, 27_000)
STALLED = unacked(1, 10_000, 15_000)
TWO_OF_ONE: dict[str, Any] = {"leads": [*facts().leads, led(1, ONE)]}
"""Broker 1 leads partition 1, too."""
ASKED = appended(1, "asks to be fenced", 12_000, 35_000, None)
FENCED = fenced(1, 12_100, 35_100)
UNDECIDED = "1 disk or network: clients' writes"
CASES = [
    # Followers that were dropped from ISRs: it is their disk, their link, or their leader.
    # As recorded: its reads hung for one follower after the other.
    case("one soon after the other", FETCH, at(12_500, 2, 2), at(15_700, 3, 1), **STOCK),
    case("one long after the other", f"2 {FOLLOWS}; 3 {FOLLOWS}",
         at(12_500, 2, 2), at(16_700, 3, 1), **STOCK),
    # Its reads hang under the lock that the search for late followers needs, too.
    case("one much too late", FETCH, dropped(1, 3, unseen_ms=4_100)),
    case("one late, but in time", f"3 {FOLLOWS}", dropped(1, 3, unseen_ms=3_000)),
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
    case("two wait in turn", "1-3 network: link; 2-3 network: link",
         awaited(1, 3, 10_001), awaited(2, 3, 14_000, 17_000)),
    case("the controller removed it", "", dropped(1, 3, fenced=True)),
    case("drops at different times", f"3 {FOLLOWS}; 1 {FOLLOWS}",
         dropped(1, 3, unseen_ms=300), dropped(2, 1, TWO, at_ms=40_000, unseen_ms=300)),
    # Processes that ended, were frozen or starved, and brokers that only the controller lost.
    case("a garbage collection, or a busy machine", "", paused(2, 10_000, 11_000, 900)),
    case("short pauses far apart", "", *(paused(2, at, at + 600, 600) for at in (10_000, 20_000))),
    case("a fetch that waited for a frozen leader", f"1 {FROZEN}",
         paused(1, 10_000, 14_000, 3_900), served(until=14_100)),
    # As recorded with `cpu-quota`: no pause was reported of the last two seconds.
    case("a fetch that waited for a starved leader", f"1 {FROZEN}",
         paused(1, 10_000, 12_500, 2_300), served(until=15_100)),
    case("a fetch that waited for more than a starved leader", f"1 {FROZEN}; 1 disk: fetch",
         paused(1, 10_000, 12_500, 1_500), served(until=15_100)),
    case("what a broker does slowly at its start", "3 process: ended", ended(3, 10_000, 15_000),
         *(served(one, other, 17_000, 19_000) for one, other in ((3, 1), (1, 3)))),
    case("fenced, and its process ran", f"2 {NO_CONTROLLER}", GONE),
    case("fenced on stock, and its partitions stalled", "2 process: not heard of",
         GONE, unacked(2, 9_000, 14_000), **STOCK),
    case("fenced on stock, and they did not", f"2 {NO_CONTROLLER}", GONE, **STOCK),
    # It is back in the ISR and lags: it could not follow while it was fenced.
    case("fenced on stock, and dropped when it is back", f"2 {NO_CONTROLLER}",
         GONE, dropped(1, 2, at_ms=14_600), **STOCK),
    # It led nothing, so that its agent had nothing to report; leaders dropped it for its lag.
    case("fenced, and its agent reported nothing", "3 process: not heard of",
         fenced(3, 12_500, 14_000),
         *(dropped(each, 3, at_ms=12_400, unseen_ms=2_400) for each in (1, 2)), reports={}),
    # Neither acks nor followers can show whether its process ran.
    case("fenced on stock, and it led nothing", "2 network or process: not heard of",
         GONE, leads=[led(1, ZERO), led(3, TWO)], **STOCK),
    # Their partitions had no acks before they were fenced.
    case("two frozen stock brokers", "1 process: not heard of; 2 process: not heard of",
         *(fenced(each, 10_000, 14_000) for each in (1, 2)),
         *(unacked(each, 8_000, 14_000) for each in (1, 2)), **STOCK),
    case("fenced at different times", f"1 {NO_CONTROLLER}; 2 {NO_CONTROLLER}",
         fenced(1, 0, 2_000), fenced(2, 30_000, 32_000)),
    # Leaders that are slow with fetches, appends and acks although their process runs.
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
def test_who_is_slow(expected: str, seen: Any, known: dict[str, Any]) -> None:
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
    """As recorded: the followers leave when the stall ends, not when they are late."""
    said = answer(dropped(1, 2), unacked(1, 8_000, 12_600), **STOCK)
    assert (told(said), said.findings[0].span.since_ms) == (FETCH, 8_000)


def test_a_former_leader_is_removed_rightly_by_the_next_one() -> None:
    """The leader before it had hung; the new one drops it after one lag, as it must."""
    drop = dropped(2, 1, at_ms=14_400, unseen_ms=2_400)
    said = answer(drop, unacked(1, 10_000, 14_500), **GIVEN_AWAY)
    assert told(said) == "1 disk or network: following"
    assert judged(said.findings[0]) == ["1 rightly"]


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
    """As recorded with `memory-pressure`: its threads were not where the agent sees them."""
    said = answer(awaited(1, 3, 10_001), awaited(2, 3, 10_002))
    span = said.findings[0].span
    assert (told(said), span.since_ms, span.until_ms) == ("3 disk: fetch", 10_001, 13_000)


def test_drops_by_messages_say_nothing_of_time() -> None:
    said = answer(dropped(1, 3), dropped(1, 2), by_time=False)
    assert said.findings == ()
    assert any("by messages" in gap for gap in said.gaps)


def test_a_process_that_did_not_run_is_named_with_its_time() -> None:
    said = answer(paused(2, 10_000, 14_000, 3_500))
    (one,) = said.findings
    assert told(said) == f"2 {FROZEN}"
    assert (one.span.since_ms, one.span.until_ms) == (10_000, 14_000)
    assert one.evidence[0].value == 3_500


def test_many_short_pauses_are_one_starved_process() -> None:
    one = only(*(paused(2, at, at + 400, 400) for at in (10_000, 11_000, 12_000)))
    assert (one.evidence[0].value, one.evidence[1].value) == (1_200, 400)


@pytest.mark.parametrize("missed", [[MISSED], [LEFT], [MISSED, LEFT]])
def test_a_pause_at_an_unknown_time_was_when_others_missed_the_broker(missed: list[Any]) -> None:
    said = answer(*missed, **UNDATED)
    assert told(said) == f"2 {FROZEN}"
    assert said.findings[0].span.until_ms in {12_900, 13_300}
    assert not any("at some time" in gap for gap in said.gaps)


def test_a_pause_at_an_unknown_time_does_not_explain_what_lasted_longer() -> None:
    late = dropped(1, 2, at_ms=32_900, unseen_ms=3_400)
    said = answer(late, undated=[paused(2, 8_000, 38_000, 1_100)])
    assert told(said) != f"2 {FROZEN}"
    assert any("did not run for 1,100 ms, at some time in 30 s" in gap for gap in said.gaps)


@pytest.mark.parametrize(
    ("frozen", "at_ms", "words"), [(3, 12_500, "rightly"), (1, 14_100, "wrongly")]
)
def test_a_follower_is_blamed_rightly_if_it_was_frozen_and_wrongly_if_its_leader_was(
    frozen: int, at_ms: int, words: str
) -> None:
    """A frozen leader drops its followers when it runs again."""
    drop = dropped(1, 3, at_ms=at_ms, unseen_ms=2_500 if words == "rightly" else 4_000)
    one = only(paused(frozen, 10_000, 14_000, 3_900), drop)
    assert (one.broker, judged(one)) == (frozen, [f"3 {words}"])


@pytest.mark.parametrize("agent", [True, False])
@pytest.mark.parametrize(
    ("gone", "seen", "since_ms", "until_ms"),
    [
        ((10_000, 15_000), [fenced(3, 12_000, 18_000)], 12_000, 18_000),
        # Its agent had nothing to report for 7 s, and the controller waited for a session.
        ((10_000, 26_000), [KILLED, unacked(3, 17_000, 21_000, TWO)], 17_000, 27_000),
        ((10_000, 26_000), [KILLED, dropped(1, 3, at_ms=19_500, unseen_ms=2_500)], 17_000, 27_000),
    ],
    ids=["the controller", "clients", "a leader"],
)
def test_a_broker_that_was_started_again_had_ended_when_it_was_missed(
    gone: tuple[float, float], seen: list[Any], since_ms: float, until_ms: float, *, agent: bool
) -> None:
    said = answer(ended(3, *gone), *seen, heard=set(BROKERS) if agent else set())
    span = said.findings[0].span
    assert (told(said), span.since_ms, span.until_ms) == ("3 process: ended", since_ms, until_ms)


def test_a_process_that_nobody_missed_ended_when_it_was_last_heard_of() -> None:
    span = only(ended(3, 10_000, 15_000)).span
    assert (span.since_ms, span.until_ms) == (10_000, 15_000)


def test_a_broker_that_is_not_heard_of_is_gone_since_others_missed_it() -> None:
    """So the followers that it lost, and the leaders that dropped it, are not slow themselves."""
    said = answer(
        fenced(3, 14_000, 15_000), unacked(3, 10_400, 15_000),
        dropped(1, 3, at_ms=12_900, unseen_ms=2_400), reports={}, **STOCK,
    )  # fmt: skip
    assert told(said) == "3 process: not heard of"
    assert said.findings[0].span.since_ms == 10_400


def test_brokers_that_are_fenced_at_once_are_the_controllers_matter() -> None:
    said = answer(*(fenced(each, 10_000, 14_000) for each in BROKERS))
    assert said.findings == ()
    assert any("that is about the controller" in gap for gap in said.gaps)


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
