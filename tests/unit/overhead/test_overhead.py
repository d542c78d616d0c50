"""How arms are compared by what was measured of them; how ProducerPerformance is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands import invoke_refused
from insync.brokers.kafka.versions import DEFAULT
from insync.errors import InsyncError
from insync.overhead.figures import FIGURES, Values, differences
from insync.overhead.load_tool import TOOLS, consumed_per_s, parse
from insync.overhead.rounds import recorded

NAMES = [spec.name for spec in FIGURES]
SUMMARY = (
    "5000 records sent, 4512.6 records/sec (4.30 MB/sec), 12.34 ms avg latency, 345.00 ms max"
    " latency, 5 ms 50th, 30 ms 95th, 100 ms 99th, 200 ms 99.9th.\n"
)


def all_figures(value: float) -> Values:
    return dict.fromkeys(NAMES, value)


def of(figure: str, rounds: list[Mapping[str, Values]]) -> dict[str, object]:
    (found,) = (each for each in differences(rounds, "stock") if each.figure == figure)
    return found.as_json()


def test_six_rounds_in_which_each_differs_show_that_an_arm_differs() -> None:
    rounds = [{"stock": all_figures(100 + n), "off": all_figures(110 + n)} for n in range(6)]
    found = of("bytes_per_fetch", rounds)
    assert found["differs"] is True
    assert found["change"] == pytest.approx(10 / 102.5)
    assert found["low"] == found["high"] == found["change"]
    assert found["p"] == pytest.approx(2 / 2**6)


def test_an_arm_that_is_once_above_and_once_below_does_not_differ() -> None:
    rounds = [{"stock": all_figures(100), "off": all_figures(100 + (-1) ** n)} for n in range(8)]
    found = of("bytes_per_fetch", rounds)
    assert found["differs"] is False
    assert found["rounds_for_1_percent"] == 7


def test_too_few_rounds_give_no_interval_and_no_claim() -> None:
    rounds = [{"stock": all_figures(1), "off": all_figures(9)}] * 5
    found = of("waited_per_fetch", rounds)
    assert (found["differs"], found["low"], found["high"], found["p"]) == (None, None, None, None)
    assert found["change"] == 8


def test_a_round_without_the_arm_or_the_baseline_does_not_count() -> None:
    rounds: list[Mapping[str, Values]] = [
        {"stock": all_figures(2), "off": all_figures(3)},
        {"stock": all_figures(50)},
        {"off": all_figures(90)},
    ]
    assert of("p50_ms", rounds)["value"] == 3


def test_a_figure_of_which_stock_has_none_has_no_relative_change() -> None:
    rounds = [{"stock": all_figures(0), "off": all_figures(0.5)}] * 6
    found = of("blocked_per_fetch", rounds)
    assert (found["change"], found["low"], found["differs"]) == (None, None, True)


@given(st.lists(st.floats(1, 1e6), min_size=6, max_size=12))
def test_two_equal_builds_show_no_difference(values: list[float]) -> None:
    rounds = [{"stock": all_figures(value), "off": all_figures(value)} for value in values]
    assert not any(each.differs for each in differences(rounds, "stock"))


def test_what_an_interrupted_measurement_left_is_not_measured_again(tmp_path: Path) -> None:
    lines = tmp_path / "overhead.jsonl"
    first = {"round": 1, "arm": "stock", "p50_ms": 3.0}
    second = {"round": 2, "arm": "off", "p50_ms": 4.0}
    lines.write_text(f"{json.dumps(first)}\n{json.dumps(second)}\n" + '{"round": 2, "arm')
    assert recorded(tmp_path, 1) == [{"stock": {"p50_ms": 3.0}}]
    assert recorded(tmp_path, 3) == [{"stock": {"p50_ms": 3.0}}, {"off": {"p50_ms": 4.0}}, {}]
    assert lines.read_text().endswith("4.0}\n"), "the next line begins a line"


def test_the_summary_of_the_last_lines_is_read() -> None:
    before = SUMMARY.replace("5000 records sent", "100 records sent")
    made = parse(before + SUMMARY, 0, 5000)
    assert (made.sent, made.records_per_s) == (5000, 4512.6)
    assert (made.p50_ms, made.p99_ms, made.p999_ms) == (5, 100, 200)


@pytest.mark.parametrize(("code", "records"), [(1, 5000), (0, 5001)])
def test_a_producer_that_failed_or_sent_less_is_an_error(code: int, records: int) -> None:
    with pytest.raises(InsyncError, match=f"ended with {code}: 5000 records sent"):
        parse(SUMMARY, code, records)


CONSUMED = (
    "2026-11-26 03:00:01:250, 2026-11-26 03:00:04:250, 4.7684, 1.5895, 5000, 1666.6667, 2000, 1000,"
    " 4.7684, 5000.0000\n"
)


def test_the_rate_of_a_consumer_is_that_of_its_fetches() -> None:
    assert consumed_per_s(f"[warning]\n{CONSUMED}", 0, 5_000) == 5_000


@pytest.mark.parametrize(
    ("output", "code", "records"), [(CONSUMED, 1, 5_000), (CONSUMED, 0, 5_001), ("", 0, 1)]
)
def test_a_consumer_that_failed_or_got_less_is_an_error(
    output: str, code: int, records: int
) -> None:
    with pytest.raises(InsyncError, match=f"ConsumerPerformance ended with {code}: "):
        consumed_per_s(output, code, records)


def test_the_tool_has_the_version_of_the_class_path_it_runs_on() -> None:
    assert TOOLS.revision == DEFAULT


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--arms", "off,read"], "--arms off,read: expected stock and other arms, each once"),
        (["--arms", "stock"], "--arms stock: expected stock and other arms"),
        (["--acks", "0"], "--acks 0: expected all or 1"),
        (["--rate", "0"], "--rate 0: expected -1, or"),
        (["--kafka", "9.9.9"], "9.9.9"),
    ],
)
def test_bad_input_is_one_line(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert said in invoke_refused(capsys, "bench", "overhead", *arguments)
