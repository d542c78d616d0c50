"""Scope `read` on 2.8.2, with ISR changes through the controller and directly in ZooKeeper."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import insync_json
from insync.scenario.load import source

TO_CONTROLLER = "broker-1-to-controller-send-thread"


@pytest.mark.long
@pytest.mark.parametrize("protocol", ["2.8", "2.6"])
def test_stock_shrinks_and_read_does_not(
    tmp_path: Path, judge: Callable[..., Any], protocol: str
) -> None:
    """From 2.7-IV2 on a leader asks the controller for an ISR; before it writes to ZooKeeper."""
    file, out = tmp_path / "read-stall.toml", tmp_path / "run"
    setting = f'[broker]\ninter_broker_protocol_version = "{protocol}"'
    file.write_text(source("read-stall").replace("[broker]", setting))
    options = ("--kafka", "2.8.2", "--arms", "stock,read", "--record-only")
    insync_json("run", file, *options, "--out", out)
    (log,) = (out / "nodes" / "read" / "1").glob("*.log")
    text = log.read_text(encoding="utf-8")
    assert f"inter.broker.protocol.version = {protocol}" in text
    assert (TO_CONTROLLER in text) == (protocol == "2.8")
    (verdict,) = judge(out)
    assert verdict["verdict"] == "pass", verdict["reason"]
    stock, read = verdict["arms"]["stock"], verdict["arms"]["read"]
    assert stock["isr_shrinks"][0] >= 1
    assert (read["isr_shrinks"], read["min_isr_size"], read["agent_errors"]) == ([0], [3], [0])
