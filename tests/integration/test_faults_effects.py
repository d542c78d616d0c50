"""Measures what each fault does to a real broker: without it and with it.

`pytest -s` prints the measurements as a table at the end.
"""

import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.cimpl import NewTopic

from fault_runs import NO_QUOTA, during, small_scenario, weaknesses
from insync.brokers.cluster.admin import client, create_topic, partitions
from insync.brokers.kafka import wire
from insync.brokers.kafka.wire import exchange
from insync.events.schema import FaultLine
from insync.faults.base import FaultContext
from insync.faults.kinds import cpu_neighbour
from insync.faults.registry import fault_of
from insync.nodes import ring
from insync.progress import Progress
from insync.run.arm_cluster import ArmCluster, open_arm_cluster
from insync.run.plan import Plan, prepare
from insync.run.request import RunRequest
from insync.scenario.load import parse
from insync.workload.prefill import prefill

NO_NEIGHBOUR = cpu_neighbour.unavailable()
TOPIC = "effects-r0"
HELD_S = 0.8
BYTES = 10_000
WITHIN_S = 30.0

STALL = {"kind": "stall", "mode": "hold", "broker": 1, "partitions": [0]}
LINK = {"kind": "link", "broker": 1, "peer": 2}
SPECS: dict[str, dict[str, Any]] = {
    "stall, site read": {**STALL, "site": "read"},
    "stall, site send": {**STALL, "site": "send"},
    "stall, site write": {**STALL, "site": "write"},
    "stall, site fsync": {**STALL, "site": "fsync"},
    "stall, site fsync, mode delay": {**STALL, "site": "fsync", "mode": "delay", "delay_ms": 50},
    "queue-stall": {"kind": "queue-stall", "broker": 1},
    "freeze": {"kind": "freeze", "broker": 1},
    "freeze of the controller": {"kind": "freeze", "target": "controller"},
    "kill of the controller": {"kind": "kill", "target": "controller"},
    "cpu-quota": {"kind": "cpu-quota", "broker": 1, "quota_percent": 1.0},
    "cpu-neighbour": {"kind": "cpu-neighbour", "broker": 1, "neighbours": 8},
    "link, mode cut": {**LINK, "mode": "cut"},
    "link, mode delay": {**LINK, "mode": "delay", "delay_ms": 50},
    "link, mode slow": {**LINK, "mode": "slow", "bytes_per_s": 40_000},
    "elect": {"kind": "elect", "broker": 2, "partitions": [0]},
    "kill": {"kind": "kill", "broker": 3},
}


def text(*names: str) -> str:
    """Write a scenario with these faults, each by itself in time."""
    faults = []
    for name in names:
        for_ms = {} if name == "elect" else {"for_ms": round(HELD_S * 1000)}
        faults.append({**SPECS[name], "at_ms": 0, **for_ms})
    # The repeats make room in the control files for as many stalls as are made here.
    flush = {"log_flush_interval_messages": 1}
    return small_scenario("effects", faults, repeats=50, timeline={"steady_ms": 0}, broker=flush)


