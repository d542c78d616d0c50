"""The pictures' coordinates and figures: what a reader must be able to see in them."""

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from insync.analysis.tables.rows import Rows
from insync.events.run_info import RunInfo
from insync.report.timeline.detail import figure
from insync.report.timeline.labels import levels
from insync.report.timeline.lanes import LEAST_WIDTH, WIDTH, cells, tick_step
from insync.report.timeline.latency_lines import latency_lines
from insync.report.timeline.timelines import Fault, LatencyPoint, Shrink, Span, Timeline, timelines
from insync.report.timeline.wording import delayed_sentence, lateness

FULL = Span(0, 1, (1, 2, 3), 3, 0.0, 4.0, "full")
DIP = Span(0, 1, (1,), 3, 4.0, 4.001, "under")
REST = Span(0, 1, (1, 2, 3), 3, 4.001, 10.0, "full")
STALL = Fault("read stall at broker 1", 1, 2.0, 4.0)


def timeline(*spans: Span, latency: tuple[LatencyPoint, ...] = ()) -> Timeline:
    return Timeline("stock", 0, 10.0, True, spans, (), (STALL,), latency)


def test_rows_become_timelines_in_seconds_from_the_repeats_start(
    made_up_run: RunInfo, made_up_rows: Rows
) -> None:
    found = timelines(made_up_run, made_up_rows)
    assert [(s.arm, s.repeat) for s in found] == [
        (arm, repeat) for arm in ("stock", "plugin") for repeat in range(3)
    ]
    stock = found[0]
    assert (stock.length_s, stock.complete) == (10.0, True)
    assert stock.faults == (Fault("read stall at broker 1", 1, 2.0, 7.0, (0, 1)),)
    assert [(shrink.partition, shrink.at_s, shrink.after) for shrink in stock.shrinks] == [
        (0, 7.015, (1,)),
        (1, 7.015, (1,)),
    ]
    assert stock.shrinks[0].cause == "leader: read stall"
    assert stock.shrinks[0].fault == stock.faults[0]
    assert found[3].shrinks == ()


def test_a_late_shrink_shows_when_it_was_due_and_what_delayed_it(
    made_up_run: RunInfo, made_up_rows: Rows
) -> None:
    (first, *_) = timelines(made_up_run, made_up_rows)
    (cell, *_) = cells([first])
    assert cell.arrows[0].text == (
        "shrink at 7.01 s, when a fault ended; was due at 4.00 s, came at 7.01 s:"
        " the isr-expiration task waited for the lock of the stalled read"
    )
    hovers = [text for trace in figure([first])["data"] for text in trace.get("hovertext", ())]
    assert sum("was due at 4.00 s" in text for text in hovers) == 2
    assert delayed_sentence(list(first.shrinks)) == (
        " 2 of 2 shrinks came 3.0 s after they were due."
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


def test_names_of_simultaneous_faults_move_the_lanes_down() -> None:
    kill = Fault("kill at broker 3", 3, 2.5, 3.5)
    two = replace(timeline(FULL, DIP, REST), faults=(STALL, kill))
    one_name, two_names = cells([timeline(FULL, DIP, REST), two])
    assert len({band.name_y for band in two_names.faults}) == 2
    assert two_names.bars[0].y - one_name.bars[0].y == two_names.top - one_name.top > 0


@pytest.mark.parametrize(
    ("length_s", "step"), [(0.5, 0.1), (10.0, 2.0), (12.1, 5.0), (60.0, 10.0), (301.0, 100.0)]
)
def test_ticks_are_round_numbers(length_s: float, step: float) -> None:
    assert tick_step(length_s) == pytest.approx(step)


def test_plotly_accepts_the_figure(made_up_run: RunInfo, made_up_rows: Rows) -> None:
    drawn = figure([s for s in timelines(made_up_run, made_up_rows) if s.repeat == 0])
    # Colours are names of CSS variables until the page draws them; any colour does here.
    checked = go.Figure(_painted(drawn))
    names = [trace.name for trace in checked.data if trace.showlegend]
    assert len(names) == len(set(names))
    assert "under min ISR" in names


def test_the_fault_is_drawn_over_lanes_and_latency_of_both_arms(
    made_up_run: RunInfo, made_up_rows: Rows
) -> None:
    layout = figure([s for s in timelines(made_up_run, made_up_rows) if s.repeat == 0])["layout"]
    bands = [shape for shape in layout["shapes"] if shape["type"] == "rect"]
    domains = [layout[name]["domain"] for name in ("yaxis", "yaxis2", "yaxis3", "yaxis4")]
    assert [(band["x0"], band["x1"]) for band in bands] == [(2.0, 7.0), (2.0, 7.0)]
    for band, (lanes, latency) in zip(bands, (domains[:2], domains[2:]), strict=True):
        assert band["y0"] <= min(latency)
        assert band["y1"] >= max(lanes)


def test_a_long_time_without_acks_breaks_the_line() -> None:
    points = tuple(LatencyPoint(0, at, 0.1, 5.0, 9.0) for at in (0.0, 0.1, 3.0))
    (line,) = latency_lines(timeline(FULL, latency=points), "y2", legend=True)
    assert line["y"] == (9.0, 9.0, None, 9.0)


def test_without_data_there_is_still_a_figure() -> None:
    empty = Timeline("stock", 0, 0.0, False, (), (), (), ())
    assert go.Figure(_painted(figure([empty])))
    assert cells([empty])[0].bars == ()


def _painted(value: object) -> object:
    if isinstance(value, str) and value.startswith("--"):
        return "#123456"
    if isinstance(value, dict):
        return {key: _painted(item) for key, item in value.items()}
    return [_painted(item) for item in value] if isinstance(value, list | tuple) else value
