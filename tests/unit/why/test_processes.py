"""Processes that ended, were frozen or starved, and brokers that only the controller lost."""

from typing import Any

import pytest

from unit.why.made_up import (
    BROKERS,
    STOCK,
    TWO,
    ZERO,
    answer,
    dropped,
    ended,
    fenced,
    found,
    led,
    only,
    paused,
    served,
    unacked,
    where,
)

FROZEN = "frozen or starved"
TO_CONTROLLER = "link to the controller"


def test_a_process_that_did_not_run_is_named_with_its_time() -> None:
    one = only(paused=[paused(2, 10_000, 14_000, 3_500)])
    assert (one.broker, one.cause, one.site) == (2, "process", FROZEN)
    assert (one.span.since_ms, one.span.until_ms) == (10_000, 14_000)
    assert one.evidence[0].value == 3_500


def test_many_short_pauses_are_one_starved_process() -> None:
    one = only(paused=[paused(2, at, at + 400, 400) for at in (10_000, 11_000, 12_000)])
    assert (one.evidence[0].value, one.evidence[1].value) == (1_200, 400)


def test_a_pause_at_an_unknown_time_explains_why_others_missed_the_broker() -> None:
    """Its agent reports while followers fetch, and this broker led nothing."""
    undated = [paused(2, 8_000, 18_000, 3_500)]
    gone = {"fenced": [fenced(2, 12_000, 13_300)]}
    drops = {"dropped": [dropped(1, 2, at_ms=12_900, unseen_ms=2_400)]}
    for seen in (gone, drops, {**gone, **drops}):
        said = answer(undated=undated, reports={}, **seen)
        (one,) = said.findings
        assert (one.broker, one.cause, one.site) == (2, "process", FROZEN)
        assert one.span.until_ms in {12_900, 13_300}
        assert not any("at some time" in gap for gap in said.gaps)


def test_a_pause_at_an_unknown_time_does_not_explain_what_lasted_longer() -> None:
    drops = [dropped(1, 2, at_ms=32_900, unseen_ms=3_400)]
    said = answer(undated=[paused(2, 8_000, 38_000, 1_100)], dropped=drops)
    assert [each.site for each in said.findings] != [FROZEN]
    assert any("did not run for 1,100 ms, at some time in 30 s" in gap for gap in said.gaps)


@pytest.mark.parametrize(
    "pauses",
    [
        [paused(2, 10_000, 11_000, 900)],  # as a garbage collection, or a busy machine
        [paused(2, at, at + 600, 600) for at in (10_000, 20_000)],
    ],
    ids=["short in sum", "far apart"],
)
def test_short_pauses_are_no_finding(pauses: list[Any]) -> None:
    assert found(paused=pauses) == ()


def test_a_fetch_that_waited_for_a_frozen_leader_is_not_blamed_on_its_disk() -> None:
    known = {"served": [served(until=14_100)]}
    assert where(paused=[paused(1, 10_000, 14_000, 3_900)], **known)[:2] == (1, "process")


@pytest.mark.parametrize(("ms", "causes"), [(2_300, ["process"]), (1_500, ["process", "disk"])])
def test_a_fetch_that_waited_for_a_starved_leader_is_not_blamed_on_its_disk(
    ms: float, causes: list[str]
) -> None:
    """As recorded with `cpu-quota`: no pause was reported of the last two seconds."""
    seen = found(paused=[paused(1, 10_000, 12_500, ms)], served=[served(until=15_100)])
    assert [each.cause for each in seen] == causes


@pytest.mark.parametrize(("frozen", "at_ms", "rightly"), [(3, 12_500, True), (1, 14_100, False)])
def test_a_follower_is_blamed_rightly_if_it_was_frozen_and_wrongly_if_its_leader_was(
    frozen: int, at_ms: int, rightly: bool
) -> None:
    """A frozen leader drops its followers when it runs again."""
    drops = [dropped(1, 3, at_ms=at_ms, unseen_ms=2_500 if rightly else 4_000)]
    one = only(paused=[paused(frozen, 10_000, 14_000, 3_900)], dropped=drops)
    assert one.broker == frozen
    assert [(each.follower, each.rightly) for each in one.blamed] == [(3, rightly)]


def test_a_broker_that_was_started_again_had_ended() -> None:
    known: dict[str, Any] = {"ended": [ended(3, 10_000, 15_000)]}
    one = only(**known)
    assert (one.broker, one.cause, one.site) == (3, "process", "ended")
    assert (one.span.since_ms, one.span.until_ms) == (10_000, 15_000)
    one = only(**known, fenced=[fenced(3, 12_000, 18_000)])
    assert (one.span.since_ms, one.span.until_ms) == (12_000, 18_000)


