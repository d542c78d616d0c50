"""The report's tables: arms side by side, the large picture, faults, clocks."""

from collections import defaultdict
from dataclasses import replace

from insync import metrics
from insync.events.run_info import RunInfo
from insync.events.verdict import Verdict
from insync.nodes import CONTROLLER_ID
from insync.report import sections
from insync.report.render import environment
from insync.report.sections import _clocks, isr_table, latency_table, table
from insync.report.timeline.timelines import FaultSpan, IsrSpan, LatencyPoint, Timeline
from unit.run_folder import Story, run_json
from unit.verdict.made_up import verdict
from unit.verdict.test_decide import RUN

FAULT = {
    "arm": "stock", "repeat": 0, "target": ["t-0"], "planned_ms": 5_000, "figures": None,
    "calls_held": 2, "longest_held_ms": 5_000.0, "held_ms": 9_000.0,
}  # fmt: skip


def judged(**known: list[float | None]) -> Verdict:
    arm = {**{name: [None] * 3 for name in metrics.of_verdict()}, **known, "repeats": 3}
    other = {**arm, **{name: [1.0] * 3 for name in known}}
    return verdict(arms={"stock": arm, "request": other})


def timeline(arm: str, *points: tuple[float, float]) -> Timeline:
    spans = (
        IsrSpan(0, 1, (1, 2, 3), 3, 0.0, 4.0, "full"),
        IsrSpan(0, -1, (1,), 3, 4.0, 10.0, "offline"),
    )
    acks = tuple(LatencyPoint(None, since, 0.05, 1.0, most) for since, most in points)
    one = LatencyPoint(0, 0.0, 0.05, 1.0, 99_999.0)
    return Timeline(arm, 0, 10.0, True, spans, (), (), (one, *acks))


def test_arms_are_side_by_side_with_median_and_range_of_their_repeats() -> None:
    known = judged(isr_shrinks=[0.0, 4.0, 2.0], lost=[0, 0, 0], acked=[9, None, 7])
    found = sections.side_by_side(known)
    assert list(found.differ.columns) == ["metric", "stock", "request"]
    rows = {row[0]: row[1] for row in found.differ.rows}
    assert rows == {"ISR shrinks": "2 (0 to 4)", "lost": "0", "acked": "8 (7 to 9), 1 not known"}
    assert not found.differ.grouped


def test_a_metric_without_data_in_any_arm_is_omitted() -> None:
    assert sections.side_by_side(judged()).count == 0


def test_the_slowest_ack_of_each_time_slice_is_beside_the_other_arms() -> None:
    stock = timeline("stock", (0.1, 5.0), (0.3, 40.0), (9.9, 7.0))
    found = latency_table([stock, timeline("request")])
    assert list(found.columns) == ["repeat", "from, s", "to, s", "stock", "request"]
    assert found.rows[0] == ["1", "0", "0.5", "40.0", "\N{EN DASH}"]
    assert {row[3] for row in found.rows[1:-2]} == {"\N{EN DASH}"}
    assert "7.0" in [row[3] for row in found.rows]


def test_every_span_of_the_lanes_is_in_the_table_in_words() -> None:
    first, second = (row[3:] for row in isr_table([timeline("stock")]).rows)
    assert first == ["0.00", "4.00", "1", "1, 2, 3", "all replicas in sync"]
    assert second == ["4.00", "10.00", "none", "1", "no leader"]


def test_each_fault_has_its_name_in_full_and_its_own_evidence() -> None:
    rows = [{**FAULT, "fault_no": number, "acted_ms": 1_000.0 * number} for number in range(2)]
    named = tuple(FaultSpan(name, 1, 0.0, 1.0) for name in ("link 1-3 cut", "link 1-2 + 50 ms"))
    pictures = [replace(timeline("stock"), faults=named)]
    tables = sections.details(RUN, defaultdict(list, faults=rows), pictures)
    found = next(each for each in tables if each.title == "Faults and their evidence")
    assert found.columns[2:6] == ["fault", "target", "planned, ms", "acted, ms"]
    assert [row[2] for row in found.rows] == ["link 1-3 cut", "link 1-2 + 50 ms"]
    assert [row[5].replace("\u202f", "") for row in found.rows] == ["0", "1000"]


def test_expectations_differ_by_more_than_colour() -> None:
    outcomes = ("pass", "fail", "unknown")
    found = [{"arm": "stock", "expected": "x", "outcome": each} for each in outcomes]
    marks = [row[2] for row in sections.expectations(verdict(findings=found)).rows]
    assert marks == ["\u2713 pass", "\u2717 fail", "? unknown"]


def test_a_tables_anchor_does_not_depend_on_the_rest_of_its_title() -> None:
    text = environment().from_string('{% from "table.html.j2" import folded %}{{ folded(t) }}')
    assert 'id="arms"' in text.render(t=table("Arms: of 3", "a", [], "", set()))


ALONE = RunInfo.model_validate(run_json(Story(arms=("stock",), repeats=1)))


def test_a_clock_may_be_behind_or_ahead() -> None:
    read = {"arm": "stock", "repeat": -1, "error_ms": 0.75}
    ahead = [(CONTROLLER_ID, 3_250.0), (1, -0.4)]
    clocks = [{**read, "broker": broker, "ahead_ms": by} for broker, by in ahead]
    assert _clocks(ALONE, {"clocks": clocks}).rows == [
        ["stock", "broker 1", "-0.4", "0.8"], ["stock", "the controller", "3\u202f250", "0.8"],
    ]  # fmt: skip


def test_clocks_that_were_not_read_are_not_said_to_agree() -> None:
    found = _clocks(ALONE, {"clocks": []})
    assert not found.rows
    assert "Not measured" in found.empty
