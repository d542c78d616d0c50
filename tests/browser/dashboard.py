"""Draws the Grafana dashboard of docs/operate from Prometheus' answers.

Grafana itself is not needed: each panel is a picture of what its queries return. The picture in
the documentation is made from such a page.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jinja2 import Environment

Series = Mapping[str, Any]
"""A series of Prometheus' query_range: `metric`, its labels; `values`, pairs of time and text."""

WIDTH, HEIGHT = 300.0, 90.0
ABOVE = 14.0
"""Room above the curves for the highest value."""
COLOURS: Final = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c564b", "#7f7f7f",
)  # fmt: skip
PAGE: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{ title }}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 13px/1.4 system-ui, sans-serif; margin: 16px; color: #1f2328; background: #fff }
h1 { font-size: 18px; margin: 0 0 8px } h2 { font-size: 14px; margin: 8px 0 0 }
h3 { font-size: 12px; margin: 0 0 4px; font-weight: 600 }
main { display: grid; grid-template-columns: repeat(24, 1fr); gap: 8px }
section { border: 1px solid #d0d7de; border-radius: 4px; padding: 6px 8px; min-width: 0 }
svg { width: 100%; height: auto; display: block } polyline { fill: none; stroke-width: 1.5 }
table { border-collapse: collapse; margin-bottom: 8px }
th, td { text-align: left; padding: 2px 14px 2px 0 }
ul { list-style: none; margin: 4px 0 0; padding: 0 } li { overflow-wrap: anywhere }
b { display: inline-block; width: 10px; height: 10px; margin-right: 5px; border-radius: 2px }
@media (max-width: 700px) { main { display: block } section { margin-bottom: 8px } }
@media (prefers-color-scheme: dark) { body { color: #e6edf3; background: #0d1117 }
  section { border-color: #444c56 } }
</style></head><body>
<h1>{{ title }}</h1>
<table><tr><th>alert</th><th>broker</th><th>state</th></tr>
{% for alert in alerts %}<tr>
<td>{{ alert.alertname }}</td><td>{{ alert.instance }}</td><td>{{ alert.alertstate }}</td>
</tr>{% endfor %}</table>
<main>{% for panel in panels %}
{% if panel.row %}<h2 style="grid-column: 1 / -1">{{ panel.title }}</h2>{% else %}
<section style="grid-column: span {{ panel.across }}"><h3>{{ panel.title }}</h3>
{% if panel.lines %}<svg viewBox="0 0 {{ width }} {{ height }}" role="img">
<line x1="0" x2="{{ width }}" y1="{{ height - 1 }}" y2="{{ height - 1 }}" stroke="#8b949e"/>
<text x="0" y="10" font-size="10" fill="currentColor">{{ panel.top }}</text>
{% for line in panel.lines %}<polyline points="{{ line.points }}" stroke="{{ line.colour }}"/>
{% endfor %}</svg>{% endif %}
<ul>{% for name in panel.names %}
<li>{% if panel.lines %}<b style="background: {{ name.colour }}"></b>{% endif %}{{ name.text }}</li>
{% endfor %}</ul></section>{% endif %}{% endfor %}</main></body></html>
"""


def page(
    dashboard: Mapping[str, Any],
    answers: Mapping[str, Sequence[Series]],
    alerts: Sequence[Mapping[str, str]],
) -> str:
    """Return the page: `answers` are the series of each query, `alerts` the labels of ALERTS."""
    panels = [_panel(panel, answers) for panel in dashboard["panels"]]
    template = Environment(autoescape=True, trim_blocks=True).from_string(PAGE)
    return template.render(
        title=dashboard["title"], alerts=alerts, panels=panels, width=WIDTH, height=HEIGHT
    )


def _panel(panel: Mapping[str, Any], answers: Mapping[str, Sequence[Series]]) -> dict[str, Any]:
    shown = [
        (_legend(target["legendFormat"], series["metric"]), series["values"])
        for target in panel.get("targets", ())
        for series in answers[target["expr"]]
    ]
    unit = panel.get("fieldConfig", {}).get("defaults", {}).get("unit", "none")
    words = {"ms": " ms", "cps": " /s"}.get(unit, "")
    colours = [COLOURS[at % len(COLOURS)] for at in range(len(shown))]
    names = [
        {"text": f"{name}: {_number(values[-1][1])}{words}", "colour": colour}
        for colour, (name, values) in zip(colours, shown, strict=True)
    ]
    made = {"title": panel["title"], "row": panel["type"] == "row", "names": names}
    made["across"] = panel["gridPos"]["w"]
    if panel["type"] == "timeseries" and shown:
        points = [[(float(at), float(value)) for at, value in values] for _, values in shown]
        highest = max(value for line in points for _, value in line)
        made |= {
            "top": f"{_number(highest)}{words}",
            "lines": _lines(points, highest or 1.0, colours),
        }
    return made


def _lines(
    points: Sequence[Sequence[tuple[float, float]]], highest: float, colours: Sequence[str]
) -> list[dict[str, str]]:
    times = [at for line in points for at, _ in line]
    first, span = min(times), (max(times) - min(times)) or 1.0

    def point(at: float, value: float) -> str:
        down = ABOVE + (HEIGHT - ABOVE - 2) * (1 - value / highest)
        return f"{WIDTH * (at - first) / span:.1f},{down:.1f}"

    return [
        {"colour": colour, "points": " ".join(point(at, value) for at, value in line)}
        for colour, line in zip(colours, points, strict=True)
    ]


def _legend(form: str, labels: Mapping[str, str]) -> str:
    return re.sub(r"{{\s*(\w+)\s*}}", lambda found: labels.get(found.group(1), ""), form)


def _number(value: float | str) -> str:
    return f"{float(value):,.3g}" if float(value) < 1_000 else f"{float(value):,.0f}"
