"""Reads of one broker fail: the rules that the shim gets, the evidence, and rejected input."""

import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from fault_runs import planned
from insync.faults.support.control import ControlFile, Mode, Site, State
from unit.faults.evidence import acted


@pytest.fixture
def control(tmp_path: Path) -> ControlFile:
    """Make a control file that one process has mapped."""
    control = ControlFile.create(tmp_path / "control", tmp_path, capacity=2)
    control.header.attached = 1
    return control


def rules(control: ControlFile) -> list[tuple[int, ...]]:
    """Return state, site and mode of both rules."""
    return [(rule.state, rule.site, rule.mode) for rule in control.slots]


def test_the_reads_of_each_partition_fail_until_the_fault_is_lifted(control: ControlFile) -> None:
    fault = planned(SimpleNamespace(controls={1: control}), "read-error", partitions=[0, 1])
    fault.prepare()
    fault.inject()
    assert rules(control) == [(State.ARMED, Site.READ, Mode.FAIL)] * 2
    control.slots[0].calls = 3
    control.slots[0].first_ns = began = time.monotonic_ns() - 50_000_000
    fault.lift()
    fault.lift()
    assert rules(control) == [(State.LIFTED, Site.READ, Mode.FAIL)] * 2
    line = fault.evidence()
    assert line.figures == {"calls_failed": 3.0}
    assert line.calls_held == 0
    assert 50 <= line.acted_ms <= (time.monotonic_ns() - began) / 1e6


def test_without_a_failed_call_it_did_not_act(control: ControlFile) -> None:
    line = acted(planned(SimpleNamespace(controls={1: control}), "read-error", partitions=[0, 1]))
    assert (line.figures, line.acted_ms) == ({"calls_failed": 0.0}, 0.0)
