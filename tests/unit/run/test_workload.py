"""The producers keep their pace and write a line for each record, on a fake client."""

import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from event_lines import read_lines
from insync.events.writer import EventWriter
from insync.workload import producer
from insync.workload.plan import NEXT_LIFE, values
from insync.workload.producer import PartitionProducer
from insync.workload.value import read
from unit import fake_producer
from unit.fake_producer import FakeClient
from unit.workload.plans import BASE


class Clock:
    """The producer's time, which passes only while it waits in its client."""

    def __init__(self) -> None:
        self.at = 0.0
        self._planned: list[tuple[float, Callable[[], object]]] = []

    def after(self, seconds: float, act: Callable[[], object]) -> None:
        self._planned.append((self.at + seconds, act))

    def sleep(self, seconds: float) -> None:
        self.at += seconds
        for each in self._planned.copy():
            if each[0] <= self.at:
                self._planned.remove(each)
                each[1]()


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Replace the client, and the time by one that passes only while the client is polled."""
    made = Clock()
    monkeypatch.setattr(producer, "Producer", FakeClient)
    monkeypatch.setattr(producer, "time", SimpleNamespace(monotonic=lambda: made.at))
    monkeypatch.setattr(producer, "now_ms", lambda: made.at * 1000)
    monkeypatch.setattr(fake_producer, "sleep", made.sleep)
    return made


class Bench:
    def __init__(
        self, folder: Path, clock: Clock, *, drain_seconds: float = 5.0, lane: int = 0,
        producers: int = 1, idempotent: bool = False,
    ) -> None:  # fmt: skip
        self.plan = replace(
            BASE, rate=100, producers=producers, record_bytes=32, seed=7,
            drain_seconds=drain_seconds, idempotent=idempotent,
        )  # fmt: skip
        self.clock = clock
        self.path = folder / "produce-0.jsonl"
        self.stop, self.abandon = threading.Event(), threading.Event()
        self.failures: list[BaseException] = []
        writer, failed = EventWriter(self.path), self.failures.append
        self.thread = PartitionProducer(self.plan, 0, lane, writer, self.stop, self.abandon, failed)
        self.client: FakeClient = self.thread._client  # type: ignore[assignment]

    def run(self, seconds: float) -> list[dict[str, Any]]:
        self.clock.after(seconds, self.stop.set)
        self.thread.run()
        return sorted(read_lines(self.path), key=lambda line: int(line["seq"]))


@pytest.fixture
def bench(tmp_path: Path, clock: Clock) -> Bench:
    return Bench(tmp_path, clock)


def test_the_rate_is_constant_and_every_record_has_its_line(bench: Bench) -> None:
    lines = bench.run(0.5)
    assert [line["seq"] for line in lines] == [*range(len(lines))]
    assert 49 <= len(lines) <= 51
    assert [line["offset"] for line in lines] == [*range(len(lines))]
    assert [line["sent_ms"] for line in lines] == pytest.approx([*range(0, 10 * len(lines), 10)])
    assert bench.failures == []


def test_a_stall_delays_answers_but_not_the_pace_and_counts_from_the_due_time(bench: Bench) -> None:
    bench.client.answering = False
    bench.clock.after(0.3, lambda: setattr(bench.client, "answering", True))
    lines = bench.run(0.5)
    assert 49 <= len(lines) <= 51
    assert 300 <= lines[0]["latency_ms"] <= 310
    assert lines[10]["latency_ms"] == pytest.approx(lines[0]["latency_ms"] - 100)


@pytest.mark.parametrize(
    ("refusal", "name"),
    [
        (BufferError("Local: Queue full"), "_QUEUE_FULL"),
        (KafkaException(KafkaError(KafkaError._FATAL)), "_FATAL"),
    ],
)
def test_a_refusal_is_an_error_of_that_record(bench: Bench, refusal: Exception, name: str) -> None:
    bench.client.refusal = refusal
    lines = bench.run(0.1)
    assert {line["error"] for line in lines} == {name}
    assert {line["offset"] for line in lines} == {None}
    assert all(line["done_ms"] is not None for line in lines)


def test_records_that_are_never_answered_are_accounted_for(tmp_path: Path, clock: Clock) -> None:
    short = Bench(tmp_path, clock, drain_seconds=0.2)
    short.client.answering = False
    lines = short.run(0.1)
    assert len(lines) >= 9
    assert {(line["done_ms"], line["latency_ms"], line["error"]) for line in lines} == {
        (None, None, None)
    }
    assert short.failures == []
    assert clock.at == pytest.approx(0.3, abs=0.11), "the time of the plan"


def test_an_abandoned_producer_does_not_wait_for_answers(bench: Bench) -> None:
    bench.client.answering = False
    bench.abandon.set()
    bench.run(0.1)
    assert bench.clock.at == pytest.approx(0.1, abs=0.011)


def test_an_error_in_the_thread_is_reported(bench: Bench) -> None:
    bench.client.refusal = RuntimeError("no longer")
    bench.run(0.05)
    assert [str(failure) for failure in bench.failures] == ["no longer"]


def test_the_clients_settings_are_the_librarys_unless_the_plan_has_others(bench: Bench) -> None:
    own = bench.client.settings
    assert (own["acks"], own["enable.idempotence"], own["linger.ms"]) == ("all", False, 0)
    assert "retries" not in own
    assert producer.settings(replace(bench.plan, retries=False))["retries"] == 0
    assert producer.timeouts(None) == {}
    assert producer.timeouts(500) == {
        "socket.timeout.ms": 500,
        "request.timeout.ms": 500,
        "reconnect.backoff.ms": 100,
        "reconnect.backoff.max.ms": 500,
    }
    assert producer.timeouts(40)["reconnect.backoff.ms"] == 40


def test_an_idempotent_producer_keeps_records_that_its_client_could_not_send_at_once(
    tmp_path: Path, clock: Clock
) -> None:
    bench = Bench(tmp_path, clock, idempotent=True)
    assert bench.client.settings["enable.idempotence"] is True
    bench.client.answering = False
    held: list[int] = []

    def resume() -> None:
        held.append(len(bench.client.values))
        bench.client.answering = True

    clock.after(0.3, resume)
    lines = bench.run(0.6)
    assert held == [producer.IN_FLIGHT]
    assert [line["seq"] for line in lines] == [*range(len(lines))]
    assert len(lines) >= 59, "every record that had to wait was sent"
    due = pytest.approx([*range(0, 10 * len(lines), 10)])
    assert [line["sent_ms"] for line in lines] == due, "and counts from its due time"
    assert lines[10]["latency_ms"] > 100


def test_after_a_fatal_error_a_new_client_takes_over_and_counts_as_another_producer(
    tmp_path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    fatal = KafkaError(KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER, "desynchronized", True)
    made: list[FakeClient] = []

    def client(settings: dict[str, Any]) -> FakeClient:
        made.append(FakeClient(settings))
        return made[-1]

    monkeypatch.setattr(producer, "Producer", client)
    bench = Bench(tmp_path, clock, idempotent=True)
    made[0].answering = False
    clock.after(0.2, lambda: setattr(made[0], "failure", fatal))
    lines = bench.run(0.5)
    assert bench.failures == []
    assert len(made) == 2
    failed = [line for line in lines if line["error"]]
    assert {line["error"] for line in failed} == {"OUT_OF_ORDER_SEQUENCE_NUMBER"}
    assert len(failed) == producer.IN_FLIGHT
    acked = [line for line in lines if line["offset"] is not None]
    assert {line["producer"] for line in failed} == {0}
    assert {line["producer"] for line in acked} == {NEXT_LIFE}
    assert lines == sorted([*failed, *acked], key=lambda line: int(line["seq"]))


def test_values_contain_their_sequence_number_and_depend_on_the_seed(bench: Bench) -> None:
    first, again = values(bench.plan, 0), values(bench.plan, 0)
    taken = [next(first) for _ in range(3)]
    assert taken == [next(again) for _ in range(3)]
    assert [read(value, "t-r0", 0).seq for value in taken] == [0, 1, 2]
    assert {len(value) for value in taken} == {32}
    assert next(values(bench.plan, 1)) != taken[0]


def test_two_producers_of_a_partition_share_its_records_and_send_each_once(
    tmp_path: Path, clock: Clock
) -> None:
    both = [Bench(tmp_path / str(lane), clock, lane=lane, producers=2) for lane in range(2)]
    lines = [bench.run(0.2) for bench in both]
    assert [line["seq"] for line in lines[0]][:3] == [0, 2, 4]
    assert [line["seq"] for line in lines[1]][:3] == [1, 3, 5]
    assert both[0].client.values[0] != both[1].client.values[0]
