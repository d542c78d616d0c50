"""The campaign of `insync soak`: disturb a cluster for hours; judge whether anything grows.

The settings are such that what leaks per fetch, per connection, per session or per topic shows
soon: many short fetches, connections that end early, few sessions, small heaps. Each disturbance
is a kind of fault of `insync run`, with its evidence; one without evidence ends the soak.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count, cycle
from pathlib import Path
from typing import Any, Final

import psutil
from confluent_kafka import KafkaError, Message, Producer

from insync import arms
from insync.artifacts import AGENT_JAR, sha256_of
from insync.background import Background
from insync.brokers.cluster import admin
from insync.brokers.cluster.admin import await_full, create_topic
from insync.brokers.cluster.node import remove_data
from insync.brokers.kafka import wire
from insync.brokers.kafka.builds import find
from insync.brokers.kafka.distribution import FULL_JIT
from insync.brokers.kafka.java import Java, find_java
from insync.engine.campaign import CampaignOfOne, Named, Place
from insync.errors import InputError, InsyncError, require_known
from insync.events.soak_info import SAMPLES, SoakSample, read_samples
from insync.events.writer import EventWriter
from insync.nodes import BROKERS, spread
from insync.overhead.observer import Counters, Observer, observer
from insync.progress import Progress
from insync.report.result_page import write_result
from insync.report.soak import pictures
from insync.result import Result
from insync.run.plan import require_agent
from insync.run.version_support import require_arms
from insync.soak import judge
from insync.testing import KafkaCluster
from insync_bridge import BridgeClient

TOPIC: Final = "soak"
IDLE_MS: Final = 2_500
FROZEN_S: Final = 4.5
"""A frozen follower's connection is closed after `IDLE_MS`; the freeze must be longer."""
SESSIONS: Final = 64
"""Sessions that consumers open at a time: more than the cache has slots."""
KINDS: Final = ("freeze", "topic-churn", "config-update")
"""Kinds of faults that the cluster is prepared for."""
_LASTS_S: Final = 2.0
_ANSWERS_WITHIN_S: Final = 10.0
_CHURNED_PARTITIONS: Final = 6
_OTHER_SCOPE: Final = {"read": "request", "request": "read"}
_WORDS: Final = {
    "disconnect": "a broker was frozen until its connections were closed",
    "sessions": "more fetch sessions were opened than the cache has slots",
    "topics": "topics were created and deleted",
    "toggle": "a config was updated: of the agent, if there is one",
}
"""What each disturbance is."""


def disturbances(arm: str, cluster: KafkaCluster) -> Iterator[tuple[str, Callable[[], None]]]:
    """Yield the names of disturbances without end, and what makes them; each broker gets each."""
    brokers = cycle(range(1, BROKERS + 1))
    scope = arms.settings(arm).get(arms.SCOPE)
    updates = cycle(
        [{"log.cleaner.threads": "2"}] if scope is None
        else [arms.SWITCHED_OFF, {arms.SCOPE: _OTHER_SCOPE[scope]}]
    )  # fmt: skip

    def fault(kind: str, lasts_s: float = _LASTS_S, **keys: Any) -> None:
        with cluster.fault(kind, next(brokers), **keys):  # fails without evidence that it acted
            time.sleep(lasts_s)

    while True:
        yield "sessions", lambda: open_sessions(cluster, next(brokers))
        yield "disconnect", lambda: fault("freeze", FROZEN_S)
        yield "topics", lambda: fault("topic-churn", topic=TOPIC, count=_CHURNED_PARTITIONS)
        yield "toggle", lambda: fault("config-update", settings=next(updates))
        next(brokers)  # three brokers and four steps: the next round begins elsewhere


def open_sessions(cluster: KafkaCluster, broker: int) -> None:
    """Open more fetch sessions at a broker than its cache has slots, and leave them."""
    request = wire.fetch_in_new_session(TOPIC, broker - 1)
    try:
        for _ in range(SESSIONS):
            wire.call(cluster.nodes[broker].port, request, _ANSWERS_WITHIN_S)
    except OSError as error:
        raise InsyncError(f"broker {broker}: a fetch was not answered: {error}") from error


_MEGA: Final = 1e6
_NONE_LEFT_WITHIN_S: Final = 20.0
_LOOK_S: Final = 0.2


