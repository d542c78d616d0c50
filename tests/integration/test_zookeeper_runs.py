"""Scope `read` on 2.8.2, with ISR changes through the controller and directly in ZooKeeper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json
from insync.scenario.load import source

PROTOCOLS = ("2.8", "2.6")
"""From 2.7-IV2 on a leader asks the controller to change the ISR; before it writes to ZooKeeper."""
TO_CONTROLLER = "broker-1-to-controller-send-thread"

pytestmark = pytest.mark.cluster


@dataclass(frozen=True)
class Run:
    """A run with one protocol between the brokers: its verdict, and what its leader logged."""

    verdict: dict[str, Any]
    log: str


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, judge: Callable[..., Any]) -> dict[str, Run]:
    """Record `read-stall` with each protocol, and judge both together."""
    folder = tmp_path_factory.mktemp("runs")
    for protocol in PROTOCOLS:
        file = folder / f"{protocol}.toml"
        setting = f'[broker]\ninter_broker_protocol_version = "{protocol}"'
        file.write_text(source("read-stall").replace("[broker]", setting))
        options = ("--kafka", "2.8.2", "--arms", "stock,read", "--record-only")
        insync_json("run", file, *options, "--out", folder / protocol)
    outs = [folder / protocol for protocol in PROTOCOLS]
    logs = [log_of(out) for out in outs]
    verdicts = judge(*outs)
    return {
        protocol: Run(verdict, log)
        for protocol, verdict, log in zip(PROTOCOLS, verdicts, logs, strict=True)
    }


def log_of(out: Path) -> str:
    (log,) = (out / "nodes" / "read" / "1").glob("*.log")
    return log.read_text(encoding="utf-8")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_stock_shrinks_and_read_does_not(runs: dict[str, Run], protocol: str) -> None:
    verdict = runs[protocol].verdict
    assert verdict["verdict"] == "pass", verdict["reason"]
    stock, read = verdict["arms"]["stock"], verdict["arms"]["read"]
    assert stock["isr_shrinks"][0] >= 1
    assert (read["isr_shrinks"], read["min_isr_size"], read["agent_errors"]) == ([0], [3], [0])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_isr_changes_by_the_way_of_the_protocol(runs: dict[str, Run], protocol: str) -> None:
    assert f"inter.broker.protocol.version = {protocol}" in runs[protocol].log
    assert (TO_CONTROLLER in runs[protocol].log) == (protocol == "2.8")
