"""The clock jump: what its evidence shows, and what a scenario may ask of it."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from fault_runs import planned
from insync.events.schema import FaultLine
from insync.faults.support.control import ControlFile
from insync.scenario.load import parse
from unit.faults.evidence import alone, lacks


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
