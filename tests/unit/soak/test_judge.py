"""The verdict of a soak on made-up samples: one thing is wrong in each."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from insync.errors import InputError
from insync.events.soak_info import SoakSample
from insync.report.result_page import render_result
from insync.report.soak import pictures
from insync.result import Result
from insync.soak.campaign import Soak
from insync.soak.judge import DISCONNECT, checks, quiet

NO_MARKS = {1: 0, 2: 0, 3: 0}
ENDING = quiet(NO_MARKS, None, 0)
DISTURBED = {"topics were created and deleted": 5}
COUNT = 60
EVERY_S = 60.0


def samples(count: int = COUNT, agent: bool = True, **grows: float) -> list[SoakSample]:
    """Return samples of three brokers; a figure of broker 2 grows by so much at each step."""
    return [
        _sample(number, broker, grows if broker == 2 else {}, agent=agent)
        for number in range(count)
        for broker in (1, 2, 3)
    ]


def _sample(number: int, broker: int, grows: dict[str, float], *, agent: bool) -> SoakSample:
    values: dict[str, Any] = {
        "heap_mb": 60.0 + number % 3, "threads": 90, "handles": 300, "fetches": 1_000 * number,
        "evicted": number, "closed": 2 * number, "after": DISCONNECT if number % 4 == 1 else "",
    }  # fmt: skip
    if agent:
        values |= {"pending": 2, "errors": 0, "dropped": 0}
    for name, step in grows.items():
        values[name] = type(values[name])(values[name] + step * number)
    return SoakSample(t_s=EVERY_S * number, broker=broker, **values)


def judged(
    found: Sequence[SoakSample],
    ending: Sequence[Result] = ENDING,
    disturbed: Mapping[str, int] = DISTURBED,
) -> tuple[str, list[Result]]:
    whole = Result(of="soak", children=checks(found, ending, disturbed, 600.0))
    return whole.outcome, [each for _, each in whole.checks() if each.outcome.is_problem]


def test_brokers_in_which_nothing_grows_pass() -> None:
    assert judged(samples()) == ("pass", [])


def test_brokers_without_the_agent_pass_without_its_figures() -> None:
    assert judged(samples(agent=False), quiet({}, None, 0)) == ("pass", [])


@pytest.mark.parametrize(
    ("figure", "words", "step"),
    [
        ("heap_mb", "heap after a collection", 0.5),
        ("threads", "threads", 1),
        ("handles", "open file descriptors", 2),
        ("pending", "marks of pending fetches", 1),
    ],
)
def test_one_broker_in_which_a_figure_grows_fails(figure: str, words: str, step: float) -> None:
    outcome, (wrong,) = judged(samples(**{figure: step}))
    assert (outcome, wrong.of) == ("fail", f"broker 2, {words}")
    low = float(wrong.found.partition("(")[2].split()[0])
    allowed = float(wrong.expected.split()[2])
    assert low > allowed


def test_a_growth_in_the_warm_up_alone_passes() -> None:
    found = [
        each.model_copy(update={"heap_mb": each.heap_mb - 30.0}) if each.t_s < 600 else each
        for each in samples()
    ]
    assert judged(found)[0] == "pass"


@pytest.mark.parametrize("figure", ["errors", "dropped"])
def test_an_error_of_the_agent_or_a_lost_event_fails(figure: str) -> None:
    word, (wrong,) = judged(samples(**{figure: 0.02}))
    assert word == "fail"
    assert wrong.of.startswith("broker 2, ")


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (quiet({1: 0, 2: 1, 3: 0}, None, 0), "marks that are left when all is quiet"),
        (quiet(NO_MARKS, "(replicas, ISR)", 0), "ISRs at the end"),
        (quiet(NO_MARKS, None, 1), "records that were not acked"),
    ],
)
def test_what_is_left_at_the_end_fails(ending: Sequence[Result], words: str) -> None:
    word, (wrong,) = judged(samples(), ending)
    assert word == "fail"
    assert words in wrong.of
    assert (wrong.expected, wrong.found) != ("0", "0")


def test_a_disturbance_that_did_not_happen_is_unknown() -> None:
    word, (open_check,) = judged(samples(), disturbed=dict.fromkeys(DISTURBED, 0))
    assert (word, open_check.of) == ("unknown", *DISTURBED)


@pytest.mark.parametrize("counter", ["evicted", "closed"])
def test_disturbances_without_the_brokers_evidence_are_unknown(counter: str) -> None:
    found = [each.model_copy(update={counter: 3}) for each in samples()]
    assert judged(found)[0] == "unknown"


def test_connections_that_end_at_other_times_are_no_evidence_of_a_disconnect() -> None:
    found = []
    for each in samples():
        number = int(each.t_s / EVERY_S)
        disconnects = (number + 3) // 4  # up to this sample
        found.append(each.model_copy(update={"closed": number - disconnects}))
    assert judged(found)[0] == "unknown"


def test_too_short_a_soak_is_unknown_and_says_so() -> None:
    word, open_checks = judged(samples(count=20))
    assert word == "unknown"
    assert all("too few to judge" in each.found for each in open_checks)


def test_the_page_has_what_was_found_and_every_figure_over_time() -> None:
    found = samples(heap_mb=0.5)
    whole = Result(
        of="arm request", children=checks(found, ENDING, DISTURBED, 600.0),
        facts={"a": "<b>"},
    )  # fmt: skip
    page = render_result(whole, Soak("4.3.1", "request", 50), pictures(found, 600.0))
    assert page.count("<polyline") == 3 * 5
    assert "broker 2, heap after a collection" in page
    assert "&lt;b&gt;" in page
    assert "<b>&lt;" not in page


@pytest.mark.parametrize("minutes", [0, -1, float("nan"), float("inf")])
def test_a_time_that_is_none_is_refused_in_one_line(minutes: float) -> None:
    with pytest.raises(InputError, match=r"^--minutes \S+: expected more than 0$"):
        Soak("4.3.1", "stock", minutes)


def test_an_arm_that_a_soak_does_not_have_is_refused() -> None:
    with pytest.raises(InputError, match=r"^--arm off: expected one of stock, read, request"):
        Soak("4.3.1", "off", 10)


def test_the_warm_up_is_a_share_of_a_short_soak_and_five_minutes_of_a_long_one() -> None:
    soak = Soak("4.3.1", "step-down", 10)
    assert (soak.warm_up_s, Soak("4.3.1", "step-down", 150).warm_up_s) == (120, 300)
    assert soak.settings["leader.fetch.process.time.max.ms"] == "1000"
    assert "leader.fetch.process.time.max.ms" not in Soak("4.3.1", "read", 10).settings


def test_a_soak_that_has_not_ended_is_unknown(tmp_path: Path) -> None:
    soak = Soak("4.3.1", "stock", 10)
    begun = Result(of="soak", children=(Result(of="not run yet"),))  # as the engine writes it
    for result in (soak.judge({}), begun):
        soak.write(tmp_path, result)
        assert Result.read(tmp_path / "verdict.json", "a soak").outcome == "unknown"
