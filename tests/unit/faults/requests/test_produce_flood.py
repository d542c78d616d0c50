"""Producers write to a topic without a limit, without a broker."""

from pathlib import Path
from typing import Any, cast

import pytest

from fault_runs import OneNode, planned
from insync.events.run_info import PlannedFault
from insync.faults.kinds.requests.produce_flood import KIND


class Producer:
    """A process that runs until it gets a signal, unless it has `ended`."""

    def __init__(self, *, ended: bool = False) -> None:
        self.pid = 1
        self.ended = ended

    def poll(self) -> int | None:
        return 1 if self.ended else None

    def send_signal(self, _: int) -> None:
        self.ended = True

    def wait(self, _: float) -> int:
        assert self.ended
        return -9


def evidence(tmp_path: Path, written: list[str], *, ended: bool = False) -> Any:
    """Return the evidence of a flood whose producers wrote these figures."""
    there: set[str] = set()
    figures = iter(written)

    def start(command: list[str]) -> Any:
        assert there <= set(command)
        Path(command[-1]).write_text(next(figures))
        return Producer(ended=ended)

    cluster = OneNode(
        folder=tmp_path, start=start, make_idle_topic=lambda topic, *_: there.add(topic),
        delete_topic=there.remove, update_topic_configs=lambda topic, _: there.add(topic),
    )  # fmt: skip
    fault = planned(cluster, "produce-flood", broker=2, producers=len(written))
    fault.prepare()
    fault.inject()
    fault.lift()
    fault.lift()
    assert not there, "the topic is deleted"
    return fault.evidence()


@pytest.mark.parametrize(
    ("written", "missing"),
    [
        (["10 2", "5 0"], None),
        (["10 0"], "waited was 0, expected at least 1"),
        (["0 7"], "acked was 0, expected at least 1"),
        (["", "1"], "acked was 0, expected at least 1"),
    ],
)
def test_a_flood_acts_if_the_brokers_were_behind(
    tmp_path: Path, written: list[str], missing: str | None
) -> None:
    line = evidence(tmp_path, written)
    planned = cast("PlannedFault", None)
    assert KIND.missing(planned, line) == missing
    assert line.figures["alive"] == len(written)


def test_producers_that_ended_early_are_no_flood(tmp_path: Path) -> None:
    assert evidence(tmp_path, ["10 2"], ended=True).acted_ms == 0
