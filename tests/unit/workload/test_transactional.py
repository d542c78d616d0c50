"""When a transactional producer begins its transactions, with a client that answers at once."""

import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from insync.events.schema import TransactionLine
from insync.workload import transactional
from insync.workload.plan import Load, TransactionPlan, WorkloadPlan
from insync.workload.transactional import TransactionalProducer


class Client:
    """Commits everything, and keeps the keys of the records."""

    def __init__(self, *_: object) -> None:
        self.keys: list[bytes | None] = []

    def produce(self, _: str, __: bytes, key: bytes | None, **___: object) -> None:
        self.keys.append(key)

    def __getattr__(self, _: str) -> Any:
        return lambda *_: None


def ran(
    monkeypatch: pytest.MonkeyPatch, until: float | None, stop_after: int
) -> tuple[int, Client]:
    """Return how many transactions a producer ran until it ended, or after so many."""
    monkeypatch.setattr(transactional, "Producer", Client)
    plan = WorkloadPlan(
        bootstrap="nowhere:1", arm="stock", repeat=0, topic="t", partitions=range(2), rate=1,
        producers=1, record_bytes=30, seed=0, drain_seconds=0.0, load=Load(key_countdown=9),
    )  # fmt: skip
    own = TransactionPlan(ids=["t-0"], per_second=50, records=2, abort_percent=0, until=until)
    stop, done = threading.Event(), []

    def write(line: TransactionLine) -> None:
        done.append(line)
        if len(done) == stop_after:
            stop.set()

    writers = (SimpleNamespace(write=lambda _: None), SimpleNamespace(write=write))
    failures: list[BaseException] = []
    producer = TransactionalProducer(
        plan, own, 0, cast("Any", writers), stop, threading.Event(), failures.append
    )
    producer.run()
    assert failures == []
    return len(done), cast("Client", producer._client)


def test_it_begins_no_transaction_after_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    count, client = ran(monkeypatch, until=0.1, stop_after=1_000)
    assert 1 <= count <= 6
    assert len(set(client.keys)) == len(client.keys) == 2 * count, "each record has its own key"


def test_without_a_time_it_goes_on_until_it_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ran(monkeypatch, until=None, stop_after=8)[0] == 8
