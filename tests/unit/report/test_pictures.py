"""The pictures' coordinates: what a reader must be able to see in them."""

from dataclasses import replace

import pytest

from insync.analysis.tables.rows import Rows
from insync.events.run_info import RunInfo
from insync.report.timeline.detail import (
    FILL,
    HEIGHT,
    Chart,
    Scale,
    in_full,
    latency_lines,
    scale_of,
)
from insync.report.timeline.lanes import LANE, LEAST_WIDTH, WIDTH, cells, levels, tick_step
from insync.report.timeline.timelines import (
    FaultSpan,
    IsrSpan,
    LatencyPoint,
    LeaderChange,
    Shrink,
    Timeline,
    Wait,
    change_in_short,
    changes_sentence,
    delayed_sentence,
    lateness,
    timelines,
    waits_sentence,
)

FULL = IsrSpan(0, 1, (1, 2, 3), 3, 0.0, 4.0, "full")
DIP = IsrSpan(0, 1, (1,), 3, 4.0, 4.001, "under")
REST = IsrSpan(0, 1, (1, 2, 3), 3, 4.001, 10.0, "full")
STALL = FaultSpan("read stall at broker 1", 1, 2.0, 4.0)


def timeline(*spans: IsrSpan, latency: tuple[LatencyPoint, ...] = ()) -> Timeline:
    return Timeline("stock", 0, 10.0, True, spans, (), (STALL,), latency)


def test_rows_become_timelines_in_seconds_from_the_repeats_start(run: RunInfo, rows: Rows) -> None:
    found = timelines(run, rows)
    assert [(s.arm, s.repeat) for s in found] == [
        (arm, repeat) for arm in ("stock", "plugin") for repeat in range(3)
    ]
    stock = found[0]
    assert (stock.length_s, stock.complete) == (10.0, True)
    assert stock.faults == (FaultSpan("read stall at broker 1", 1, 2.0, 7.0, (0, 1)),)
    shrinks = [(shrink.partition, shrink.at_s, shrink.after) for shrink in stock.shrinks]
    assert shrinks == [(0, 7.015, (1,)), (1, 7.015, (1,))]
    assert stock.shrinks[0].cause == "leader: read stall"
    assert stock.shrinks[0].fault == stock.faults[0]
    assert found[3].shrinks == ()


def test_a_late_shrink_shows_when_it_was_due_and_what_delayed_it(run: RunInfo, rows: Rows) -> None:
    first = timelines(run, rows)[0]
    (cell,) = cells([first])
    assert cell.arrows[0].text == (
        "shrink at 7.01 s, when a fault ended; the lag limit passed at 4.00 s, the"
        " shrink came at 7.01 s: the isr-expiration task waited for the lock of the stalled read"
    )
    marks = chart_of(first).marks
    assert sum("limit passed at 4.00 s" in mark.text for mark in marks) == 2
    assert delayed_sentence(list(first.shrinks)) == (
        " 2 of 2 shrinks came 3.0 s after the lag limit had passed."
    )


@pytest.mark.parametrize(
    ("cause", "moment", "why"),
    [
        ("leader: queue-stall", "during", "waited for the lock"),
        ("leader: disk-stall", "on_lift", "waited for the lock"),
        ("leader: freeze", "on_lift", "the leader was not running"),
        ("leader: read stall", "after", "later than the next run"),
        ("follower: freeze", "during", "later than the next run"),
    ],
)
def test_the_cause_of_a_late_shrink_depends_on_the_fault(cause: str, moment: str, why: str) -> None:
    late = Shrink(0, 8.0, 1, (1, 2), (1,), cause, None, moment, 4.0, delayed=True)
    assert why in lateness(late)
    assert lateness(replace(late, delayed=False)) == ""


