"""Processes that ended, were frozen or starved, and brokers that only the controller lost."""

from typing import Any

import pytest

from unit.why.made_up import (
    BROKERS,
    STOCK,
    TWO,
    ZERO,
    answer,
    case,
    dropped,
    ended,
    fenced,
    judged,
    led,
    only,
    paused,
    served,
    told,
    unacked,
)

FROZEN = "process: frozen or starved"
NO_CONTROLLER = "network: link to the controller"
GONE = fenced(2, 10_000, 14_000)
UNDATED: dict[str, Any] = {"undated": [paused(2, 8_000, 18_000, 3_500)], "reports": {}}
"""Its agent reports while followers fetch, and this broker led nothing."""
MISSED = fenced(2, 12_000, 13_300)
LEFT = dropped(1, 2, at_ms=12_900, unseen_ms=2_400)
KILLED = fenced(3, 19_900, 27_000)
CASES = [
    case("a garbage collection, or a busy machine", "", paused(2, 10_000, 11_000, 900)),
    case("short pauses far apart", "", *(paused(2, at, at + 600, 600) for at in (10_000, 20_000))),
    case("a pause at an unknown time, as the controller missed it", f"2 {FROZEN}",
         MISSED, **UNDATED),
    case("a pause at an unknown time, as a leader missed it", f"2 {FROZEN}", LEFT, **UNDATED),
    case("a pause at an unknown time, as both missed it", f"2 {FROZEN}", MISSED, LEFT, **UNDATED),
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
]  # fmt: skip


@pytest.mark.parametrize(("expected", "seen", "known"), CASES)
def test_whose_process_did_not_run(expected: str, seen: Any, known: dict[str, Any]) -> None:
    assert told(answer(*seen, **known)) == expected


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
