"""A cluster with the agent, and what its tests do to it: write, stall a read, look at the ISR.

The brokers run with pause points, so a read is stalled over the bridge. The features are switched
by config updates, so one cluster shows stock behaviour, both scopes and a step-down. Broker 1 leads
partition 0 of `TOPIC`; unless a test says otherwise, broker 2 is asked what the cluster knows.
"""

import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from confluent_kafka import Consumer, KafkaError, Message, Producer, TopicPartition

from event_lines import read_lines
from fault_runs import running
from insync.arms import FEATURE, PROCESS_TIME, READ, REQUEST, SCOPE
from insync.brokers.cluster.admin import in_force, partitions, update_broker
from insync.brokers.cluster.common import Controllers
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec
from insync.brokers.kafka.distribution import SHORT_LIVED
from insync.brokers.kafka.java import Java
from insync.faults.support.control import ControlFile, Mode, Site, StallRule
from insync_bridge import BridgeClient
from waiting import wait_for

LAG_MS = 2_000
LAG = {"replica.lag.time.max.ms": str(LAG_MS)}
STEP_DOWN = {**REQUEST, PROCESS_TIME: "500"}
OFF: Mapping[str, str | None] = {FEATURE: None, SCOPE: None, PROCESS_TIME: None}
TOPIC = "t"
AT = f"{TOPIC}-0"
GROUP = "none"
ALL = [1, 2, 3]
BOTH_ROLES = Controllers(combined=True)
"""Of a cluster of one node."""
WITHIN_S = 60.0
HELD_MS = 60_000
"""How long a read stays stalled at most; each test releases it earlier."""

StartCluster = Callable[..., LocalCluster]
Program = Callable[..., str]


def equip(cluster: LocalCluster, number: int, *, agent: bool) -> None:
    """Let a node run with or without the cluster's agent from its next start on."""
    plan, spec = cluster._planned[number], cluster.agent
    assert spec is not None
    flags = [each for each in plan.flags if each != spec.flag(number)]
    cluster._planned[number] = replace(plan, flags=[*flags, spec.flag(number)] if agent else flags)


