"""The order of a soak: start, disturb and sample, let it become quiet, judge, write."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from typing import Final

from confluent_kafka import KafkaError, Message, Producer

from insync import arms
from insync.artifacts import AGENT_JAR, sha256_of
from insync.background import Background
from insync.brokers.cluster import broker_configs
from insync.brokers.cluster.admin import assignment, create_topic
from insync.brokers.cluster.node import remove_data
from insync.brokers.kafka.java import Java, find_java
from insync.brokers.kafka.jvm import FULL_JIT
from insync.errors import InsyncError
from insync.events.schema import now_ms
from insync.events.soak_info import Asked, Disturbance, Sample, SoakInfo, write_soak
from insync.nodes import BROKERS, spread
from insync.report.soak import write_soak_page
from insync.soak import judge
from insync.soak.disturb import KINDS, Disturber
from insync.soak.judge import Ending
from insync.soak.plan import PARTITIONS, RECORDS_PER_S, TOPIC, Plan
from insync.soak.sampler import Sampler, sampler
from insync.testing import KafkaCluster

_DELIVERED_WITHIN_MS: Final = 60_000
_VALUE: Final = b"x" * 200


class Traffic(Background):
    """Produces to every partition in turn; `acked` and `failed` count the answers.

    A record may wait for a frozen leader; it fails after a minute.
    """

    def __init__(self, bootstrap: str) -> None:
        super().__init__("soak-traffic", every_seconds=1 / RECORDS_PER_S)
        self._client = Producer(
            {
                "bootstrap.servers": bootstrap,
                "acks": "all",
                "delivery.timeout.ms": _DELIVERED_WITHIN_MS,
                "reconnect.backoff.max.ms": 500,
                "log_level": 0,
            }
        )
        self._numbers = count()
        self._lock = threading.Lock()
        self.acked = 0
        self.failed = 0

    def finish(self) -> None:
        """Wait for the answers to all records; those without an answer have failed."""
        left = self._client.flush(2 * _DELIVERED_WITHIN_MS / 1_000)
        with self._lock:
            self.failed += left

    def _step(self) -> None:
        partition = next(self._numbers) % PARTITIONS
        try:
            self._client.produce(TOPIC, _VALUE, partition=partition, on_delivery=self._answered)
        except BufferError as error:
            raise InsyncError(f"soak: a full queue, {self.acked} records acked: {error}") from error
        self._client.poll(0)

    def _answered(self, error: KafkaError | None, _: Message) -> None:
        with self._lock:
            if error is None:
                self.acked += 1
            else:
                self.failed += 1


def wait(seconds: float, traffic: Traffic) -> None:
    """Wait; raises InsyncError if the traffic has ended meanwhile."""
    time.sleep(seconds)
    traffic.check()


_SETTLE_S: Final = 5.0
_FULL_WITHIN_S: Final = 60.0
_POLL_S: Final = 0.2


def run_soak(plan: Plan, tell: Callable[[str], None]) -> SoakInfo:
    """Run a soak in the plan's new folder, write its files, and return its result.

    Raises InsyncError if a broker ends or a disturbance has no evidence; the samples are then kept.
    """
    java = find_java()
    started = now_ms()
    tell("starting the cluster")
    with _cluster(plan) as cluster, ExitStack() as stack:
        create_topic(cluster.bootstrap, TOPIC, spread(PARTITIONS), {})
        taken = stack.enter_context(_sampled(plan, cluster, java))
        disturber, traffic = Disturber(plan, cluster), Traffic(cluster.bootstrap)
        with traffic:
            _disturb(plan, disturber, taken, traffic, tell)
        reached = time.monotonic() - taken.started
        tell("waiting until all is quiet")
        ending = _quiet(plan, cluster, taken, traffic)
    info = _result(plan, java, started, reached, taken.samples, ending, disturber.done(), traffic)
    write_soak(plan.out, info)
    write_soak_page(plan.out, info, taken.samples)
    return info


def _disturb(
    plan: Plan,
    disturber: Disturber,
    taken: Sampler,
    traffic: Traffic,
    tell: Callable[[str], None],
) -> None:
    """Disturb until the time is over; a sample follows each disturbance."""
    taken.take()
    for step in disturber.steps():
        gone = time.monotonic() - taken.started
        if gone >= plan.seconds:
            return
        fetches = judge.grown("fetches", taken.samples)
        rate = f"{fetches:,} follower fetches, {fetches / max(gone, 1):,.0f} a second"
        tell(f"{gone / 60:.1f} of {plan.seconds / 60:g} min, {rate}: {step.__name__}")
        step()
        wait(1.0, traffic)
        taken.take(step.__name__)


def _quiet(plan: Plan, cluster: KafkaCluster, taken: Sampler, traffic: Traffic) -> Ending:
    """Let the cluster become quiet, switch the feature off, and look at what is left."""
    traffic.finish()
    under = _under_replicated(cluster)
    time.sleep(_SETTLE_S)
    taken.take()
    if plan.has_agent:
        for broker in range(1, BROKERS + 1):
            server = f"127.0.0.1:{cluster.nodes[broker].port}"
            broker_configs.update(server, broker, dict(arms.SWITCHED_OFF))
    return Ending(taken.pending_when_off(), under, traffic.failed)


def _under_replicated(cluster: KafkaCluster) -> int:
    """Return how many partitions lack a replica in their ISR; wait a while for none."""
    until = time.monotonic() + _FULL_WITHIN_S
    while True:
        seen = assignment(cluster.bootstrap.split(",")[0], TOPIC)
        under = sum(len(isr) < len(replicas) for replicas, isr in seen.values())
        if under == 0 or time.monotonic() > until:
            return under
        time.sleep(_POLL_S)


@contextmanager
def _cluster(plan: Plan) -> Iterator[KafkaCluster]:
    """Run the cluster of a soak; its data is removed, its logs stay in the output folder."""
    home = plan.out / "cluster"
    scope = arms.settings(plan.arm).get(arms.SCOPE)
    cluster = KafkaCluster(
        brokers=BROKERS,
        kafka=plan.kafka,
        cluster="local",
        plugin="request" if scope == "request" else "read" if scope == "read" else None,
        settings=plan.settings,
        folder=home,
        faults=KINDS,
        jvm=[FULL_JIT],
    )
    try:
        with cluster:
            yield cluster
    finally:
        for folder in home.glob("*/"):
            remove_data(folder)


@contextmanager
def _sampled(plan: Plan, cluster: KafkaCluster, java: Java) -> Iterator[Sampler]:
    pids = {number: cluster.nodes[number].pid for number in range(1, BROKERS + 1)}
    folder = plan.out / "cluster" / "bridge"
    bridges = {number: folder / f"bridge-{number}.json" for number in pids}
    with sampler(java, pids, bridges if plan.has_agent else {}, plan.out) as taken:
        yield taken


def _result(
    plan: Plan,
    java: Java,
    started: float,
    reached: float,
    samples: list[Sample],
    ending: Ending,
    disturbances: list[Disturbance],
    traffic: Traffic,
) -> SoakInfo:
    found = judge.checks(samples, ending, disturbances, plan.warm_up_s, reached)
    word, reason = judge.verdict(found)
    fetches = judge.grown("fetches", samples)
    asked = Asked(
        kafka=plan.kafka, java=java.description, arm=plan.arm, seconds=plan.seconds,
        warm_up_s=plan.warm_up_s, settings=plan.settings,
        agent=sha256_of(AGENT_JAR) if plan.has_agent else None,
    )  # fmt: skip
    return SoakInfo(
        verdict=word, reason=reason, asked=asked, started_ms=started, measured_s=round(reached, 1),
        fetches=fetches, fetches_per_s=round(fetches / reached, 1), records=traffic.acked,
        failed_records=traffic.failed, disturbances=tuple(disturbances), checks=tuple(found),
    )  # fmt: skip