@pytest.mark.parametrize(
    "missed",
    [
        {"unacked": [unacked(3, 17_000, 21_000, TWO)]},
        {"dropped": [dropped(1, 3, at_ms=19_500, unseen_ms=2_500)]},
    ],
    ids=["clients", "a leader"],
)
@pytest.mark.parametrize("agent", [True, False])
def test_a_killed_broker_ended_when_it_was_missed_not_when_it_last_wrote(
    missed: dict[str, Any], *, agent: bool
) -> None:
    """Its agent had nothing to report for 7 s before, and the controller waited for a session."""
    known = {"ended": [ended(3, 10_000, 26_000)], "fenced": [fenced(3, 19_900, 27_000)]}
    one = only(**known, heard=set(BROKERS) if agent else set(), **missed)
    assert (one.site, one.span.since_ms, one.span.until_ms) == ("ended", 17_000, 27_000)


def test_what_a_broker_does_slowly_at_its_start_is_no_finding_of_its_own() -> None:
    slow = [served(one, other, 17_000, 19_000) for one, other in ((3, 1), (1, 3))]
    assert only(ended=[ended(3, 10_000, 15_000)], served=slow).broker == 3


GONE = fenced(2, 10_000, 14_000)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param({}, (2, "network", TO_CONTROLLER), id="its process ran"),
        pytest.param(
            {**STOCK, "unacked": [unacked(2, 9_000, 14_000)]}, (2, "process", "not heard of"),
            id="stock, and its partitions stalled",
        ),
        pytest.param(STOCK, (2, "network", TO_CONTROLLER), id="stock, and they did not"),
        pytest.param(
            # It is back in the ISR and lags: it could not follow while it was fenced.
            {**STOCK, "dropped": [dropped(1, 2, at_ms=14_600)]}, (2, "network", TO_CONTROLLER),
            id="stock, and dropped when it is back",
        ),
    ],
)  # fmt: skip
def test_a_fenced_broker_has_lost_the_controller_or_its_process(
    known: dict[str, Any], expected: tuple[int, str, str]
) -> None:
    assert where(fenced=[GONE], **known) == expected


def test_a_fenced_broker_whose_agent_reported_nothing_may_have_been_frozen() -> None:
    """It led nothing, so that its agent had nothing to report; leaders dropped it for its lag."""
    drops = [dropped(each, 3, at_ms=12_400, unseen_ms=2_400) for each in (1, 2)]
    known = {"fenced": [fenced(3, 12_500, 14_000)], "dropped": drops}
    assert where(**known, reports={}) == (3, "process", "not heard of")


def test_a_fenced_stock_broker_that_led_nothing_is_not_decided() -> None:
    """Neither acks nor followers can show whether its process ran."""
    leads = [led(1, ZERO), led(3, TWO)]
    one = only(fenced=[GONE], leads=leads, **STOCK)
    assert (one.broker, one.cause, one.site) == (2, "undecided", "not heard of")
    assert one.may_be == ("network", "process")


def test_a_broker_that_is_not_heard_of_is_gone_since_others_missed_it() -> None:
    """So the followers that it lost, and the leaders that dropped it, are not slow themselves."""
    one = only(
        fenced=[fenced(3, 14_000, 15_000)], unacked=[unacked(3, 10_400, 15_000)],
        dropped=[dropped(1, 3, at_ms=12_900, unseen_ms=2_400)], reports={}, **STOCK,
    )  # fmt: skip
    assert (one.broker, one.site, one.span.since_ms) == (3, "not heard of", 10_400)


def test_brokers_that_are_fenced_at_once_are_the_controllers_matter() -> None:
    said = answer(fenced=[fenced(each, 10_000, 14_000) for each in BROKERS])
    assert said.findings == ()
    assert any("that is about the controller" in gap for gap in said.gaps)


def test_two_frozen_stock_brokers_are_not_the_controllers_matter() -> None:
    """Their partitions had no acks before they were fenced."""
    both = {
        "fenced": [fenced(each, 10_000, 14_000) for each in (1, 2)],
        "unacked": [unacked(each, 8_000, 14_000) for each in (1, 2)],
    }
    seen = found(**both, **STOCK)
    assert [(each.broker, each.cause) for each in seen] == [(1, "process"), (2, "process")]


def test_brokers_that_are_fenced_at_different_times_are_findings_of_their_own() -> None:
    seen = found(fenced=[fenced(1, 0, 2_000), fenced(2, 30_000, 32_000)])
    assert [each.broker for each in seen] == [1, 2]