@dataclass
class Lab:
    """A cluster that can have every fault, and the measurements taken on it."""

    arm_cluster: ArmCluster
    plan: Plan
    rows: list[tuple[str, str, float, float]] = field(default_factory=list)
    weak: list[str] = field(default_factory=list)
    producers: dict[str, Producer] = field(default_factory=dict)

    def fetch_ms(self, partition: int = 0, broker: int = 1) -> float:
        """Fetch the first record of a partition from a broker, over a connection of its own."""
        began = time.monotonic()
        with wire.connect(self.arm_cluster.cluster.nodes[broker].port, WITHIN_S) as connection:
            exchange(connection, wire.fetch(TOPIC, partition))
        return (time.monotonic() - began) * 1000

    def produce_ms(self, partition: int = 0, *, acks: str = "1") -> float:
        producer = self._producer(acks)
        began = time.monotonic()
        producer.produce(TOPIC, bytes(BYTES), partition=partition)
        assert producer.flush(WITHIN_S) == 0
        return (time.monotonic() - began) * 1000

    def make_topic_ms(self) -> float:
        began = time.monotonic()
        name = f"by-the-controller-{time.monotonic_ns()}"
        admin = client(self.arm_cluster.cluster.bootstrap)
        admin.create_topics([NewTopic(name, 1, 1)], request_timeout=WITHIN_S)[name].result()
        return (time.monotonic() - began) * 1000

    def _producer(self, acks: str) -> Producer:
        if acks not in self.producers:
            self.producers[acks] = Producer(
                {
                    "bootstrap.servers": self.arm_cluster.cluster.bootstrap, "acks": acks,
                    "linger.ms": 0, "log_level": 0, "topic.metadata.refresh.interval.ms": 200,
                    "retry.backoff.ms": 50, "reconnect.backoff.max.ms": 200,
                }
            )  # fmt: skip
        return self.producers[acks]

    def during(self, name: str, probe: Callable[[], float]) -> tuple[float, FaultLine]:
        """Return what `probe` measures from the beginning of a fault on, and the evidence."""
        spec = parse(text(name), name).faults[0]
        scenario = self.plan.cells[0].scenario
        at = FaultContext.of(
            spec, arm="stock", repeat=0, topic=TOPIC, leaders=scenario.workload.leaders,
            io_threads=scenario.broker.num_io_threads,
        )  # fmt: skip
        fault = fault_of(spec, at, self.arm_cluster)
        fault.prepare()
        measured, line = during(fault, probe, HELD_S)
        self.weak = list(weaknesses(spec.model_dump(mode="json"), asdict(line)))
        return measured, line

    def compare(
        self, name: str, what: str, probe: Callable[[], float], repeats: int = 1,
        of: Callable[[Iterable[float]], float] = min,
    ) -> tuple[float, float, FaultLine]:  # fmt: skip
        """Return one of nine probes without the fault and one of `repeats` with it, chosen by `of`.

        A fault gives every probe a least time, and a busy host can only lengthen a probe. So the
        fastest ones are compared, unless `of` says otherwise.
        """
        before = of(probe() for _ in range(9))
        measured, line = self.during(name, lambda: of(probe() for _ in range(repeats)))
        self.rows.append((name, what, before, measured))
        assert self.weak == []
        return before, measured, line


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    folder = tmp_path_factory.mktemp("effects")
    file = folder / "effects.toml"
    # The brokers get what these two need; what the others do needs nothing beforehand.
    file.write_text(text("stall, site read", "link, mode cut"), encoding="utf-8")
    plan = prepare(RunRequest(scenario=str(file), out=folder / "run"), Progress())
    with open_arm_cluster(plan.cells, plan.tools, folder / "nodes", Progress()) as arm_cluster:
        create_topic(
            arm_cluster.cluster.bootstrap, TOPIC, [ring(leader) for leader in (1, 2, 3)], {}
        )
        prefill(arm_cluster.cluster.bootstrap, TOPIC, range(3), WITHIN_S)
        made = Lab(arm_cluster, plan)
        for partition in range(3):
            made.produce_ms(partition)
            made.produce_ms(partition, acks="all")
        yield made
    print("\n| fault | measured | without, ms | with, ms |\n|---|---|---|---|")
    for name, what, before, measured in made.rows:
        print(f"| {name} | {what} | {before:.1f} | {measured:.0f} |")