@dataclass
class BrokerSampler:
    """Samples the brokers with these process ids; `bridges` are those that have one."""

    _pids: Mapping[int, int]
    _observer: Observer
    _bridges: Mapping[int, BridgeClient]
    _writer: EventWriter
    started: float = field(default_factory=time.monotonic)
    samples: list[SoakSample] = field(default_factory=list)

    def take(self, after: str = "") -> None:
        """Take a sample of each broker, after a collection; raises InsyncError if one has ended.

        `after` is the disturbance since the last sample.
        """
        for broker, seen in zip(self._pids, self._observer("collect"), strict=True):
            self.samples.append(self._sample(broker, seen, after))
            self._writer.write(self.samples[-1].model_dump(mode="json"))

    def pending_when_off(self) -> dict[int, int]:
        """Return the marks that each broker with the agent still has; wait a while for none.

        Call it when the feature is off: then no new mark is made.
        """
        until = time.monotonic() + _NONE_LEFT_WITHIN_S
        while True:
            left = {broker: each.counters().pending_now for broker, each in self._bridges.items()}
            if not any(left.values()) or time.monotonic() > until:
                return left
            time.sleep(_LOOK_S)

    def _sample(self, broker: int, seen: Counters, after: str) -> SoakSample:
        try:
            process = psutil.Process(self._pids[broker])
            threads, handles = process.num_threads(), process.num_fds()
        except psutil.Error as error:
            raise InsyncError(f"broker {broker}: not sampled: {error}") from error
        own = {}
        if broker in self._bridges:
            counters = self._bridges[broker].counters()
            own = {
                "pending": counters.pending_now,
                "errors": counters.errors,
                "dropped": counters.events_dropped,
            }
        return SoakSample(
            t_s=round(time.monotonic() - self.started, 3), broker=broker,
            heap_mb=round(seen["heap"] / _MEGA, 3), threads=threads, handles=handles,
            fetches=seen["fetches"], evicted=seen["evicted"], closed=seen["closed"], after=after,
            **own,
        )  # fmt: skip


ARMS: Final = ("stock", "read", "request", "step-down")
"""Those whose brokers differ in what a fetch does; `stock` shows what grows without the agent."""
PARTITIONS: Final = 12
RECORDS_PER_S: Final = 60
_WARM_UP_SHARE: Final = 0.2
_WARM_UP_MOST_S: Final = 300.0
_DELIVERED_WITHIN_MS: Final = 60_000
_VALUE: Final = b"x" * 200
_SETTLE_S: Final = 5.0
_FULL_WITHIN_S: Final = 60.0
SETTINGS: Final[Mapping[str, str]] = {
    # Short fetches by many fetchers, so that there are many.
    "replica.fetch.wait.max.ms": "2",
    "num.replica.fetchers": "4",
    # From Kafka 3.7 on the cache has eight parts; four slots each leave room for eight fetchers.
    "max.incremental.fetch.session.cache.slots": "32",
    "connections.max.idle.ms": str(IDLE_MS),
    "replica.lag.time.max.ms": "6000",
    # Files of deleted topics are closed soon: they do not count as a growth of handles.
    "log.segment.delete.delay.ms": "1000",
    "min.insync.replicas": "1",
}
T_MS: Final = "1000"
"""When a leader steps down, in the arm that does; a frozen follower does not cause it."""