def test_a_dip_of_one_millisecond_is_still_visible() -> None:
    (cell,) = cells([timeline(FULL, DIP, REST)])
    dip = cell.bars[-1]
    assert dip.state == "under"
    assert dip.width == LEAST_WIDTH
    assert dip.filled < cell.bars[0].filled


def test_a_line_below_a_lane_shows_when_its_acks_waited() -> None:
    acks = (
        LatencyPoint(0, 1.0, 0.5, 5.0, 999.0),  # none waited for a second
        LatencyPoint(0, 2.0, 0.5, 5.0, 3_000.0),
        LatencyPoint(0, 2.5, 0.5, 5.0, 2_400.0),  # acked earlier than the one before
        LatencyPoint(0, 7.0, 0.5, 5.0, 1_000.0),
        LatencyPoint(1, 4.0, 0.5, 5.0, 1_500.0),
        LatencyPoint(None, 0.0, 0.5, 5.0, 9_000.0),  # of all partitions
    )
    waiting = timeline(FULL, latency=acks)
    assert waiting.waits == (Wait(0, 2.0, 5.0), Wait(0, 7.0, 8.0), Wait(1, 4.0, 5.5))
    (cell,) = cells([waiting])
    lane = cell.bars[0]
    assert all(line.y > lane.y + LANE for line in cell.waits)
    assert cell.waits[0].title == "partition 0: acks waited from 2.0 to 5.0 s"
    assert waits_sentence(acks[:-1]) == " The slowest ack took 3.0 s."
    assert (waits_sentence(acks[:1]), waits_sentence(())) == ("", "")


def test_all_cells_share_the_time_axis_of_the_longest() -> None:
    short = Timeline("plugin", 0, 5.0, True, (FULL,), (), (), ())
    long_cell, short_cell = cells([timeline(FULL, DIP, REST), short])
    assert long_cell.ticks == short_cell.ticks
    assert max(bar.x + bar.width for bar in long_cell.bars) <= WIDTH


@pytest.mark.parametrize(
    ("extents", "expected"),
    [
        ([], []),
        ([(0, 5), (5, 9)], [0, 0]),
        ([(0, 5), (4, 9), (6, 8)], [0, 1, 0]),
        ([(0, 9), (1, 8), (2, 7)], [0, 1, 2]),
    ],
)
def test_labels_that_overlap_are_on_different_levels(
    extents: list[tuple[float, float]], expected: list[int]
) -> None:
    assert levels(extents) == expected


ONE_FAULT = timeline(FULL, DIP, REST)
TWO_FAULTS = replace(ONE_FAULT, faults=(STALL, FaultSpan("kill at broker 3", 3, 2.5, 3.5)))


def test_names_of_simultaneous_faults_move_the_lanes_down() -> None:
    one_name, two_names = cells([ONE_FAULT, TWO_FAULTS])
    assert len({band.name_y for band in two_names.faults}) == 2
    assert two_names.bars[0].y - one_name.bars[0].y == two_names.top - one_name.top > 0


@pytest.mark.parametrize(
    ("length_s", "step"), [(0.5, 0.1), (10.0, 2.0), (12.1, 5.0), (60.0, 10.0), (301.0, 100.0)]
)
def test_ticks_are_round_numbers(length_s: float, step: float) -> None:
    assert tick_step(length_s) == pytest.approx(step)


def chart_of(drawn: Timeline) -> Chart:
    ((chart,),) = (repeat.charts for repeat in in_full([drawn]))
    return chart


def test_each_repeat_has_all_arms_on_one_time_axis(run: RunInfo, rows: Rows) -> None:
    found = in_full(timelines(run, rows))
    assert [repeat.number for repeat in found] == [0, 1, 2]
    for repeat in found:
        assert [chart.arm for chart in repeat.charts] == ["stock", "plugin"]
        assert repeat.length == 10_000
        assert {chart.scale for chart in repeat.charts} == {repeat.charts[0].scale}
        assert repeat.ticks[:2] == (("0", 0.0), ("2", 20.0))