@dataclass(frozen=True)
class Lab:
    cluster: LocalCluster
    agent: AgentSpec

    def server(self, broker: int = 2) -> str:
        """Return where a broker serves clients."""
        return f"127.0.0.1:{self.cluster.nodes[broker].port}"

    def isr(self, topic: str = TOPIC, partition: int = 0, asked: int = 2) -> list[int]:
        return partitions(self.server(asked), topic)[partition][1]

    def leader(self, topic: str = TOPIC, partition: int = 0, asked: int = 2) -> int:
        return partitions(self.server(asked), topic)[partition][0]

    def bridge(self, broker: int = 1) -> BridgeClient:
        return BridgeClient.connect(self.agent.bridge_dir / f"bridge-{broker}.json")

    def events(self, name: str = "", node: int = 1) -> list[dict[str, Any]]:
        """Return the events of a node, of one type if it is named."""
        lines = read_lines(self.agent.events_file(node))
        return [line for line in lines if name in ("", line["type"])]

    def log(self, node: int = 1) -> str:
        return self.cluster.nodes[node].log.read_text(encoding="utf-8")

    def jmx(self, program: Program, pattern: str, attribute: str, node: int = 1) -> dict[str, str]:
        """Return the attribute of each metric of a pattern, by name."""
        pid = str(self.cluster.nodes[node].pid)
        printed = program("ReadMetrics", pid, pattern, attribute)
        return dict(line.rsplit("=", 1) for line in printed.splitlines())

    def configs(self, *what: str, servers: str | None = None, by: str = "server") -> str:
        """Update configs by Kafka's own command; return what it prints. `by`: or "controller"."""
        command = self.cluster.dist.command(
            SHORT_LIVED,
            "kafka.admin.ConfigCommand",
            *(f"--bootstrap-{by}", servers or self.server(), "--alter", *what),
        )
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        return done.stdout + done.stderr

    @contextmanager
    def writing(self, topic: str = TOPIC, **client: str) -> Iterator[None]:
        """Write to partition 0 until the block ends; then every acked record must be there."""
        writer = Writer({"bootstrap.servers": self.cluster.bootstrap, **client}, topic)
        with writer.writing():
            yield
        writer.check_all_are_there()

    def reassign(self, replicas: list[int]) -> None:
        running(self.cluster).assign(TOPIC, 0, replicas)

    def await_isr(self, members: list[int] = ALL, topic: str = TOPIC, asked: int = 2) -> None:
        wait_for(lambda: self.isr(topic, asked=asked), lambda now: now == members, WITHIN_S)

    def await_drop(self, members: list[int] = ALL, topic: str = TOPIC) -> None:
        """Wait until the ISR is another one."""
        wait_for(lambda: self.isr(topic), lambda now: now != members, WITHIN_S)

    def await_other_leader(
        self, topic: str = TOPIC, partition: int = 0, than: int = 1, asked: int = 2
    ) -> None:
        wait_for(lambda: self.leader(topic, partition, asked), lambda now: now != than, WITHIN_S)

    def stays_whole(self, lags: float, members: list[int] = ALL, topic: str = TOPIC) -> None:
        """Check for so many lag limits that no member leaves the ISR."""
        until = time.monotonic() + lags * LAG_MS / 1_000
        while time.monotonic() < until:
            assert self.isr(topic) == members
            time.sleep(0.05)

    def switch(self, broker: BridgeClient, settings: Mapping[str, str]) -> None:
        """Update a broker's configs and wait until each follower has fetched under them.

        Fetches that are pending during the update end as they began.
        """
        number = broker.broker_id()
        at = self.server(number)
        update_broker(at, number, settings)
        wait_for(lambda: in_force(at, number, settings), lambda now: now == len(settings), WITHIN_S)
        before = broker.counters().marks_total
        wait_for(lambda: broker.counters().marks_total, lambda now: now > before + 10, WITHIN_S)

    def switch_off(self, broker: BridgeClient) -> None:
        """Delete the configs again; check that nothing of a pending fetch is left, and no error."""
        number = broker.broker_id()
        update_broker(self.server(number), number, OFF)
        wait_for(lambda: str(broker.settings()[FEATURE]).lower(), "false".__eq__, WITHIN_S)
        wait_for(lambda: broker.counters().pending_now, lambda pending: pending == 0, WITHIN_S)
        assert broker.counters().errors == 0, broker.counters().last_error

    def check_off(self, broker: BridgeClient, members: list[int] = ALL, topic: str = TOPIC) -> None:
        """Off, a stalled read costs broker 1 its followers, until it ends."""
        with stalled_read(broker, f"{topic}-0"):
            self.await_drop(members, topic)
        self.await_isr(members, topic)

    def check_scopes(self, members: list[int] = ALL, topic: str = TOPIC) -> None:
        """Off, a stalled read costs broker 1 its followers; in both scopes it keeps them.

        After each scope nothing of a pending fetch is left. Someone must write meanwhile.
        """
        with self.bridge() as broker:
            self.check_off(broker, members, topic)
            for scope in (READ, REQUEST):
                self.switch(broker, scope)
                held = broker.counters().holds_granted
                with stalled_read(broker, f"{topic}-0"):
                    self.stays_whole(2.5, members, topic)
                self.stays_whole(1.0, members, topic)
                assert broker.counters().holds_granted > held, scope
                self.switch_off(broker)

    def check_step_down(self, members: list[int] = ALL, topic: str = TOPIC) -> None:
        """A read stalls at broker 1: another broker leads, and 1 follows it at the end."""
        with self.bridge() as broker:
            self.switch(broker, STEP_DOWN)
            before = broker.counters().step_downs.done
            with stalled_read(broker, f"{topic}-0"):
                self.await_other_leader(topic)
            self.await_isr(members, topic)
            after = wait_for(
                lambda: broker.counters().step_downs, lambda now: now.done > before, WITHIN_S
            )
            assert (after.refused, after.failed) == (0, 0)
            self.switch_off(broker)

    def check_all(self, **client: str) -> None:
        """Run the checks of the scopes and of a step-down while a client writes."""
        with self.writing(**client):
            self.check_scopes()
            self.check_step_down()


StartLab = Callable[..., Lab]


