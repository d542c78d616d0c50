"""Leaders that are slow with fetches and appends although their process runs."""

from insync.why.facts import Appended, Dropped, Ended, Fenced, Served
from insync.why.infer import answer_of
from unit.why.made_up import ONE, ZERO, facts
from unit.why.test_processes import only


def test_a_slow_fetch_names_the_leader_not_the_followers() -> None:
    served = [
        Served(leader=1, follower=each, partition=None, since_ms=10_000, until_ms=15_000)
        for each in (2, 3)
    ]
    found = only(answer_of(facts(served=served), "made up").findings)
    assert (found.broker, found.cause, found.site) == (1, "disk", "fetch")
    assert (found.span.since_ms, found.span.until_ms) == (10_000, 15_000)
    assert [(each.follower, each.rightly, each.kept) for each in found.blamed] == [
        (2, False, True), (3, False, True),
    ]  # fmt: skip


def test_a_hold_names_site_and_partition() -> None:
    served = [
        Served(leader=1, follower=2, partition=None, since_ms=10_000, until_ms=15_000),
        Served(
            leader=1, follower=2, partition=ONE, site="send", held=True, since_ms=10_000,
            until_ms=15_000,
        ),
    ]  # fmt: skip
    found = only(answer_of(facts(served=served), "made up").findings)
    assert (found.site, found.partitions) == ("send", (ONE,))
    assert found.blamed[0].partitions == (ONE,)


def test_fetches_at_several_places_name_all_of_them_but_the_rare_ones() -> None:
    """As recorded while appends hung: some fetches waited for a handler, some were being sent."""
    sites = ["queue"] * 3 + ["send"] * 3 + ["read"]
    served = [
        Served(
            leader=1, follower=2, partition=ONE, site=site, held=True, since_ms=10_000,
            until_ms=15_000,
        )
        for site in sites
    ]  # fmt: skip
    assert only(answer_of(facts(served=served), "made up").findings).site == "queue, send"


def test_a_fetch_that_took_less_than_half_of_the_lag_is_no_finding() -> None:
    served = [Served(leader=1, follower=2, partition=None, since_ms=10_000, until_ms=10_900)]
    assert answer_of(facts(served=served), "made up").findings == ()


def test_what_a_leader_itself_found_slow_counts_however_short_it_was() -> None:
    served = [
        Served(
            leader=1, follower=None, partition=ZERO, decided=True, since_ms=10_000, until_ms=10_600
        )
    ]
    assert only(answer_of(facts(served=served), "made up").findings).broker == 1


def test_followers_that_a_slow_leader_dropped_are_no_finding_of_their_own() -> None:
    served = [Served(leader=1, follower=3, partition=None, since_ms=10_000, until_ms=15_000)]
    dropped = [Dropped(at_ms=13_000, leader=1, follower=3, partition=ZERO, unseen_ms=3_000)]
    found = only(answer_of(facts(served=served, dropped=dropped), "made up").findings)
    assert found.broker == 1
    assert [(each.follower, each.rightly, each.kept) for each in found.blamed] == [
        (3, False, False), (3, False, True),
    ]  # fmt: skip


def test_an_append_that_hangs_names_its_site_not_the_lock_that_others_wait_for() -> None:
    appended = [
        Appended(leader=2, partition=ONE, site="append: lock", since_ms=10_000, until_ms=12_500),
        Appended(leader=2, partition=ONE, site="append: log", since_ms=10_000, until_ms=12_000),
    ]
    found = only(answer_of(facts(appended=appended), "made up").findings)
    assert (found.broker, found.cause, found.site) == (2, "disk", "append: log")
    assert found.partitions == (ONE,)


def test_an_append_at_a_brokers_start_is_part_of_the_start() -> None:
    ended = [Ended(broker=2, since_ms=5_000, until_ms=9_000)]
    appended = [
        Appended(leader=2, partition=ONE, site="append: log", since_ms=10_000, until_ms=12_000)
    ]
    found = only(answer_of(facts(ended=ended, appended=appended), "made up").findings)
    assert found.cause == "process"


def test_a_broker_that_asked_for_its_fencing_is_not_said_to_have_lost_the_controller() -> None:
    """As recorded with `fenced-disk`: its appends hung, and it asked the controller."""
    appended = [
        Appended(leader=1, partition=ZERO, site="append: log", since_ms=10_000, until_ms=12_000),
        Appended(
            leader=1, partition=None, site="asks to be fenced", since_ms=12_000, until_ms=35_000
        ),
    ]
    known = facts(appended=appended, fenced=[Fenced(broker=1, since_ms=12_100, until_ms=35_100)])
    found = only(answer_of(known, "made up").findings)
    assert (found.broker, found.cause, found.site) == (1, "disk", "append: log")
    assert found.span.until_ms == 35_000
    known.appended = appended[1:]
    assert only(answer_of(known, "made up").findings).site == "asks to be fenced"
    known.appended = []
    assert only(answer_of(known, "made up").findings).site == "link to the controller"


def test_a_broker_whose_clock_jumped_is_a_gap_not_a_finding() -> None:
    served = [Served(leader=1, follower=2, partition=None, since_ms=10_000, until_ms=15_000)]
    answer = answer_of(facts(served=served, clock_moved={1}), "made up")
    assert answer.findings == ()
    assert any("broker 1: its wall clock jumped" in gap for gap in answer.gaps)
