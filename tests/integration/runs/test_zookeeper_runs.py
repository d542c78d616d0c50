"""Scope `read` on 2.8.2, with ISR changes through the controller and directly in ZooKeeper."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from commands import insync_json
from insync.scenario.load import source

PROTOCOLS = ["2.8", "2.6"]
"""From 2.7-IV2 on a leader asks the controller to change the ISR; before it writes to ZooKeeper."""
TO_CONTROLLER = "broker-1-to-controller-send-thread"


@dataclass(frozen=True)
class Run:
    """A run with one protocol between the brokers: its verdict, and what its leader logged."""

    protocol: str
    verdict: dict[str, Any]
    log: str


@pytest.fixture(scope="module")
def run(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    judge: Callable[..., Any],
) -> Run:
    """Record and judge `read-stall` with the protocol that is the parameter."""
    folder = tmp_path_factory.mktemp("runs")
    file, out = folder / "read-stall.toml", folder / "run"
    setting = f'[broker]\ninter_broker_protocol_version = "{request.param}"'
    file.write_text(source("read-stall").replace("[broker]", setting))
    options = ("--kafka", "2.8.2", "--arms", "stock,read", "--record-only")
    insync_json("run", file, *options, "--out", out)
    (log,) = (out / "nodes" / "read" / "1").glob("*.log")
    text = log.read_text(encoding="utf-8")
    (verdict,) = judge(out)
    return Run(request.param, verdict, text)


@pytest.mark.long
@pytest.mark.parametrize("run", PROTOCOLS, indirect=True)
def test_stock_shrinks_and_read_does_not(run: Run) -> None:
    verdict = run.verdict
    assert verdict["verdict"] == "pass", verdict["reason"]
    stock, read = verdict["arms"]["stock"], verdict["arms"]["read"]
    assert stock["isr_shrinks"][0] >= 1
    assert (read["isr_shrinks"], read["min_isr_size"], read["agent_errors"]) == ([0], [3], [0])


@pytest.mark.long
@pytest.mark.parametrize("run", PROTOCOLS, indirect=True)
def test_the_isr_changes_by_the_way_of_the_protocol(run: Run) -> None:
    assert f"inter.broker.protocol.version = {run.protocol}" in run.log
    assert (TO_CONTROLLER in run.log) == (run.protocol == "2.8")