def compile_java(java: Java, folder: Path, *sources: Path, jars: Iterable[Path] = ()) -> None:
    """Compile classes, which need these jars, into a folder."""
    flags = [f"-J{flag}" for flag in SHORT_LIVED]
    path = ":".join(map(str, jars))
    command = [java.home / "bin" / "javac", *flags, "-cp", path, "-d", folder, *sources]
    subprocess.run(command, check=True, timeout=60)


def java_agent(java: Java, folder: Path, at_start: str = "") -> Path:
    """Build a Java agent that does something before the broker's main; return its jar."""
    premain = f"public static void premain(String a) throws Exception {{ {at_start} }}"
    source, jar = folder / "Own.java", folder / "own.jar"
    source.write_text(f"public class Own {{ {premain} }}", encoding="utf-8")
    compile_java(java, folder, source)
    with zipfile.ZipFile(jar, "w") as written:
        written.writestr("META-INF/MANIFEST.MF", "Premain-Class: Own\n")
        written.write(folder / "Own.class", "Own.class")
    return jar


@contextmanager
def stalled_read(broker: BridgeClient, partition: str = AT) -> Iterator[None]:
    """Stall the next read for a follower at its leader until the block ends."""
    broker.hold("leader-read", partition=partition, max_ms=HELD_MS)
    try:
        wait_for(lambda: broker.holds()["leader-read"].held, bool, WITHIN_S)
        yield
    finally:
        broker.release("leader-read")


def rule(site: Site, mode: Mode, delay_ms: int = 0) -> StallRule:
    """Return a rule of the preloaded library for calls on the topic's partition."""
    return StallRule(
        site=site, mode=mode, target=AT, delay_ns=delay_ms * 1_000_000,
        deadline_ns=time.monotonic_ns() + int(10 * WITHIN_S * 1e9),
    )  # fmt: skip


@contextmanager
def stalled_calls(control: ControlFile, site: Site) -> Iterator[None]:
    slot = control.arm(rule(site, Mode.HOLD))
    try:
        wait_for(lambda: control.counters(slot).held_now, bool, WITHIN_S)
        yield
    finally:
        control.lift(slot)


@contextmanager
def repeated(act: Callable[[], None], every_s: float) -> Iterator[None]:
    """Do something again and again in another thread until the block ends."""
    ended = threading.Event()

    def run() -> None:
        while not ended.wait(every_s):
            act()

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@dataclass
class Writer:
    """Writes numbered records to partition 0 of a topic and knows which of them were acked."""

    client: Mapping[str, str]
    topic: str
    acked: set[int] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)
    _sent: int = 0

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write until the block ends, then wait until every record is acked or has failed."""
        durable = {"acks": "all", "enable.idempotence": True, "linger.ms": 0, "log_level": 0}
        producer = Producer({**self.client, **durable})

        def write() -> None:
            value = str(self._sent).encode()
            producer.produce(self.topic, value, partition=0, on_delivery=self._delivered)
            producer.poll(0)
            self._sent += 1

        try:
            with repeated(write, 0.02):
                yield
        finally:
            producer.flush(WITHIN_S)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        value = message.value()
        if error is None and value is not None:
            self.acked.add(int(value))
        else:
            self.failed.append(str(error))

    def check_all_are_there(self) -> None:
        """Read the partition from its start to its end: no acked record is missing."""
        settings = {"group.id": GROUP, "enable.auto.commit": False, "log_level": 0}
        consumer = Consumer({**self.client, **settings})
        _, end = consumer.get_watermark_offsets(TopicPartition(self.topic, 0), timeout=WITHIN_S)
        consumer.assign([TopicPartition(self.topic, 0, 0)])
        seen: set[int] = set()
        until, at = time.monotonic() + WITHIN_S, 0
        while at < end and time.monotonic() < until:
            for message in consumer.consume(500, 0.2):
                assert message.error() is None, message.error()
                value, offset = message.value(), message.offset()
                assert value is not None
                assert offset is not None
                seen.add(int(value))
                at = offset + 1
        consumer.close()
        assert len(self.acked) > 10, f"{len(self.acked)} acks, failures: {self.failed[:3]}"
        assert not self.acked - seen
