"""Measures one arm on a fresh cluster: per fetch while nothing is produced, and under load."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from insync import arms
from insync.bench.overhead.figures import Values
from insync.bench.overhead.observer import Counters, Observer, observer
from insync.bench.overhead.producer import Acks, Produced, ProducerTool
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.kafka.cache import woven_classes
from insync.brokers.kafka.distribution import Distribution
from insync.errors import InsyncError
from insync.nodes import BROKERS, spread

TOPIC: Final = "load"
FETCH_WAIT_MS: Final = 20
"""How long an empty fetch waits: short, so that a quiet phase has many fetches."""
JVM: Final = ("-Xms512m", "-Xmx512m", "-XX:TieredStopAtLevel=4")
"""As in production, every fetch is compiled by the JVM's optimizing compiler, too."""
_SERVING: Final = ("handler", "network", "reaper")
_WARM_UP_FETCHES: Final = 2_000
_WARM_UP_WITHIN_S: Final = 120.0
_MEGA: Final = 1e6
_GIGA: Final = 1e9


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured.

    Attributes:
        partitions: of the topic, each with three replicas.
        records: produced while it is measured; a fifth as many before, to warm up.
        record_bytes: bytes of a record's value.
        quiet_s: how long fetches are counted while nothing is produced.
        rate: records per second; -1: as fast as possible.
        acks: of the producer.

    """

    partitions: int = 12
    records: int = 150_000
    record_bytes: int = 1_000
    quiet_s: float = 10.0
    rate: int = -1
    acks: Acks = "all"


QUICK: Final = Size(partitions=3, records=5_000, quiet_s=2.0)
"""Enough to see that all of it works."""


@dataclass(frozen=True, slots=True)
class Side:
    """What is measured: a distribution, and how its brokers are configured.

    Attributes:
        name: of the side in files and tables, such as the arm.
        dist: the Kafka version or own build.
        settings: added to every node's server.properties.
        agent: the agent's jar, None without the agent.
        unknown_methods: whether the agent may weave methods that no known build has.

    """

    name: str
    dist: Distribution
    settings: Mapping[str, str]
    agent: Path | None
    unknown_methods: bool = False

    @classmethod
    def of_arm(cls, arm: str, dist: Distribution, agent: Path | None) -> "Side":
        """Return the side of an arm; `agent` is the jar for those arms that have the agent."""
        jar = agent if arms.has_agent(arm) else None
        return cls(arm, dist, arms.settings(arm), jar)


def measure(
    side: Side, size: Size, tool: ProducerTool, folder: Path, tell: Callable[[str], None]
) -> Values:
    """Return the figures of one side, measured on a cluster of its own in the new `folder`.

    Raises InsyncError if a node or the producer fails. The brokers' data is removed.
    """
    tell(f"{side.name}: starting the cluster")
    with _cluster(side, folder) as cluster:
        try:
            brokers = [cluster.nodes[number] for number in range(1, BROKERS + 1)]
            pids = [broker.pid for broker in brokers]
            start_cpu = _cpu_s(pids)
            create_topic(cluster.bootstrap, TOPIC, spread(size.partitions), {})
            with observer(side.dist.java, pids, folder) as seen:
                return {
                    "start_cpu_s": start_cpu / BROKERS,
                    **_under_load(side, size, tool, cluster.bootstrap, pids, tell),
                    **_quiet(side, size, pids, seen, tell),
                    **_memory(pids, seen),
                }
        finally:
            cluster.stop()
            cluster.remove_data()


def _cluster(side: Side, folder: Path) -> LocalCluster:
    events = folder / "events"
    events.mkdir(parents=True)
    agent = None
    if side.agent is not None:
        agent = AgentSpec(
            jar=side.agent, events_dir=events, bridge_dir=events, cache=woven_classes(),
            unknown_methods=side.unknown_methods,
        )  # fmt: skip
    settings = {
        "replica.fetch.wait.max.ms": str(FETCH_WAIT_MS),
        "offsets.topic.replication.factor": "1",
        **side.settings,
    }
    extras = {number: NodeExtras(flags=JVM) for number in range(1, BROKERS + 1)}
    nodes = folder / "nodes"
    return LocalCluster(
        side.dist, nodes, brokers=BROKERS, settings=settings, agent=agent, extras=extras
    )


def _under_load(
    side: Side,
    size: Size,
    tool: ProducerTool,
    bootstrap: str,
    pids: Sequence[int],
    tell: Callable[[str], None],
) -> Values:
    def produce(records: int) -> Produced:
        return tool.produce(bootstrap, TOPIC, records, size.record_bytes, size.rate, size.acks)

    tell(f"{side.name}: warming up")
    produce(max(1, size.records // 5))
    tell(f"{side.name}: producing")
    before = _cpu_s(pids)
    made = produce(size.records)
    used = _cpu_s(pids) - before
    return {
        "records_per_s": made.records_per_s,
        "p50_ms": made.p50_ms,
        "p99_ms": made.p99_ms,
        "p999_ms": made.p999_ms,
        "cpu_s_per_gb": used / (size.records * size.record_bytes / _GIGA),
    }


def _quiet(
    side: Side, size: Size, pids: Sequence[int], seen: Observer, tell: Callable[[str], None]
) -> Values:
    """Count what each fetch costs while nothing is produced."""
    tell(f"{side.name}: counting per fetch")
    first = _total(seen.read())["fetches"]
    deadline = time.monotonic() + _WARM_UP_WITHIN_S
    while (done := _total(seen.read())["fetches"] - first) < _WARM_UP_FETCHES * size.quiet_s / 10:
        if time.monotonic() > deadline:
            raise InsyncError(f"{side.name}: {done} fetches in {_WARM_UP_WITHIN_S:.0f} s")
        time.sleep(0.1)
    before, calls = _total(seen.read()), _calls(pids)
    time.sleep(size.quiet_s)
    after, more_calls = _total(seen.read()), _calls(pids)
    fetches = after["fetches"] - before["fetches"]
    if fetches <= 0:
        raise InsyncError(f"{side.name}: no follower fetched in {size.quiet_s:g} s")

    def per_fetch(what: str) -> float:
        names = [f"{what}.{group}" for group in _SERVING]
        return sum(after[name] - before[name] for name in names) / fetches

    return {
        "bytes_per_fetch": per_fetch("bytes"),
        "blocked_per_fetch": per_fetch("blocked"),
        "waited_per_fetch": per_fetch("waited"),
        "calls_per_fetch": (more_calls - calls) / fetches,
    }


def _memory(pids: Sequence[int], seen: Observer) -> Values:
    heap = _total(seen.read(collect=True))["heap"]
    resident = sum(psutil.Process(pid).memory_info().rss for pid in pids)
    return {
        "heap_mb": heap / BROKERS / _MEGA,
        "resident_mb": resident / BROKERS / _MEGA,
    }


def _total(counters: Sequence[Counters]) -> Counters:
    return {name: sum(each[name] for each in counters) for name in counters[0]}


def _cpu_s(pids: Sequence[int]) -> float:
    times = [psutil.Process(pid).cpu_times() for pid in pids]
    return float(sum(each.user + each.system for each in times))


def _calls(pids: Sequence[int]) -> int:
    """Return how many read and write system calls the processes have made."""
    counts = [psutil.Process(pid).io_counters() for pid in pids]
    return int(sum(each.read_count + each.write_count for each in counts))
