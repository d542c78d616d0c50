"""The large picture of one repeat: arms stacked on one time axis, as a plotly figure.

Per arm an ISR lane per partition above its ack latency, with the faults across both.
The figure is plain data; colours are names of the page's CSS variables ("--full"), which
the page's script replaces, so that one figure serves light and dark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from insync.report.timeline.labels import centred, levels
from insync.report.timeline.lane_bars import lane_bars
from insync.report.timeline.latency_lines import latency_lines
from insync.report.timeline.scenes import Fault, Scene
from insync.report.words import span

Json = dict[str, Any]

_LANE_PX = 30
_LATENCY_PX = 170
_BETWEEN_PX = 12
_TITLE_PX = 46
_BOTTOM_PX = 46
_NAME_PX = 15
_LETTERS_WIDE = 150
"""How many letters of a fault's name fit into the figure's width, about."""


def figure(arms: Sequence[Scene]) -> Json:
    """Draw the scenes of one repeat, one per arm, as {"data", "layout"}."""
    heights = [_lane_count(scene) * _LANE_PX for scene in arms]
    total = sum(_TITLE_PX + lanes + _BETWEEN_PX + _LATENCY_PX for lanes in heights)
    data: list[Json] = []
    layout = _layout(total, max((scene.length_s for scene in arms), default=1.0))
    top = float(total)
    for place, (scene, lanes) in enumerate(zip(arms, heights, strict=True)):
        lanes_top = top - _TITLE_PX
        latency_top = lanes_top - lanes - _BETWEEN_PX
        bottom = latency_top - _LATENCY_PX
        upper, lower = f"y{2 * place + 1}", f"y{2 * place + 2}"
        layout[_axis(upper)] = _lanes_axis(scene, (lanes_top - lanes) / total, lanes_top / total)
        layout[_axis(lower)] = _latency_axis(bottom / total, latency_top / total)
        data += lane_bars(scene, upper, legend=place == 0)
        data += latency_lines(scene, lower, legend=place == 0)
        layout["annotations"].append(_title(scene, lanes_top / total))
        for fault, level in zip(scene.faults, _name_levels(scene), strict=True):
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
    """Return the layout's key of an axis: y2 is yaxis2, and y1 is yaxis."""
    return "yaxis" + (name[1:] if name != "y1" else "")


def _lanes_axis(scene: Scene, low: float, high: float) -> Json:
    lanes = _lane_count(scene)
    leaders = {span.partition: span.leader for span in reversed(scene.spans)}
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


def _lane_count(scene: Scene) -> int:
    return max((span.partition + 1 for span in scene.spans), default=1)


def _fault_shapes(fault: Fault, low: float, high: float) -> list[Json]:
    """Draw a band behind lanes and latency, and its two edges in front of them."""
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


def _title(scene: Scene, at: float) -> Json:
    cut = "" if scene.complete else " (cut short)"
    return {
        **_note(at),
        "text": f"<b>{scene.arm}</b>{cut}",
        "xref": "paper",
        "x": 0,
        "xanchor": "left",
        "font": {"size": 16},
    }


def _name_levels(scene: Scene) -> list[int]:
    """Put the names of faults that are close in time above each other."""
    letter_s = scene.length_s / _LETTERS_WIDE
    return levels([centred(f.start_s, f.end_s, _fault_text(f), letter_s) for f in scene.faults])


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
