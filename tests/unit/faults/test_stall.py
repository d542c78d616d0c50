"""The harness's side of the shim: its layout and rules; stalls, read errors and a clock's jump."""

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic_core import PydanticCustomError

from fault_runs import OneNode, planned
from insync.errors import InputError, InsyncError
from insync.events.schema import FaultLine
from insync.faults.base import Fault
from insync.faults.kinds.stall import Stall
from insync.faults.spec import Surroundings
from insync.faults.support import armed_rules, shim
from insync.faults.support import control as layout
from insync.faults.support.control import ControlFile, Mode, Site, StallRule, State
from insync.faults.support.shim import preload, require_shim
from insync.scenario.load import parse
from unit.faults.evidence import alone, lacks

HEADER = Path(layout.__file__).parent / "native" / "stall.h"
READ_RULE = StallRule(site=Site.READ, mode=Mode.HOLD, target="t-0", deadline_ns=1)


def stalled(control: ControlFile, *, exit_code: int | None = None, **keys: Any) -> Fault[Any]:
    """Plan a read stall of topic t at broker 1, which has ended if it has an exit code."""
    node = OneNode(SimpleNamespace(poll=lambda: exit_code), controls={1: control})
    return planned(
        node, "stall", topic="t", mode="hold", **{"site": "read", "partitions": (0, 1), **keys}
    )


def test_both_sides_name_the_same_layout() -> None:
    text = HEADER.read_text()
    assert f"STALL_MAGIC {layout.MAGIC:#x}u" in text
    assert f"STALL_LAYOUT {layout.LAYOUT}u" in text
    assert re.search(rf"sizeof\(struct stall_rule\) == {layout.RULE_BYTES},", text)
    assert re.search(rf"offsetof\(struct stall_control, rules\) == {layout.HEADER_BYTES},", text)


@pytest.mark.parametrize(
    ("asked", "armed"),
    [({}, b"*.log"), ({"site": "fsync"}, b"*.log ."), ({"files": "*.snapshot"}, b"*.snapshot")],
)
def test_a_rule_has_the_files_of_its_site_or_those_of_the_scenario(
    control: ControlFile, asked: dict[str, str], armed: bytes
) -> None:
    stalled(control, **asked).inject()
    assert control.slots[0].files == armed


def test_rules_are_handed_out_in_order_and_never_reused(control: ControlFile) -> None:
    with pytest.raises(InsyncError, match="cannot arm stall rule 4 of 4 for t-0"):
        control.arm_all([READ_RULE] * 5)
    assert control.header.armed == 0, "those that do not fit are refused together"
    slots = []
    for _ in range(4):
        slots.append(control.arm(READ_RULE))
        control.lift(slots[-1])
    assert slots == [0, 1, 2, 3]


def test_armed_rules_are_counted_so_that_the_shim_can_skip_checks(control: ControlFile) -> None:
    first, second = control.arm(READ_RULE), control.arm(READ_RULE)
    assert control.header.armed == 2
    control.lift(first)
    control.lift(first)
    assert control.header.armed == 1
    control.lift(second)
    assert control.header.armed == 0


@pytest.mark.parametrize("content", [b"", b"\0" * 4096])
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(InsyncError, match="other: "):
        ControlFile(tmp_path / "other")


def test_a_path_too_long_for_the_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InsyncError, match="longer than 971 bytes"):
        ControlFile.create(tmp_path / "control", Path("/" + "x" * 1000), capacity=1)


def test_evidence_is_the_sum_over_the_partitions(control: ControlFile) -> None:
    fault = stalled(control)
    fault.inject()
    first, second, *_ = control.slots
    first.calls, first.held_ns, first.longest_ns = 2, 30_000_000, 20_000_000
    second.calls, second.held_ns, second.longest_ns = 1, 5_000_000, 5_000_000
    fault.lift()
    line = fault.evidence()
    assert (line.calls_held, line.held_ms, line.longest_held_ms) == (3, 35.0, 20.0)
    assert (line.fault, line.site, line.mode, line.broker) == ("stall", "read", "hold", 1)
    assert line.target == ["t-0", "t-1"]
    assert line.injected_ms <= line.lifted_ms


def test_calls_stalled_in_a_killed_broker_count_until_its_death(control: ControlFile) -> None:
    fault = stalled(control, exit_code=-9)
    fault.inject()
    rule = control.slots[0]
    rule.held_now, rule.calls = 2, 2
    rule.first_ns = began = time.monotonic_ns() - 300_000_000
    fault.lift()  # does not wait for the calls to leave
    line = fault.evidence()
    assert line.calls_held == 2
    assert 300 <= line.longest_held_ms == line.held_ms <= (time.monotonic_ns() - began) / 1e6


def test_a_rule_expires_soon_after_its_planned_time(control: ControlFile) -> None:
    before = time.monotonic_ns()
    stalled(control, for_ms=2_000).inject()
    planned_ns = 2e9 + armed_rules.DEADLINE_SECONDS * 1e9
    assert before < control.slots[0].deadline_ns - planned_ns < time.monotonic_ns()