def test_the_large_picture_has_what_happened_at_its_time(run: RunInfo, rows: Rows) -> None:
    (repeat, *_) = in_full(timelines(run, rows))
    stock, plugin = repeat.charts
    (band,) = stock.bands
    assert (band.start, band.end, band.left, band.width) == (2_000, 7_000, 20.0, 50.0)
    assert [(mark.at, mark.left, mark.top) for mark in stock.marks] == [
        (7_015, 70.15, 0), (7_015, 70.15, stock.lanes[1].top),
    ]  # fmt: skip
    assert plugin.marks == ()
    bars = stock.lanes[0].bars
    assert [(bar.x, bar.width) for bar in bars if bar.state == "under"] == [(7_015, 585)]
    assert {bar.height for bar in bars} == {FILL, round(FILL / 3)}
    assert sum(bar.width for bar in bars) == repeat.length
    assert [line.kind for line in stock.lines] == ["own", "others", "median"]


def test_several_faults_have_letters() -> None:
    assert [band.letter for band in chart_of(TWO_FAULTS).bands] == ["A", "B"]
    assert [band.letter for band in chart_of(ONE_FAULT).bands] == [""]


def test_a_line_goes_through_its_points_and_a_long_time_without_acks_breaks_it() -> None:
    points = tuple(LatencyPoint(0, at, 0.1, 5.0, ms) for at, ms in ((0, 10), (0.1, 100), (3, 1)))
    (line,) = latency_lines(timeline(FULL, latency=points), Scale(0, 3))
    assert line.path == f"M50 {round(HEIGHT * 2 / 3)}l100-334M3050 {HEIGHT}l0 0"


def test_all_latencies_are_on_the_axis() -> None:
    points = tuple(LatencyPoint(None, 0, 0.1, low, top) for low, top in ((0.02, 0.4), (3, 4_001)))
    scale = scale_of([timeline(FULL, latency=points)])
    assert (scale.bottom, scale.top) == (-1, 4)
    assert [scale.y(value) for value in (0.02, 0.1, 10_000)] == [HEIGHT, HEIGHT, 0]
    shown = [text for _, text in scale.decades]
    assert shown == ["0.1", "1", "10", "100", "1\u202f000", "10\u202f000"]


def test_without_data_there_is_still_a_picture() -> None:
    empty = Timeline("stock", 0, 0.0, False, (), (), (), ())
    assert chart_of(empty).lines == ()
    assert cells([empty])[0].bars == ()


def change(*, planned: bool = False, stepped_down: bool = False) -> LeaderChange:
    return LeaderChange(1, 2.5, 1, 3, planned=planned, stepped_down=stepped_down)


def test_a_change_names_the_new_and_the_previous_leader_and_the_reason() -> None:
    words = "broker 3 leads from 2.50 s on instead of broker 1"
    assert change_in_short(change()) == words
    assert change_in_short(change(planned=True)) == f"{words}, as planned"
    assert change_in_short(change(stepped_down=True)) == f"{words}, which stepped down"


def test_an_arm_counts_its_unplanned_leader_changes() -> None:
    assert changes_sentence([change(planned=True)]) == ""
    assert changes_sentence([change(stepped_down=True)]) == (
        " Leaders changed once, 1 of them by stepping down."
    )
    several = [change(stepped_down=True), change(), change(planned=True)]
    assert changes_sentence(several) == " Leaders changed 2 times, 1 of them by stepping down."


def test_a_change_is_marked_in_its_lane_at_its_time() -> None:
    spans = [replace(FULL, partition=lane, end_s=10.0) for lane in (0, 1)]
    (drawn,) = cells([replace(timeline(*spans), changes=(change(),))])
    (mark,) = drawn.changes
    lane = next(bar for bar in drawn.bars if "partition 1" in bar.title)
    assert mark.y == lane.y
    assert lane.x < mark.x < lane.x + lane.width
