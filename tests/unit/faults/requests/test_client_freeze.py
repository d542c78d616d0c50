"""The Java clients are stopped in an open transaction, without a broker."""

from collections.abc import Sequence
from typing import Any

import pytest

from fault_runs import OneNode, planned
from insync.errors import InsyncError
from insync.faults.base import Fault
from insync.faults.kinds import client_freeze
from insync.faults.support import procfs
from insync.scenario.load import source
from unit.faults.evidence import lacks, refusal
from unit.faults.fakes import Process

OWN = {"t-0"}


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_freeze, "OPEN_WITHIN_S", 0.2)
    monkeypatch.setattr(client_freeze, "ARRIVES_WITHIN_S", 0.0)


def frozen(busy: Process, answers: Sequence[set[str]]) -> Fault[Any]:
    """Return the fault, whose coordinator answers this in turn, and the last answer again."""
    left = list(answers)

    def open_transactions(broker: int) -> set[str]:
        assert broker == 2
        assert procfs.is_stopped(busy.pid), "it is asked while the clients do nothing"
        return left.pop(0) if len(left) > 1 else left[0]

    cluster = OneNode(open_transactions=open_transactions)
    return planned(cluster, "client-freeze", broker=2, clients=busy, transactions=["t-0", "t-1"])


@pytest.mark.parametrize(
    ("answers", "figures", "lacking"),
    [
        ([OWN, OWN, set()], (1, 1), None),
        # None is open; one is, and ends by what the clients had sent before; one of another repeat.
        ([set(), OWN, set(), {"old"}, {*OWN, "old"}, {*OWN, "old"}, {"old"}], (1, 1), None),
        ([OWN, {"t-0", "t-1"}, {"t-1"}], (2, 1), "timed_out was 1, expected exactly 2"),
        ([OWN], (1, 0), "timed_out was 0, expected exactly 1"),
        ([set()], (0, 0), "open was 0, expected at least 1"),
    ],
)
def test_the_clients_do_nothing_from_an_open_transaction_on_until_it_has_timed_out(
    busy: Process,
    answers: Sequence[set[str]],
    figures: tuple[int, int],
    lacking: str | None,
) -> None:
    fault = frozen(busy, answers)
    fault.inject()
    fault.lift()
    fault.lift()
    line = fault.evidence()
    assert line.acted_ms > 0
    assert (line.figures["open"], line.figures["timed_out"]) == figures
    assert lacks("client-freeze", line.figures) == lacking
    assert not procfs.is_stopped(busy.pid)


def test_without_java_clients_it_cannot_act() -> None:
    with pytest.raises(InsyncError, match="no Java clients"):
        planned(OneNode(), "client-freeze").inject()


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            'client = "both"', 'client = "librdkafka"',
            "faults[0].kind: 'client-freeze', expected a scenario with workload.transactions, and",
        ),
        ("for_ms = 6_000", "for_ms = 2_000", "faults[0].for_ms: 2000, expected more than workload"),
        ("timeout_ms = 2_000", "timeout_ms = 2_500", "transactions.timeout_ms: 2000, expected at"),
        ("\ntimeout_ms = 2_000", "\ntimeout_ms = 1_000_000", "expected at most 900000"),
    ],
)  # fmt: skip
def test_clients_that_cannot_be_stopped_so_are_refused(old: str, new: str, problem: str) -> None:
    text = source("frozen-client")
    assert old in text
    assert problem in refusal(text.replace(old, new, 1))
