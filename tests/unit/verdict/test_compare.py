"""Compares arms: medians, the reported sentences, and missing data."""

from dataclasses import replace
from typing import Any

import pytest

from insync.analysis.verdict.decide import decide
from insync.events.run_info import ArmLimit, RunInfo
from insync.events.verdict import Verdict
from unit.verdict.made_up import with_scenario
from unit.verdict.test_decide import PLUGIN, RUN, STOCK, measured, run_of


def comparing(metric: str = "max_ack_gap_ms", **known: Any) -> RunInfo:
    """Return a run whose scenario compares a metric of the plugin with that of stock."""
    limit = ArmLimit(**{"metric": metric, "arm": "plugin", "against": "stock", **known})
    return with_scenario(RUN, compare=(limit,))


def check(own: float | None, other: float | None, **factor: Any) -> Verdict:
    """Judge a run whose plugin's second repeat has `own` gap, and whose stock's has `other`."""
    stock, plugin = measured(STOCK, max_ack_gap_ms=other), measured(PLUGIN, max_ack_gap_ms=own)
    return decide(comparing(**factor), run_of(stock, plugin))


@pytest.mark.parametrize(
    ("own", "factor", "outcome"),
    [
        (48.0, {"at_most": 1.1}, "pass"),  # the medians are 44 and 40
        (50.0, {"at_most": 1.1}, "fail"),
        (40.0, {"below": 1.0}, "fail"),
        (39.0, {"below": 1.0}, "pass"),
        (30.0, {"at_least": 0.9}, "fail"),
        (32.0, {"at_least": 0.9}, "pass"),
    ],
)
def test_medians_are_compared(own: float, factor: dict[str, float], outcome: str) -> None:
    assert check(own, 40.0, **factor).verdict == outcome


def test_a_failed_comparison_names_both_figures_and_a_passed_one_is_reported() -> None:
    broken = check(60.0, 40.0, at_most=1.1).reason
    assert broken == (
        "plugin: max_ack_gap_ms was 50, expected at most 1.1 times that of stock, which was 40"
    )
    held = check(40.0, 41.0, below=1.0).reason
    assert "plugin max_ack_gap_ms less than that of stock (40; stock: 40.5)" in held


def test_a_comparison_without_data_is_unknown_never_passed() -> None:
    found = decide(comparing("first_shrink_ms", at_most=2.0), run_of())
    assert found.verdict == "unknown"
    assert found.reason == "plugin: no data for first_shrink_ms of plugin, stock to compare"


def test_a_comparison_with_an_arm_that_was_not_run_is_unknown_and_names_it() -> None:
    found = decide(comparing("acked", against="read", below=0.5), run_of())
    assert found.verdict == "unknown"
    assert found.reason == "plugin acked was not compared with that of read, which was not run"


@pytest.mark.parametrize(("arm", "against"), [("request", "stock"), ("plugin", "time")])
def test_arms_with_the_same_brokers_are_one_in_a_comparison(arm: str, against: str) -> None:
    found = decide(comparing(arm=arm, against=against, below=1.0), run_of())
    assert found.verdict == "fail"
    assert "plugin: max_ack_gap_ms was 40, expected less than that of stock" in found.reason


def test_a_cell_is_compared_with_the_arms_of_its_run() -> None:
    found = check(60.0, 40.0, at_most=1.1)
    assert (found.cell("plugin").outcome, found.cell("stock").outcome) == ("fail", "pass")


def test_a_cell_is_not_compared_with_an_arm_whose_repeats_prove_nothing() -> None:
    for broken, words in (
        (replace(STOCK, complete=False), "was cut short"),
        (replace(STOCK, faults=()), "no evidence of the read stall at broker 1"),
    ):
        found = decide(comparing(at_most=1.0), run_of(stock=broken)).cell("plugin")
        assert found.outcome == "unknown"
        assert found.reason.startswith(
            "plugin: max_ack_gap_ms cannot be compared with that of stock, repeat 2: "
        )
        assert words in found.reason
        (one,) = (each for each in found.findings if each.expected.startswith("max_ack_gap_ms"))
        assert one.outcome == "unknown"
