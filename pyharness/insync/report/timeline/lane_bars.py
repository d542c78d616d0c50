"""Draws the ISR lanes of the large picture as plotly's horizontal bars.

A lane is a partition. It is filled to the share of replicas in sync, and its colour is the
state; hovering names the members.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from insync.report.timeline.timelines import STATES, Span, State, Timeline
from insync.report.timeline.wording import change_in_short, in_short
from insync.report.words import members

Json = dict[str, Any]

_LANE_FILL = 0.8
"""The part of its row that a lane fills."""

STATE_NAMES: dict[State, str] = {
    "full": "all replicas in sync",
    "reduced": "ISR reduced",
    "under": "under min ISR",
    "offline": "no leader",
}


def lane_bars(timeline: Timeline, axis: str, *, legend: bool) -> list[Json]:
    """Return two traces per state: tinted lanes, and bars as high as the ISR is large."""
    traces = []
    for state in STATES:
        spans = [span for span in timeline.spans if span.state == state]
        # The first arm has all states in its legend, which all arms share.
        if spans or legend:
            traces.append(_tint(spans, state, axis))
            traces.append(_bars(timeline, spans, state, axis, legend=legend))
    return traces


def _bars(
    timeline: Timeline, spans: Sequence[Span], state: State, axis: str, *, legend: bool
) -> Json:
    heights = [_LANE_FILL * span.share for span in spans]
    return {
        **_bar_trace(spans, state, axis),
        "name": STATE_NAMES[state],
        "legendgroup": state,
        "showlegend": legend,
        "y": [
            span.partition + (_LANE_FILL - height) / 2
            for span, height in zip(spans, heights, strict=True)
        ],
        "width": heights,
        "text": [_bar_text(span) for span in spans],
        "textposition": "inside",
        "insidetextanchor": "middle",
        "textfont": {"color": f"--on-{state}"},
        "textangle": 0,
        "hovertext": [_hover(span) + _how_it_began(timeline, span) for span in spans],
        "hoverinfo": "text",
    }


def _tint(spans: Sequence[Span], state: State, axis: str) -> Json:
    return {
        **_bar_trace(spans, state, axis),
        "y": [span.partition for span in spans],
        "width": [_LANE_FILL] * len(spans),
        "opacity": 0.7 if state == "offline" else 0.25,
        "legendgroup": state,
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _bar_trace(spans: Sequence[Span], state: State, axis: str) -> Json:
    return {
        "type": "bar",
        "orientation": "h",
        "xaxis": "x",
        "yaxis": axis,
        "base": [span.start_s for span in spans],
        "x": [span.end_s - span.start_s for span in spans],
        "marker": {"color": f"--{state}", "line": {"width": 0}},
    }


def _bar_text(span: Span) -> str:
    return f"leader {span.leader}: ISR {members(span.isr)}" if span.leader >= 0 else "no leader"


def _hover(span: Span) -> str:
    leader = f"leader {span.leader}" if span.leader >= 0 else "no leader"
    return (
        f"partition {span.partition}, {leader}<br>"
        f"ISR {members(span.isr)} ({len(span.isr)} of {span.replicas})<br>"
        f"{span.start_s:.2f} s to {span.end_s:.2f} s"
    )


def _how_it_began(timeline: Timeline, span: Span) -> str:
    """Describe the shrink and the leader change with which a stretch began, if any."""
    began = (
        shrink
        for shrink in timeline.shrinks
        if (shrink.partition, shrink.at_s) == (span.partition, span.start_s)
    )
    moved = (
        change_in_short(change)
        for change in timeline.changes
        if (change.partition, change.at_s) == (span.partition, span.start_s)
    )
    words = [*(in_short(shrink).replace("; ", "<br>") for shrink in began), *moved]
    return "".join(f"<br>{each}" for each in words)