class Soak(CampaignOfOne):
    """A soak of so many minutes of disturbances on an arm."""

    name = "soak"
    says = "does anything grow?"
    part = "group"
    notes = (
        "Three brokers are disturbed in turn. After each disturbance every broker collects its"
        " garbage and is sampled.",
        "A figure may not grow: the check fails if the whole interval of its growth (Theil and"
        " Sen, 95 %) is above the bound, and is unknown if the bound is inside the interval.",
        "The grey part of a picture is the warm-up, which is not judged.",
    )

    def __init__(self, kafka: str, arm: str, minutes: float) -> None:
        """Check the request; raises InputError. Writes nothing."""
        if not 0 < minutes < float("inf"):
            raise InputError(f"--minutes {minutes:g}: expected more than 0")
        require_known("--arm", [arm], ARMS)
        require_arms([arm], kafka)
        require_agent([arm])
        self.kafka, self.arm, self.lasts_s = kafka, arm, 60 * minutes
        self.of = f"arm {arm} on Kafka {find(kafka).name}"

    @property
    def warm_up_s(self) -> float:
        """Seconds at the beginning that are not judged: caches fill, code is compiled."""
        return min(_WARM_UP_MOST_S, _WARM_UP_SHARE * self.lasts_s)

    @property
    def settings(self) -> dict[str, str]:
        """What every node's server.properties gets."""
        steps_down = {arms.PROCESS_TIME: T_MS} if arms.steps_down(self.arm) else {}
        return {**SETTINGS, **arms.settings(self.arm), **steps_down}

    def asked(self) -> Mapping[str, Any]:
        return {
            "Kafka": find(self.kafka).name,
            "arm": self.arm,
            "seconds": self.lasts_s,
            "settings": self.settings,
            "agent's jar, SHA-256": sha256_of(AGENT_JAR) if arms.has_agent(self.arm) else None,
        }

    def write(self, folder: Path, result: Result) -> None:
        samples = list(read_samples(folder)) if (folder / SAMPLES).is_file() else []
        write_result(folder, result, self, pictures(samples, self.warm_up_s))

    def check(self, cell: Named, place: Place) -> Result:
        """Disturb and sample, let it become quiet, and judge.

        Raises InsyncError if a broker ends or a disturbance has no evidence; samples are kept.
        """
        java, folder, progress = find_java(), place.folder, place.progress
        progress.phase("starting the cluster")
        with self._cluster(folder) as cluster:
            create_topic(cluster.bootstrap, TOPIC, spread(PARTITIONS), {})
            with self._sampled(folder, cluster, java) as taken:
                with Traffic(cluster.bootstrap) as traffic:
                    times = self._disturb(cluster, taken, traffic, progress)
                reached = time.monotonic() - taken.started
                progress.phase("waiting until all is quiet")
                ending = self._quiet(cluster, taken, traffic)
        disturbed = {words: times[name] for name, words in _WORDS.items()}
        fetches = judge.grown("fetches", taken.samples)
        return Result(
            of=self.of,
            children=judge.checks(taken.samples, ending, disturbed, self.warm_up_s),
            facts={
                "Java": java.description,
                "time of disturbances": f"{reached / 60:.1f} of {self.lasts_s / 60:g} min",
                "not judged, at the beginning": f"{self.warm_up_s:g} s",
                "fetches of followers": f"{fetches:,}, {fetches / reached:,.0f} a second",
                "records acked": f"{traffic.acked:,}",
            },
        )

    def _disturb(
        self, cluster: KafkaCluster, taken: BrokerSampler, traffic: "Traffic", progress: Progress
    ) -> Counter[str]:
        """Disturb until the time is over, and return how often; each time a sample is taken."""
        times = Counter[str]()
        taken.take()
        for name, disturb in disturbances(self.arm, cluster):
            gone = time.monotonic() - taken.started
            if gone >= self.lasts_s:
                break
            progress.phase(f"{gone / 60:.1f} of {self.lasts_s / 60:g} min: {name}")
            disturb()
            times[name] += 1
            time.sleep(1.0)
            traffic.check()
            taken.take(name)
        return times

    def _quiet(
        self, cluster: KafkaCluster, taken: BrokerSampler, traffic: "Traffic"
    ) -> list[Result]:
        """Let the cluster become quiet, switch the feature off, and look at what is left."""
        traffic.finish()
        last = await_full(cluster.bootstrap, TOPIC, time.monotonic() + _FULL_WITHIN_S)
        time.sleep(_SETTLE_S)
        taken.take()
        if arms.has_agent(self.arm):
            for broker in range(1, BROKERS + 1):
                server = f"127.0.0.1:{cluster.nodes[broker].port}"
                admin.update_broker(server, broker, dict(arms.SWITCHED_OFF))
        return judge.quiet(taken.pending_when_off(), last, traffic.failed)

    @contextmanager
    def _cluster(self, folder: Path) -> Iterator[KafkaCluster]:
        """Run the cluster; its data is removed, its logs stay in the output folder."""
        home = folder / "cluster"
        scope = arms.settings(self.arm).get(arms.SCOPE)
        cluster = KafkaCluster(
            brokers=BROKERS,
            kafka=self.kafka,
            cluster="local",
            plugin="request" if scope == "request" else "read" if scope == "read" else None,
            settings=self.settings,
            folder=home,
            faults=KINDS,
            jvm=[FULL_JIT],
        )
        try:
            with cluster:
                yield cluster
        finally:
            for node in home.glob("*/"):
                remove_data(node)

    @contextmanager
    def _sampled(self, out: Path, cluster: KafkaCluster, java: Java) -> Iterator[BrokerSampler]:
        """Attach to the brokers for a block; samples go to a file in `out`."""
        pids = {number: cluster.nodes[number].pid for number in range(1, BROKERS + 1)}
        folder, bridges = out / "cluster" / "bridge", dict[int, BridgeClient]()
        with ExitStack() as opened:
            for number in pids if arms.has_agent(self.arm) else ():
                client = BridgeClient.connect(folder / f"bridge-{number}.json")
                bridges[number] = opened.enter_context(client)
            observed = opened.enter_context(observer(java, list(pids.values()), out))
            writer = opened.enter_context(EventWriter(out / SAMPLES))
            yield BrokerSampler(pids, observed, bridges, writer)


class Traffic(Background):
    """Produces to every partition in turn; `acked` and `failed` count the answers.

    A record may wait for a frozen leader; it fails after a minute. `finish` is called when the
    thread has ended, so that answers come in one thread at a time.
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
        self.acked = 0
        self.failed = 0

    def finish(self) -> None:
        """Wait for the answers to all records; those without an answer have failed."""
        self.failed += self._client.flush(2 * _DELIVERED_WITHIN_MS / 1_000)

    def _step(self) -> None:
        partition = next(self._numbers) % PARTITIONS
        try:
            self._client.produce(TOPIC, _VALUE, partition=partition, on_delivery=self._answered)
        except BufferError as error:
            raise InsyncError(f"soak: a full queue, {self.acked} records acked: {error}") from error
        self._client.poll(0)

    def _answered(self, error: KafkaError | None, _: Message) -> None:
        if error is None:
            self.acked += 1
        else:
            self.failed += 1
