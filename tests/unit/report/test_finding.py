"""The finding of a page: one sentence, made of the figures of the arms and of what was expected."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from insync.events.run_info import Bound
from insync.events.verdict import Cell
from insync.metrics import METRICS, Metric, of_verdict
from insync.report.headline import NOTHING, Figures, of_matrix, subject
from insync.report.headline import finding as finding_of
from insync.scenario.groups import groups
from insync.scenario.load import parse, source
from unit.verdict.made_up import cell

Values = Mapping[str, Sequence[float | None]]

NONE_EXPECTED = Bound(max=0)
SOME_EXPECTED = Bound(min=1)
DROPPED = "dropped followers from the ISR in"


def differ(metric: str) -> dict[str, dict[str, Bound]]:
    """Expect something of stock, and nothing of request."""
    return {"stock": {metric: SOME_EXPECTED}, "request": {metric: NONE_EXPECTED}}


def figures(
    expected: Mapping[str, Mapping[str, Bound]], below: Sequence[str] = (), **values: Values
) -> Figures:
    """Return figures of arms; `values` map a metric to the values of each arm."""
    arms = list(dict.fromkeys(arm for of_metric in values.values() for arm in of_metric))
    by_arm = {arm: {name: of[arm] for name, of in values.items() if arm in of} for arm in arms}
    return Figures(expected, by_arm, below)


def finding(of_run: Figures) -> str:
    return finding_of([of_run], "repeats")


def matrix_finding(cells: Sequence[Cell]) -> str:
    return finding_of(of_matrix(cells), "scenarios")


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"stock": [2, 2, 1], "request": [0, 0, 0]}, "Stock {} 3 of 3 repeats; request in 0 of 3"),
        (
            {"stock": [2], "off": [4], "read": [0], "request": [0]},
            "Stock and off {} 1 of 1 repeats; read and request in 0 of 1",
        ),
        (
            {"stock": [2, 2], "read": [0, 1], "request": [0, 0]},
            "Stock {} 2 of 2 repeats; read in 1 of 2; request in 0 of 2",
        ),
        ({"stock": [2, None], "request": [0, 0]}, "Stock {} 1 of 1 repeats; request in 0 of 2"),
        ({"stock": [2], "request": [None]}, "Stock {} 1 of 1 repeats; of request it is not known"),
        ({"stock": [2], "request": [3]}, "Every arm {} 1 of 1 repeats"),
        ({"stock": [0, 0], "request": [0, 0]}, "Every arm {} 0 of 2 repeats"),
        ({"stock": [0]}, "Stock {} 0 of 1 repeats"),
        ({"stock": [None], "request": [None]}, NOTHING),
    ],
)
def test_an_event_is_counted_by_arm(values: Values, sentence: str) -> None:
    found = finding(figures(differ("isr_shrinks"), isr_shrinks=values))
    assert found == sentence.format(DROPPED)


@pytest.mark.parametrize(
    ("metric", "values", "sentence"),
    [
        (
            "max_ack_gap_ms", {"stock": [25_100], "request": [25_400], "step-down": [2_300]},
            "The longest gap between acks was 25.1 s in stock; 25.4 s in request;"
            " 2.3 s in step-down",
        ),
        (
            "max_ack_gap_ms", {"stock": [3_900, 3_800, 3_850], "request": [3_700, 3_850, 3_900]},
            "The longest gap between acks was 3.9 s in every arm (median of 3 repeats)",
        ),
        (
            "detected_ms", {"time": [2_400.0], "messages-4": [600.0], "messages-4000": [None]},
            "The follower at fault was out of the ISR after 2.4 s in time; 600 ms in messages-4;"
            " never in messages-4000",
        ),
        (
            "min_isr_size", {"stock": [1], "elr-off": [1], "request": [2]},
            "The smallest ISR had 1 replica in stock and elr-off; 2 replicas in request",
        ),
    ],
)  # fmt: skip
def test_a_median_is_written_once_for_arms_that_have_the_same(
    metric: str, values: Values, sentence: str
) -> None:
    first, *_, last = values
    expected = {first: {metric: Bound(min=10)}, last: {metric: Bound(max=5)}}
    assert finding(figures(expected, **{metric: values})) == sentence


def test_what_only_one_arm_has_is_not_the_subject_if_another_figure_is_known_of_all() -> None:
    """Stock has no step-downs: nobody asks how the arms compare in them."""
    none, short = {"step_downs": NONE_EXPECTED}, {"max_ack_gap_ms": Bound(max=4_000)}
    found = figures(
        {"stock": short, "step-down": {**none, **short}},
        step_downs={"stock": [None], "step-down": [0]},
        max_ack_gap_ms={"stock": [2_400], "step-down": [1_200]},
    )
    assert finding(found) == "The longest gap between acks was 2.4 s in stock; 1.2 s in step-down"


def test_lost_records_come_before_anything_that_was_expected() -> None:
    lost = {"stock": [0], "request": [3]}
    found = figures(differ("isr_shrinks"), isr_shrinks={"stock": [2], "request": [0]}, lost=lost)
    assert finding(found) == "Request lost acked records in 1 of 1 repeats; stock in 0 of 1"


@pytest.mark.parametrize(
    ("label", "kind", "sentence"),
    [
        ("lost toys", {"integrity": True}, "Stock had lost toys in {}; request in 0 of 1"),
        ("most toys", {"better": None}, "The most toys was 3 in stock; 0 in request"),
    ],
)
def test_a_metric_without_words_goes_by_its_label(
    label: str, kind: dict[str, Any], sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METRICS, "toys", Metric("toys", "", says="", label=label, **kind))
    assert finding(figures(differ("toys"), toys={"stock": [3], "request": [0]})) == sentence.format(
        "1 of 1 repeats"
    )


def test_the_finding_is_about_what_the_arms_are_expected_to_differ_in() -> None:
    """Step-downs are about the gap; that leaders change is how, and nobody claims more shrinks."""
    expected = {
        "stock": {"max_ack_gap_ms": Bound(min=20_000), "leader_changes": NONE_EXPECTED},
        "step-down": {"max_ack_gap_ms": Bound(max=4_000), "leader_changes": Bound(min=2)},
    }
    found = figures(
        expected,
        isr_shrinks={"stock": [2], "step-down": [0]},
        leader_changes={"stock": [0], "step-down": [2]},
        max_ack_gap_ms={"stock": [25_000], "step-down": [2_000]},
    )
    assert subject(found) == "max_ack_gap_ms"


def test_what_is_expected_of_all_arms_alike_is_the_subject_only_if_nothing_else_is() -> None:
    expected = {arm: {"isr_shrinks": NONE_EXPECTED} for arm in ("stock", "plugin")}
    gaps = {"stock": [900], "plugin": [90]}
    found = figures(expected, isr_shrinks={"stock": [0], "plugin": [0]}, max_ack_gap_ms=gaps)
    assert finding(found) == "Every arm dropped followers from the ISR in 0 of 1 repeats"


def test_of_a_comparison_the_subject_is_its_metric() -> None:
    found = figures(
        {"stock": {"max_ack_gap_ms": Bound(min=1)}},
        below=["leader_changes"],
        max_ack_gap_ms={"stock": [900], "step-down": [90]},
        leader_changes={"stock": [0], "step-down": [2]},
    )
    assert finding(found) == "Step-down changed leaders in 1 of 1 repeats; stock in 0 of 1"


REPEATS = st.lists(st.one_of(st.none(), st.integers(0, 99_999)), min_size=1, max_size=4)
ARMS = st.fixed_dictionaries({"stock": REPEATS, "request": REPEATS})


@given(st.dictionaries(st.sampled_from(of_verdict()), ARMS, max_size=5))
def test_any_figures_have_a_finding(values: Mapping[str, Values]) -> None:
    text = finding(figures({}, **values))
    assert text[0].isupper()
    assert not text.endswith(".")


def test_every_metric_that_a_scenario_bounds_has_words_for_the_finding() -> None:
    for group in groups().values():
        for name in group.scenarios:
            scenario = parse(source(name), name)
            bounded = {metric for bounds in scenario.expect.values() for metric in bounds}
            for metric in bounded | {each.metric for each in scenario.compare}:
                assert METRICS[metric].did or METRICS[metric].measured, (name, metric)


def shrinks(scenario: str, arm: str, count: int, **bound: int) -> Cell:
    return cell(scenario, arm, isr_shrinks=[count], expected={"isr_shrinks": bound})


CELLS = [
    shrinks("read-stall", "stock", 2, min=1), shrinks("read-stall", "request", 0, max=0),
    shrinks("send-stall", "stock", 2, min=1), shrinks("send-stall", "request", 0, max=0),
    shrinks("dead-follower", "stock", 3, min=1), shrinks("dead-follower", "request", 3, min=1),
]  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (CELLS, "Where the arms should differ, stock {} 2 of 2 scenarios; request in 0 of 2"),
        (CELLS[:4], "Stock {} 2 of 2 scenarios; request in 0 of 2"),
        (CELLS[2:], "Where the arms should differ, stock {} 1 of 1 scenarios; request in 0 of 1"),
        (CELLS[4:], "Every arm {} 1 of 1 scenarios"),
    ],
)
def test_a_matrix_counts_the_scenarios_in_which_arms_should_differ(
    cells: list[Cell], sentence: str
) -> None:
    assert matrix_finding(cells) == sentence.format(DROPPED)


def test_a_matrix_with_lost_records_or_without_a_judged_cell_says_so() -> None:
    bad = cell("freeze", "request", isr_shrinks=[0], lost=[7])
    fine = [cell(each.scenario, each.arm, isr_shrinks=[2], lost=[0]) for each in CELLS]
    assert matrix_finding([*fine, bad]) == (
        "Request lost acked records in 1 of 4 scenarios; stock in 0 of 3"
    )
    assert matrix_finding([cell("x", "stock", outcome="skipped", repeats=0)]) == NOTHING