FOR_ITS_TIME = HELD_S * 1000 * 0.9


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("stall, site read", "a fetch of the partition"),
        ("stall, site send", "a fetch of the partition"),
        ("stall, site write", "acks=1 produce to the partition"),
        ("stall, site fsync", "acks=1 produce to the partition, fsync after each record"),
        ("queue-stall", "a fetch of any partition"),
        ("freeze", "a fetch of any partition"),
        ("freeze of the controller", "making a topic"),
        ("kill of the controller", "making a topic"),
        ("link, mode cut", "acks=all produce to broker 1"),
    ],
)
def test_what_needs_the_broken_part_waits_for_the_end(lab: Lab, name: str, what: str) -> None:
    probes: dict[str, Callable[[], float]] = {
        "a fetch of the partition": lab.fetch_ms,
        "a fetch of any partition": lab.fetch_ms,
        "making a topic": lab.make_topic_ms,
        "acks=all produce to broker 1": lambda: lab.produce_ms(acks="all"),
    }
    before, measured, _ = lab.compare(name, what, probes.get(what, lab.produce_ms))
    assert before < FOR_ITS_TIME / 2
    assert measured >= FOR_ITS_TIME


@pytest.mark.parametrize("name", ["stall, site read", "stall, site send", "link, mode cut"])
def test_what_does_not_need_it_does_not_wait(lab: Lab, name: str) -> None:
    assert lab.during(name, lambda: lab.produce_ms(1))[0] < FOR_ITS_TIME / 2


@pytest.mark.parametrize(
    ("name", "what", "acks", "least_ms"),
    [
        ("stall, site fsync, mode delay", "acks=1 produce, fsync after each record", "1", 50),
        ("link, mode delay", "acks=all produce to broker 1", "all", 50),
        ("link, mode slow", "acks=all produce of 10 kB to broker 1", "all", 200),
    ],
)
def test_a_delay_is_added_to_what_needs_the_slow_part(
    lab: Lab, name: str, what: str, acks: str, least_ms: float
) -> None:
    times = 1 if "slow" in name else 5
    before, measured, _ = lab.compare(name, what, lambda: lab.produce_ms(acks=acks), times)
    assert before < least_ms * 0.9
    assert least_ms * 0.9 <= measured < FOR_ITS_TIME


@pytest.mark.skipif(bool(NO_QUOTA), reason=str(NO_QUOTA))
def test_a_broker_without_cpu_answers_late(lab: Lab) -> None:
    # A period of the quota begins with 1 ms of CPU time: the first records can find some left.
    before, measured, _ = lab.compare(
        "cpu-quota",
        "acks=1 produce at 1 % of a core, slowest of 20",
        lambda: max(lab.produce_ms() for _ in range(20)),
    )
    assert measured > before + 50


@pytest.mark.skipif(bool(NO_NEIGHBOUR), reason=str(NO_NEIGHBOUR))
def test_a_broker_with_busy_neighbours_waits_for_its_core(lab: Lab) -> None:
    # What is judged is the kernel's own count of the broker's wait for a core. What a client sees
    # is only shown: a median without neighbours can be the higher one where others share the host.
    what = "acks=1 produce beside 8 busy processes, median"
    _, measured, line = lab.compare("cpu-neighbour", what, lab.produce_ms, 9, statistics.median)
    assert line.figures["waited_ms"] > 100
    assert line.figures["neighbours_ms"] > FOR_ITS_TIME / 2
    assert measured < FOR_ITS_TIME


def test_an_elected_broker_leads(lab: Lab) -> None:
    chosen = f"127.0.0.1:{lab.arm_cluster.cluster.nodes[2].port}"
    assert partitions(chosen, TOPIC)[1][0] == 2
    _, line = lab.during("elect", lambda: 0.0)
    assert line.acted_ms is not None and line.acted_ms < 5_000
    lab.rows.append(("elect", "until broker 2 leads partition 0", 0.0, line.acted_ms))


def test_what_a_killed_broker_led_is_served_again_by_another(lab: Lab) -> None:
    before, measured, line = lab.compare(
        "kill", "acks=1 produce to the broker's partition, session 2 s", lambda: lab.produce_ms(2)
    )
    assert line.figures["signal"] == 9
    assert measured > before + 500
