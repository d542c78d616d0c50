"""Cells for tests: a scenario on an arm, in a run folder; and the tools of their run."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from insync.brokers.kafka.versions import pinned
from insync.run.cell import CellSpec
from insync.run.plan import Tools
from insync.scenario.load import load
from insync.scenario.model import Scenario


def cell(scenario: str | Scenario, out: Path, arm: str = "stock", **more: Any) -> CellSpec:
    known = load(scenario) if isinstance(scenario, str) else scenario
    fields = {"text": "text", "builtin": True, "kafka": "4.3.1", "controller_agent": False, **more}
    return CellSpec(scenario=known, arm=arm, out=out, **fields)


def named(name: str, out: Path, arm: str = "stock", **more: Any) -> CellSpec:
    return cell(load("freeze").model_copy(update={"name": name}), out, arm, **more)


def tools(**more: Any) -> Tools:
    java: Any = SimpleNamespace(description="Java 17")
    kafka: Any = SimpleNamespace(version="4.3.1", release=pinned("4.3.1"))
    return Tools(java=java, kafka=kafka, **more)
