"""Draws the large picture of one repeat as a plotly figure: all arms on one time axis.

Each arm has an ISR lane per partition above its ack latency, with the faults across both.
The figure is plain data. Colours are names of the page's CSS variables ("--full"), which the
page's script replaces: one figure serves the light and the dark scheme.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from insync.report.timeline.labels import centred, levels
from insync.report.timeline.lane_bars import lane_bars
from insync.report.timeline.latency_lines import latency_lines
from insync.report.timeline.timelines import Fault, Timeline
from insync.report.words import span

Json = dict[str, Any]

_LANE_PX = 30
_LATENCY_PX = 170
_BETWEEN_PX = 12
_TITLE_PX = 46
_BOTTOM_PX = 46
_NAME_PX = 15
_LETTERS_WIDE = 150
"""About how many letters of a fault's name fit into the figure's width."""


def figure(arms: Sequence[Timeline]) -> Json:
    """Return the figure of one repeat, one timeline per arm, as {"data", "layout"}."""
    heights = [_lane_count(timeline) * _LANE_PX for timeline in arms]
    total = sum(_TITLE_PX + lanes + _BETWEEN_PX + _LATENCY_PX for lanes in heights)
    data: list[Json] = []
    layout = _layout(total, max((timeline.length_s for timeline in arms), default=1.0))
    top = float(total)
    for place, (timeline, lanes) in enumerate(zip(arms, heights, strict=True)):
        lanes_top = top - _TITLE_PX
        latency_top = lanes_top - lanes - _BETWEEN_PX
        bottom = latency_top - _LATENCY_PX
        upper, lower = f"y{2 * place + 1}", f"y{2 * place + 2}"
        layout[_axis(upper)] = _lanes_axis(timeline, (lanes_top - lanes) / total, lanes_top / total)
        layout[_axis(lower)] = _latency_axis(bottom / total, latency_top / total)
        data += lane_bars(timeline, upper, legend=place == 0)
        data += latency_lines(timeline, lower, legend=place == 0)
        layout["annotations"].append(_title(timeline, lanes_top / total))
        for fault, level in zip(timeline.faults, _name_levels(timeline), strict=True):
            layout["shapes"] += _fault_shapes(fault, bottom / total, lanes_top / total)
            layout["annotations"].append(_fault_name(fault, lanes_top / total, level))
        top = bottom
    return {"data": data, "layout": layout}


def _layout(height: float, length_s: float) -> Json:
    return {
        "height": height + _BOTTOM_PX + 40,
        "margin": {"l": 96, "r": 16, "t": 40, "b": _BOTTOM_PX},
        "barmode": "overlay",
        "bargap": 0,
        "hovermode": "closest",
        "paper_bgcolor": "--paper",
        "plot_bgcolor": "--paper",
        "font": {"family": "system-ui, sans-serif", "size": 12, "color": "--ink"},
        "hoverlabel": {"bgcolor": "--paper", "font": {"color": "--ink"}},
        "legend": {
            "orientation": "h", "x": 0, "y": 1, "yanchor": "bottom", "traceorder": "normal",
        },
        "uniformtext": {"mode": "hide", "minsize": 10},
        "xaxis": {
            "title": {"text": "seconds since the repeat began"},
            "range": [0, length_s],
            "anchor": "free",
            "position": 0,
            "gridcolor": "--grid",
            "zeroline": False,
        },
        "shapes": [],
        "annotations": [],
    }  # fmt: skip


def _axis(name: str) -> str:
    """Return an axis's key in the layout: y2 is yaxis2, and y1 is yaxis."""
    return "yaxis" + (name[1:] if name != "y1" else "")


def _lanes_axis(timeline: Timeline, low: float, high: float) -> Json:
    lanes = _lane_count(timeline)
    leaders = {span.partition: span.leader for span in reversed(timeline.spans)}
    return {
        "domain": [low, high],
        "range": [lanes - 0.5, -0.5],
        "tickvals": list(range(lanes)),
        "ticktext": [f"p{lane}, leader {leaders.get(lane, '?')}" for lane in range(lanes)],
        "ticks": "outside",
        "tickcolor": "--paper",
        "showgrid": False,
        "zeroline": False,
        "fixedrange": True,
    }


def _latency_axis(low: float, high: float) -> Json:
    return {
        "domain": [low, high],
        "type": "log",
        "title": {"text": "ack latency, ms"},
        "gridcolor": "--grid",
        "zeroline": False,
        "dtick": 1,
        "exponentformat": "none",
        "fixedrange": True,
    }


def _lane_count(timeline: Timeline) -> int:
    return max((span.partition + 1 for span in timeline.spans), default=1)


def _fault_shapes(fault: Fault, low: float, high: float) -> list[Json]:
    """Return a band behind lanes and latency, and its two edges in front of them."""
    height = {"xref": "x", "yref": "paper", "y0": low, "y1": high}
    band = {
        **height,
        "type": "rect",
        "x0": fault.start_s,
        "x1": fault.end_s,
        "fillcolor": "--fault",
        "opacity": 0.2,
        "line": {"width": 0},
        "layer": "below",
    }
    edges = [
        {
            **height,
            "type": "line",
            "x0": at,
            "x1": at,
            "line": {"color": "--fault-ink", "width": 1, "dash": "dash"},
        }
        for at in (fault.start_s, fault.end_s)
    ]
    return [band, *edges]


def _title(timeline: Timeline, at: float) -> Json:
    cut = "" if timeline.complete else " (cut short)"
    return {
        **_note(at),
        "text": f"<b>{timeline.arm}</b>{cut}",
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "font": {"size": 16},
    }


def _name_levels(timeline: Timeline) -> list[int]:
    """Return a level for each fault's name: names of faults close in time are stacked."""
    letter_s = timeline.length_s / _LETTERS_WIDE
    return levels([centred(f.start_s, f.end_s, _fault_text(f), letter_s) for f in timeline.faults])


def _fault_text(fault: Fault) -> str:
    return f"{fault.name}: {span((fault.end_s - fault.start_s) * 1e3)}"


def _fault_name(fault: Fault, at: float, level: int) -> Json:
    note = _note(at)
    return {
        **note,
        "text": _fault_text(fault),
        "yshift": note["yshift"] + level * _NAME_PX,
        "xref": "x",
        "x": (fault.start_s + fault.end_s) / 2,
        "xanchor": "center",
        "font": {"color": "--fault-ink"},
    }


def _note(at: float) -> Json:
    return {"yref": "paper", "y": at, "yanchor": "bottom", "yshift": 4, "showarrow": False}
