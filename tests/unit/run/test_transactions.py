"""Transactional producers write the right lines for every outcome of their transactions."""

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import Mock, call

import pytest
from confluent_kafka import KafkaError, KafkaException

from event_lines import read_lines
from insync.events.writer import EventWriter
from insync.workload import transactional
from insync.workload.plan import LANE_BITS, NEXT_LIFE, Load, TransactionPlan
from insync.workload.transactional import TransactionalProducer, TransactionReader
from unit import fake_producer
from unit.fake_producer import FakeMessage
from unit.workload.plans import BASE
from waiting import wait_for

AGAIN = KafkaError(KafkaError._TIMED_OUT, "later", False, True, False)
ABORT = KafkaError(KafkaError.INVALID_TXN_STATE, "abort it", False, False, True)
FATAL = KafkaError(KafkaError._FENCED, "fenced", True, False, False)
DEAF = KafkaError(KafkaError._STATE, "no")


class FakeClient(fake_producer.FakeClient):
    """A transactional client; `plan` has the errors of each method's next calls, in order."""

    made: list["FakeClient"]

    def __init__(self, settings: dict[str, Any]) -> None:
        super().__init__(settings)
        self.calls: list[str] = []
        self.plan: dict[str, list[KafkaError]] = {}
        FakeClient.made.append(self)

    def init_transactions(self, _: float) -> None:
        self._called("init")

    def begin_transaction(self) -> None:
        self._called("begin")

    def produce(self, *record: Any, **more: Any) -> None:
        self._called("produce")
        super().produce(*record, **more)

    def poll(self, seconds: float) -> int:
        self._called("poll")
        return self.answer(len(self._waiting))

    def commit_transaction(self, _: float) -> None:
        self.answer(len(self._waiting))
        self._called("commit")

    def abort_transaction(self, _: float) -> None:
        """Abort; pending records are purged."""
        while self._waiting:
            self._waiting.pop(0)(KafkaError(KafkaError._PURGE_QUEUE), FakeMessage())
        self._called("abort")

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.plan.get(name):
            raise KafkaException(self.plan[name].pop(0))


class Bench:
    def __init__(
        self, folder: Path, *, abort_percent: int = 0, seed: int = 7,
        reader: Mock | None = None, until: float | None = None, key_countdown: int = 0,
    ) -> None:  # fmt: skip
        own = TransactionPlan(
            ids=("a", "b"), per_second=100, records=3, abort_percent=abort_percent, reads=9,
            until=until,
        )  # fmt: skip
        plan = replace(
            BASE, partitions=(0, 1, 2, 3), record_bytes=32, seed=seed, drain_seconds=0.3,
            client_timeout_ms=900, transactions=own, load=Load(key_countdown=key_countdown),
        )  # fmt: skip
        self.folder = folder
        self.stop, self.abandon = threading.Event(), threading.Event()
        self.failures: list[BaseException] = []
        names = ("produce-0.jsonl", "transactions-0.jsonl")
        self.thread = TransactionalProducer(
            plan, own, 1, EventWriter(folder / names[0]), EventWriter(folder / names[1]),
            self.stop, self.abandon, self.failures.append, reader,
        )  # fmt: skip
        self.client = FakeClient.made[-1]

    def run(self, transactions: int = 3) -> list[dict[str, Any]]:
        self.thread.start()
        wait_for(
            lambda: self.lines("transactions"),
            lambda lines: len(lines) >= transactions or not self.thread.is_alive(),
        )
        self.stop.set()
        self.thread.join(10)
        assert not self.thread.is_alive()
        return self.lines("transactions")

    def lines(self, kind: str) -> list[dict[str, Any]]:
        return read_lines(self.folder / f"{kind}-0.jsonl")


@pytest.fixture(autouse=True)
def _no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    FakeClient.made = []
    monkeypatch.setattr(transactional, "Producer", FakeClient)


