"""The files of docs/operate: alerts with their runbook, queries with their metrics."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

FILES = Path(__file__).parents[3] / "docs" / "operate"
ALERTS = (FILES / "alerts.yml").read_text()
DASHBOARD = json.loads((FILES / "dashboard.json").read_text())
RULES = (FILES / "jmx-exporter.yml").read_text()
SERIES = re.compile(r"\b(?:insync|kafka)_[a-z0-9_]+")


def names(text: str) -> set[str]:
    return set(SERIES.findall(text))


def queries() -> Iterator[str]:
    for panel in DASHBOARD["panels"]:
        yield from (target["expr"] for target in panel.get("targets", ()))


def test_every_alert_has_a_section_and_every_section_an_alert() -> None:
    page = (FILES / "runbook.md").read_text()
    alerts = re.findall(r"alert: (\w+)", ALERTS)
    runbooks = re.findall(r"runbook: docs/operate/runbook\.md#(\w+)", ALERTS)
    sections = re.findall(r"^## (\w+)$", page, re.MULTILINE)
    assert len(alerts) == len(runbooks) == len(set(alerts))
    assert set(runbooks) == {section.lower() for section in sections}
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)[: len(alerts)] == alerts


@pytest.mark.parametrize("text", [ALERTS, "\n".join(queries())], ids=["alerts", "dashboard"])
def test_every_series_is_one_that_the_exporter_can_give(text: str) -> None:
    """A name of the exporter has groups; `$1` of a pattern stands for any name."""
    given = [
        re.compile(re.sub(r"\$\d", "[a-z0-9_]+", name.lower()))
        for name in re.findall(r"^ +name: (\S+)$", RULES, re.MULTILINE)
    ]
    found = names(text)
    assert found
    assert not {name for name in found if not any(each.fullmatch(name) for each in given)}


def test_no_name_has_a_suffix_that_the_exporter_takes_away() -> None:
    """Names of gauges: an exporter since 1.0 drops what OpenMetrics keeps for other types."""
    given = re.findall(r"^ +name: (\S+)$", RULES, re.MULTILINE)
    assert given
    assert not [name for name in given if name.endswith(("_info", "_created", "_bucket"))]


def test_every_panel_has_a_place_of_its_own() -> None:
    def cells(panel: dict[str, Any]) -> set[tuple[int, int]]:
        at = panel["gridPos"]
        across, down = range(at["x"], at["x"] + at["w"]), range(at["y"], at["y"] + at["h"])
        return {(x, y) for x in across for y in down}

    panels = DASHBOARD["panels"]
    places = [cell for panel in panels for cell in cells(panel)]
    assert len(places) == len(set(places))
    assert all(x < 24 for x, _ in places)
    assert len({panel["id"] for panel in panels}) == len(panels)


def test_grafanas_own_model_keeps_the_whole_dashboard() -> None:
    from grafana_foundation_sdk.cog.encoder import JSONEncoder
    from grafana_foundation_sdk.cog.plugins import register_default_plugins
    from grafana_foundation_sdk.models.dashboard import Dashboard

    register_default_plugins()
    kept = json.loads(JSONEncoder(sort_keys=True).encode(Dashboard.from_json(DASHBOARD)))
    assert list(lost(DASHBOARD, kept, "")) == []


def lost(one: object, other: object, path: str) -> Iterator[str]:
    """Yield where `other` lacks something of `one`; it may have more."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key, value in one.items():
            yield from lost(value, other.get(key), f"{path}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for number, (first, second) in enumerate(zip(one, other, strict=True)):
            yield from lost(first, second, f"{path}[{number}]")
    elif one != other:
        yield f"{path}: {one!r} is {other!r}"


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
@pytest.mark.parametrize(
    "check", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts-test.yml")]
)
def test_promtool_accepts_the_rules_and_their_tests_pass(check: tuple[str, ...]) -> None:
    done = subprocess.run(["promtool", *check], cwd=FILES, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_the_tests_of_the_rules_can_fail(tmp_path: Path) -> None:
    """Each alert's expression is made true or false for all: a test of it then fails."""
    for alert in re.findall(r"alert: (\w+)", ALERTS):
        broken = re.sub(
            rf"(alert: {alert}\n +expr:)[^\n]*\n(?: {{10}}[^\n]*\n)*", r"\1 vector(0) > 1\n", ALERTS
        )
        assert broken != ALERTS
        (tmp_path / "alerts.yml").write_text(broken)
        shutil.copy(FILES / "alerts-test.yml", tmp_path)
        done = subprocess.run(
            ["promtool", "test", "rules", "alerts-test.yml"], cwd=tmp_path, capture_output=True
        )
        assert done.returncode != 0, alert
