"""Keys of faults that do not fit, figures that show nothing, and a fault without the shim."""

from typing import Any

import pytest

from fault_runs import OneNode, planned
from insync.errors import InsyncError
from insync.faults.support.control import ControlFile
from unit.faults.evidence import alone, lacks, refusal


@pytest.mark.parametrize(
    ("kind", "keys", "problem"),
    [
        ("add-replica", {"broker": 3, "partitions": [0, 9]}, "partitions[1]: 9, expected 0 to "),
        ("add-replica", {"partitions": [0]}, "a partition that broker 1 does not lead"),
        ("add-replica", {"broker": 3, "partitions": [0], "cancel": 1}, "cancel: 1, expected"),
        ("add-replica", {"broker": 3, "partitions": [0, 0]}, "[0, 0], expected each only once"),
        *(
            ("answer", {"api": "Fetch", "mode": "drop", **keys}, problem)
            for keys, problem in (
                ({"api": "Fetsh"}, "api: 'Fetsh', expected one of Produce, Fetch, "),
                ({"mode": "lose"}, "mode: 'lose', expected 'drop', 'delay', 'reset' or 'error'"),
                ({"from_call": 0}, "from_call: 0, expected at least 1"),
                ({"calls": 0}, "calls: 0, expected at least 1"),
                ({"delay_ms": 5}, "delay_ms: 5, expected none for mode 'drop'"),
                ({"mode": "delay"}, "delay_ms: 0, expected more than 0 for mode 'delay'"),
                ({"mode": "error"}, "error: None, expected one of UNKNOWN_SERVER_ERROR, "),
                ({"mode": "error", "error": "NOT_LEADER"}, "error: 'NOT_LEADER', expected one of"),
                ({"error": "NOT_CONTROLLER"}, "expected none for mode 'drop'"),
                ({"whole": True}, "whole: True, expected false for mode 'drop'"),
                ({"processed": False}, "processed: False, expected true for mode 'drop'"),
                (
                    {"mode": "error", "error": "NOT_CONTROLLER", "processed": False},
                    "processed: False, expected true for mode 'error' and another api than Pro",
                ),
                ({"to": "broker 4"}, "to: 'broker 4', expected 'clients', 'brokers', 'broker 1'"),
                ({"to": "broker 1"}, "to: 'broker 1', expected 'clients', 'brokers' or another"),
                ({"to": "controllers"}, "to: 'controllers', expected 'clients', 'brokers' or anot"),
                ({"broker": 100}, "to: 'clients', expected 'brokers', 'broker N' or 'controllers'"),
                (
                    {"broker": 100, "to": "controllers"},
                    "to: 'controllers', expected 'brokers' or 'broker N' where broker.contr",
                ),
            )
        ),
        ("client-link", {"mode": "loss"}, "loss_percent: 0, expected more than 0 for mode 'loss'"),
        (
            "client-link", {"mode": "cut", "loss_percent": 5.0},
            "loss_percent: 5.0, expected none for mode 'cut'",
        ),
        (
            "client-link", {"mode": "loss", "loss_percent": 91.0},
            "loss_percent: 91.0, expected at most 90",
        ),
        (
            "client-link", {"mode": "cut", "direction": "up"},
            "direction: 'up', expected 'both', 'to' or 'from'",
        ),
        ("clock-jump", {"by_ms": 0}, "faults[0].by_ms: 0, expected another number than 0"),
        ("clock-jump", {"by_ms": -86_400_001}, "faults[0].by_ms: -86400001"),
        *(
            ("corrupt", {"partitions": [0], "files": files}, "faults[0].files: '")
            for files in ("a/b", "*.log *.index", "")
        ),
        ("read-error", {"partitions": [0, 9]}, "partitions[1]: 9, expected 0 to "),
        ("read-error", {"partitions": [0, 0]}, "expected each only once"),
        ("read-error", {"partitions": [0], "site": "read"}, "site: unknown key"),
        *(
            (
                "stall", {"site": "open", "mode": "hold", "partitions": [0], "files": files},
                "faults[0].files: '",
            )
            for files in ("", "a/b", "*.log  *.index", "x" * 64)
        ),
        ("write-error", {"partitions": [9]}, "faults[0].partitions[0]: 9, expected 0"),
    ],
)  # fmt: skip
def test_a_key_that_does_not_fit_is_named(kind: str, keys: dict[str, Any], problem: str) -> None:
    assert problem in refusal(alone(kind, **keys))


@pytest.mark.parametrize(
    ("kind", "broker", "figures", "missing"),
    [
        ("memory-pressure", 1, {"read_bytes": 9, "refaults": 1}, None),
        ("memory-pressure", 1, {"read_bytes": 9, "refaults": 0}, "refaults was 0, expected at"),
        ("memory-pressure", 1, {"read_bytes": 0, "refaults": 1}, "read_bytes was 0, expected at"),
        # Index files are larger than what is in them, and a broker may lose that.
        ("power-failure", 1, {"lost_files": 2, "lost_log_bytes": 9}, None),
        ("power-failure", 1, {"lost_files": 2}, "lost_log_bytes was 0, expected at least 1"),
        ("power-failure", 1, {}, "lost_log_bytes was 0, expected at least 1"),
        ("power-failure", 100, {"lost_files": 2, "lost_log_bytes": 0}, None),
        ("power-failure", 100, {}, "lost_files was 0, expected at least 1"),
    ],
)
def test_a_figure_that_shows_nothing_is_named(
    kind: str, broker: int, figures: dict[str, float], missing: str | None
) -> None:
    assert str(lacks(kind, figures, broker=broker)).startswith(str(missing))


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("clock-jump", {"by_ms": 5}),
        ("queue-stall", {}),
        ("read-error", {"partitions": [0]}),
        ("stall", {"site": "read", "mode": "hold", "partitions": [0]}),
    ],
)
def test_a_broker_without_the_shim_is_an_error(
    kind: str, keys: dict[str, Any], control: ControlFile
) -> None:
    control.header.attached = 0
    fault = planned(OneNode(controls={1: control}), kind, io_threads=1, **keys)
    with pytest.raises(InsyncError, match="broker 1 did not load the stall shim"):
        fault.inject()
    fault.lift()
