"""A controlled shutdown: its times, and when there is no evidence of one."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from fault_runs import OneNode, planned
from insync.errors import InsyncError
from insync.faults.kinds import stop
from insync.run.repeat import check_done
from unit.faults.evidence import lacks
from waiting import wait_for

POLITE = "import time; print('up', flush=True); time.sleep(60)"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + POLITE


class Broker:
    """A process that may be started again."""

    def __init__(self, code: str) -> None:
        self.starts = 0
        self._code = code
        self.start()

    def start(self, _: int = 1) -> None:
        self.starts += 1
        self.process = subprocess.Popen([sys.executable, "-c", self._code], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"up\n"

    def kill(self, _: int = 1) -> None:
        self.process.kill()
        self.process.wait(10)

    def fault(self, *, listed: bool = True) -> Any:
        cluster = OneNode(kill=self.kill, restart=self.start, is_listed=lambda _: listed)
        cluster.process = lambda _: self.process  # type: ignore[method-assign]
        return planned(cluster, "stop")


@pytest.fixture
def brokers() -> Iterator[list[Broker]]:
    """Collect brokers, which are ended."""
    started: list[Broker] = []
    yield started
    for broker in started:
        broker.kill()


def missing(line: Any) -> str | None:
    return lacks("stop", line.figures)


def test_a_broker_that_ends_starts_again_and_its_times_are_evidence(brokers: list[Broker]) -> None:
    brokers.append(broker := Broker(POLITE))
    fault = broker.fault()
    fault.inject()
    wait_for(broker.process.poll, lambda code: code is not None)
    fault.lift()
    fault.lift()
    assert broker.starts == 2
    line = fault.evidence()
    assert (missing(line), fault.failed) == (None, "")
    assert 0 < line.figures["shut_down_ms"] <= line.lifted_ms - line.injected_ms + 1
    assert line.figures["listed_ms"] > 0
    assert 0 < line.acted_ms < line.lifted_ms - line.injected_ms + 1


def test_a_broker_that_does_not_end_is_killed_and_that_is_a_finding(
    brokers: list[Broker],
) -> None:
    brokers.append(broker := Broker(STUBBORN))
    fault = broker.fault()
    fault.inject()
    check_done([fault])
    fault.lift()
    assert broker.starts == 2
    line = fault.evidence()
    assert (line.figures["ended"], missing(line)) == (0.0, None)
    with pytest.raises(InsyncError, match=r"broker 1: did not end within 0\.1 s of SIGTERM"):
        check_done([fault])


def test_a_broker_that_stays_fenced_is_no_evidence(
    brokers: list[Broker], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stop, "LISTED_WITHIN_S", 0.01)
    brokers.append(broker := Broker(POLITE))
    fault = broker.fault(listed=False)
    fault.inject()
    wait_for(broker.process.poll, lambda code: code is not None)
    fault.lift()
    assert missing(fault.evidence()) == "listed was 0, expected exactly 1"


def test_a_broker_that_has_ended_cannot_be_stopped(brokers: list[Broker]) -> None:
    brokers.append(broker := Broker(POLITE))
    broker.kill()
    fault = broker.fault()
    with pytest.raises(InsyncError, match="broker 1: its process ended before the stop"):
        fault.inject()
    fault.lift()
    assert broker.starts == 1