def test_a_transaction_has_its_records_and_one_line_with_its_end(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    lines = bench.run()
    assert bench.failures == []
    assert bench.thread.acked.is_set()
    assert [line["transaction"] for line in lines[:3]] == [1, 3, 5], "every second record, of two"
    assert {(line["wanted"], line["end"], line["records"]) for line in lines} == {
        ("commit", "committed", 3)
    }
    assert all(line["begun_ms"] <= line["asked_ms"] <= line["ended_ms"] for line in lines)
    records = [line for line in bench.lines("produce") if line["transaction"] == 1]
    assert len({line["partition"] for line in records}) == 3
    assert [line["seq"] >> LANE_BITS for line in records] == [2, 2, 2], "different from all others"
    assert bench.client.settings["transactional.id"] == "b"
    assert bench.client.settings["socket.timeout.ms"] == 900


def test_no_transaction_begins_after_its_time(tmp_path: Path) -> None:
    """At 100 a second it is the eleventh at most; the producer ends although nobody stops it."""
    bench = Bench(tmp_path, until=0.1)
    assert 1 <= len(bench.run(1_000)) <= 11
    assert bench.failures == []


@pytest.mark.parametrize(("key_countdown", "keys"), [(0, 1), (9, 6)])
def test_records_have_keys_of_their_own_where_the_plan_says_so(
    tmp_path: Path, key_countdown: int, keys: int
) -> None:
    bench = Bench(tmp_path, key_countdown=key_countdown)
    bench.run(2)
    assert len(set(bench.client.keys[:6])) == keys
    assert (None in bench.client.keys) == (keys == 1)


def test_a_transaction_reads_before_it_writes_and_tells_readers_of_its_end(tmp_path: Path) -> None:
    reader = Mock(spec=TransactionReader)
    bench = Bench(tmp_path, reader=reader)
    bench.client.plan["commit"] = [ABORT]
    lines = bench.run(2)
    assert [line["end"] for line in lines[:2]] == ["aborted", "committed"]
    assert reader.mock_calls[:4] == [
        call.read(1, 9), call.ended(committed=False), call.read(3, 9), call.ended(committed=True),
    ]  # fmt: skip
    assert reader.mock_calls[-1] == call.close()


def test_records_aborted_on_purpose_are_in_the_log_before_the_abort(tmp_path: Path) -> None:
    bench = Bench(tmp_path, abort_percent=90)
    lines = [line for line in bench.run(8) if line["wanted"] == "abort"]
    assert {line["end"] for line in lines} == {"aborted"}
    numbers = {line["transaction"] for line in lines}
    records = [line for line in bench.lines("produce") if line["transaction"] in numbers]
    assert {line["error"] for line in records} == {None}


def test_the_seed_decides_where_records_go_and_what_is_aborted(tmp_path: Path) -> None:
    def history(seed: int, name: str) -> tuple[list[str], list[tuple[int, int]]]:
        bench = Bench(tmp_path / name, abort_percent=50, seed=seed)
        ends = [line["wanted"] for line in bench.run(8)[:8]]
        return ends, [(line["partition"], line["seq"]) for line in bench.lines("produce")[:24]]

    assert history(3, "one") == history(3, "same")
    assert history(3, "once-more") != history(4, "other")


def test_a_retriable_commit_is_retried(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.client.plan["commit"] = [AGAIN, AGAIN]
    lines = bench.run(1)
    assert lines[0]["end"] == "committed"
    assert bench.client.calls[:8] == ["init", "begin", *["produce"] * 3, *["commit"] * 3]


@pytest.mark.parametrize("fails", ["produce", "commit"])
def test_a_transaction_that_cannot_be_committed_is_aborted_with_the_reason(
    tmp_path: Path, fails: str
) -> None:
    bench = Bench(tmp_path)
    bench.client.plan[fails] = [ABORT]
    line = bench.run(2)[0]
    found = (line["wanted"], line["end"], line["error"])
    assert found == ("commit", "aborted", "INVALID_TXN_STATE")
    assert bench.lines("transactions")[1]["end"] == "committed", "and the next transaction proceeds"


def test_after_a_fatal_error_the_end_is_unknown_and_a_new_client_takes_over(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.client.plan["commit"] = [FATAL]
    lines = bench.run(2)
    assert (lines[0]["end"], lines[0]["error"], lines[0]["took_ms"]) == ("unknown", "_FENCED", None)
    assert lines[1]["end"] == "committed"
    assert [client.calls[0] for client in FakeClient.made] == ["init", "init"]


def test_answers_to_a_replaced_client_are_not_awaited(tmp_path: Path) -> None:
    bench = Bench(tmp_path, abort_percent=50)
    bench.client.plan["produce"] = [FATAL]
    lines = bench.run(8)
    assert {line["end"] for line in lines[1:]} == {"committed", "aborted"}
    lost = [line for line in bench.lines("produce") if line["transaction"] == 1]
    assert [line["error"] for line in lost] == ["_FENCED"]
    later = {line["producer"] for line in bench.lines("produce") if line["transaction"] != 1}
    assert later == {lost[0]["producer"] + NEXT_LIFE}, "a separate producer"


def test_a_fatal_error_while_answers_are_awaited_counts_as_one(tmp_path: Path) -> None:
    bench = Bench(tmp_path, abort_percent=90)
    bench.client.plan["poll"] = [FATAL]
    lines = bench.run(6)
    assert bench.failures == []
    assert [line["error"] for line in lines if line["end"] == "unknown"] == ["_FENCED"]


def test_a_producer_that_cannot_begin_is_a_failure(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.client.plan["init"] = [DEAF]
    bench.run(1)
    assert [type(failure) for failure in bench.failures] == [KafkaException]


def test_a_producer_does_not_wait_forever_for_its_last_commit(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.client.plan["commit"] = [AGAIN] * 1_000_000
    bench.thread.start()
    bench.stop.set()
    bench.thread.join(10)
    assert not bench.thread.is_alive()
    assert {line["end"] for line in bench.lines("transactions")} <= {"unknown"}
