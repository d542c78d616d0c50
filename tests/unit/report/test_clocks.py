"""The report says how far the nodes' clocks are from the harness's."""

from insync.events.run_info import RunInfo
from insync.nodes import CONTROLLER_ID
from insync.report.sections import _clocks
from unit.run_folder import Story, run_json

RUN = RunInfo.model_validate(run_json(Story(arms=("stock",), repeats=1)))


def row(broker: int, ahead_ms: float) -> dict[str, object]:
    return {
        "arm": "stock", "repeat": -1, "broker": broker, "ahead_ms": ahead_ms, "error_ms": 0.75,
    }  # fmt: skip


def test_a_clock_may_be_behind_or_ahead() -> None:
    found = _clocks(RUN, {"clocks": [row(CONTROLLER_ID, 3_250.0), row(1, -0.4)]})
    assert [[*cells] for cells in found.rows] == [
        ["stock", "broker 1", "-0.4", "0.8"],
        ["stock", "the controller", "3\u202f250", "0.8"],
    ]


def test_clocks_that_were_not_read_are_not_said_to_agree() -> None:
    found = _clocks(RUN, {"clocks": []})
    assert not found.rows
    assert "Not measured" in found.empty