def test_calls_still_stalled_after_the_lift_are_an_error(
    control: ControlFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(armed_rules, "DRAIN_SECONDS", 0.05)
    fault = stalled(control)
    fault.inject()
    control.slots[0].held_now = 1
    with pytest.raises(InsyncError, match="1 calls still held"):
        fault.lift()


def rules(control: ControlFile) -> list[tuple[int, ...]]:
    """Return state, site and mode of the first two rules."""
    return [(rule.state, rule.site, rule.mode) for rule in control.slots[:2]]


def test_the_reads_of_each_partition_fail_until_the_fault_is_lifted(control: ControlFile) -> None:
    fault = planned(OneNode(controls={1: control}), "read-error", partitions=[0, 1])
    fault.inject()
    assert rules(control) == [(State.ARMED, Site.READ, Mode.FAIL)] * 2
    control.slots[0].calls = 3
    control.slots[0].first_ns = began = time.monotonic_ns() - 50_000_000
    fault.lift()
    fault.lift()
    assert rules(control) == [(State.LIFTED, Site.READ, Mode.FAIL)] * 2
    line = fault.evidence()
    assert (line.figures, line.calls_held) == ({"calls_failed": 3}, 0)
    assert 50 <= line.acted_ms <= (time.monotonic_ns() - began) / 1e6


@pytest.mark.parametrize(
    ("folder", "problem"),
    [
        ("none", r"no libinsync_stall.so: .*needs a C compiler"),
        ("my tools", "no path with a space"),  # LD_PRELOAD cannot name it
    ],
)
def test_a_shim_that_cannot_be_loaded_is_refused_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, problem: str
) -> None:
    (tmp_path / "my tools").mkdir()
    (tmp_path / "my tools" / "libinsync_stall.so").touch()
    monkeypatch.setattr(shim, "SHIM", tmp_path / folder / "libinsync_stall.so")
    with pytest.raises(InputError, match=problem) as caught:
        require_shim()
    assert "\n" not in str(caught.value)


def test_the_environment_names_the_control_file_and_adds_the_shim_to_what_is_preloaded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LD_PRELOAD", "/lib/other.so")
    assert preload(tmp_path / "shim.so", tmp_path)["LD_PRELOAD"].endswith("shim.so:/lib/other.so")
    monkeypatch.delenv("LD_PRELOAD")
    environment = preload(tmp_path / "shim.so", tmp_path / "control")
    assert environment["LD_PRELOAD"] == str(tmp_path / "shim.so")
    assert Path(environment["INSYNC_STALL_CONTROL"]).is_absolute()


@pytest.mark.parametrize(
    ("site", "needed"),
    [
        ("fsync", {"flushes"}),
        ("create", {"rolls"}),
        ("truncate *.index", {"rolls"}),
        ("create *.timeindex", {"rolls"}),
        ("create *.snapshot", set()),
        ("fsync leader-epoch-checkpoint*", set()),
        ("truncate", set()),
        ("rename", {"rolls", "deletes"}),
        ("rename .", set()),
    ],
)
def test_a_site_needs_brokers_that_make_its_calls(site: str, needed: set[str]) -> None:
    name, _, files = site.partition(" ")
    spec = Stall.model_validate(
        {"kind": "stall", "site": name, "mode": "hold", "broker": 1, "partitions": [0],
         "at_ms": 0, "for_ms": 100, **({"files": files} if files else {})}
    )  # fmt: skip
    does = {each: each in needed for each in ("flushes", "rolls", "deletes")}
    around = Surroundings(index=0, leaders=(1,), earlier=(), **does)
    spec.check_within(around)
    for missing in needed:
        with pytest.raises(PydanticCustomError, match="site"):
            spec.check_within(replace(around, **{missing: False}))


@dataclass(frozen=True)
class Clock:
    ahead_ms: float
    error_ms: float = 2.0


def jumped(control: ControlFile, by_ms: int, *readings: Clock | None) -> FaultLine:
    """Jump by `by_ms` while the broker's clock is read as `readings`."""
    clock: Iterator[Clock | None] = iter(readings)
    topics: list[str] = []
    cluster = SimpleNamespace(
        controls={2: control},
        make_clock_topic=lambda topic, _: topics.append(topic),
        clock_reading=lambda *_: next(clock),
    )
    fault = planned(cluster, "clock-jump", broker=2, by_ms=by_ms)
    fault.prepare()
    fault.inject()
    assert control.header.ahead_ns == by_ms * 1_000_000
    fault.lift()
    fault.lift()
    assert (control.header.ahead_ns, topics) == (0, ["t-r0-c2-0"])
    return fault.evidence()


def missing(by_ms: int, line: FaultLine) -> str | None:
    return lacks("clock-jump", line.figures, by_ms=by_ms)


@pytest.mark.parametrize("by_ms", [5_000, -5_000])
def test_a_jump_shows_in_the_brokers_times_at_both_ends(control: ControlFile, by_ms: int) -> None:
    seen = jumped(control, by_ms, Clock(1), Clock(by_ms + 2), Clock(by_ms + 4))
    assert seen.figures["shifted_ms"] == by_ms + 3
    assert seen.figures["error_ms"] == 4
    assert seen.acted_ms > 0
    assert missing(by_ms, seen) is None


def test_a_clock_that_went_back_before_the_end_is_no_evidence(control: ControlFile) -> None:
    seen = jumped(control, 5_000, Clock(0), Clock(5_000), Clock(0))
    assert seen.acted_ms == 0
    assert missing(5_000, seen) == "shifted_ms was 0, expected 5000, at most 4 off"


@pytest.mark.parametrize("readings", [(None, Clock(5), Clock(5)), (Clock(0), Clock(5), None)])
def test_a_broker_that_does_not_answer_gives_no_evidence(
    control: ControlFile, readings: tuple[Clock | None, ...]
) -> None:
    seen = jumped(control, 5, *readings)
    assert "no append time" in str(missing(5, seen))


def test_a_jump_back_stays_one_when_a_scenario_is_scaled() -> None:
    (fault,) = parse(alone("clock-jump", by_ms=-4_000), "mine.toml", 0.5).faults
    assert fault.model_dump()["by_ms"] == -2_000
