"""Measures one arm on a fresh cluster: its start, under load, and per fetch while it is idle."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from insync import arms
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.agent import AgentSpec
from insync.brokers.cluster.limits import room_for
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import NodeExtras
from insync.brokers.kafka.cache import woven_classes
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.jvm import FULL_JIT
from insync.errors import InsyncError
from insync.nodes import BROKERS, spread
from insync.overhead.figures import Values
from insync.overhead.load_tool import Acks, LoadTool, Produced
from insync.overhead.observer import Counters, Observer, observer

TOPIC: Final = "load"
FETCH_WAIT_MS: Final = 20
"""How long an empty fetch waits: short, so that a quiet phase has many fetches."""
LAG_MS: Final = 10_000
"""isr-expiration runs every half of it, so that a quiet phase has some passes."""
PER_TOPIC: Final = 1_600
"""Partitions of a topic without records: a controller makes at most 10,000 records of a request."""
JVM: Final = ("-Xms512m", "-Xmx512m", FULL_JIT)
JVM_OF_MANY: Final = ("-Xms1g", "-Xmx1g", FULL_JIT)
"""The same with room for many partitions."""
_SERVING: Final = ("handler", "network", "reaper")
_WARM_UP_FETCHES: Final = 2_000
_WARM_UP_WITHIN_S: Final = 120.0
_CREATED_WITHIN_S: Final = 300.0
_MEGA: Final = 1e6
_GIGA: Final = 1e9
_NANOS_PER_MS: Final = 1e6


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured.

    Attributes:
        partitions: of the topic, each with three replicas.
        idle: partitions of further topics, each with three replicas, that nobody writes.
        records: produced while it is measured; a fifth as many before, to warm up; 0: none.
        record_bytes: bytes of a record's value.
        quiet_s: how long fetches are counted while nothing is produced.
        rate: records per second; -1: as fast as possible.
        acks: of the producer.

    """

    partitions: int = 12
    idle: int = 0
    records: int = 150_000
    record_bytes: int = 1_000
    quiet_s: float = 10.0
    rate: int = -1
    acks: Acks = "all"


Tell = Callable[[str], None]
"""Is told what happens."""
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


def measure(size: Size, tool: LoadTool, side: Side, folder: Path, tell: Tell) -> Values:
    """Return the figures of one side, measured on a cluster of its own in the new `folder`.

    Raises InsyncError if a node or the producer fails. The brokers' data is removed.
    """
    with _started(side, size, folder, tell) as (cluster, started):
        pids = _pids(cluster)
        create_topic(cluster.bootstrap, TOPIC, spread(size.partitions), {})
        _create_idle(side, size, cluster.bootstrap, tell)
        with observer(side.dist.java, pids, folder) as seen:
            return {
                **started,
                **_under_load(side, size, tool, cluster.bootstrap, pids, tell),
                **_quiet(side, size, pids, seen, tell),
                **_memory(pids, seen),
            }


def measure_start(side: Side, folder: Path, tell: Tell) -> Values:
    """Return what the start of a cluster costs one side, in the new `folder`.

    Raises InsyncError if a node fails. The brokers' data is removed.
    """
    with _started(side, Size(), folder, tell) as (_, started):
        return started


def measure_scale(size: Size, side: Side, folder: Path, tell: Tell) -> Values:
    """Return what idle partitions cost one side, on a cluster of its own in the new `folder`.

    Raises InsyncError if a node fails. The brokers' data is removed.
    """
    with _started(side, size, folder, tell) as (cluster, _):
        pids = _pids(cluster)
        _create_idle(side, size, cluster.bootstrap, tell)
        with observer(side.dist.java, pids, folder) as seen:
            return {**_quiet(side, size, pids, seen, tell), **_memory(pids, seen)}


@contextmanager
def _started(
    side: Side, size: Size, folder: Path, tell: Tell
) -> Iterator[tuple[LocalCluster, Values]]:
    """Start a cluster for a block; yield it, and what its start took."""
    tell(f"{side.name}: starting the cluster")
    begun = time.monotonic()
    with _cluster(side, size, folder) as cluster:
        try:
            ready_s = time.monotonic() - begun
            yield cluster, {"ready_s": ready_s, "start_cpu_s": _cpu_s(_pids(cluster)) / BROKERS}
        finally:
            cluster.stop()
            cluster.remove_data()


def _pids(cluster: LocalCluster) -> list[int]:
    return [cluster.nodes[number].pid for number in range(1, BROKERS + 1)]


def _create_idle(side: Side, size: Size, bootstrap: str, tell: Tell) -> None:
    for number, begin in enumerate(range(0, size.idle, PER_TOPIC)):
        tell(f"{side.name}: creating partitions ({begin:,} of {size.idle:,})")
        rows = spread(min(PER_TOPIC, size.idle - begin))
        create_topic(bootstrap, f"idle-{number}", rows, {}, within_s=_CREATED_WITHIN_S)


def _cluster(side: Side, size: Size, folder: Path) -> LocalCluster:
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
        "replica.lag.time.max.ms": str(LAG_MS),
        "offsets.topic.replication.factor": "1",
        **(room_for(size.idle) if size.idle else {}),
        **side.settings,
    }
    flags = JVM_OF_MANY if size.idle else JVM
    extras = {number: NodeExtras(flags=flags) for number in range(1, BROKERS + 1)}
    nodes = folder / "nodes"
    return LocalCluster(
        side.dist, nodes, brokers=BROKERS, settings=settings, agent=agent, extras=extras
    )


def _under_load(
    side: Side,
    size: Size,
    tool: LoadTool,
    bootstrap: str,
    pids: Sequence[int],
    tell: Tell,
) -> Values:
    def produce(records: int) -> Produced:
        return tool.produce(bootstrap, TOPIC, records, size.record_bytes, size.rate, size.acks)

    tell(f"{side.name}: warming up")
    produce(max(1, size.records // 5))
    tell(f"{side.name}: producing")
    before = _cpu_s(pids)
    made = produce(size.records)
    used = _cpu_s(pids) - before
    tell(f"{side.name}: consuming")
    consumed = tool.consume(bootstrap, TOPIC, size.records)
    return {
        "records_per_s": made.records_per_s,
        "consumed_per_s": consumed,
        "p50_ms": made.p50_ms,
        "p99_ms": made.p99_ms,
        "p999_ms": made.p999_ms,
        "cpu_s_per_gb": used / (size.records * size.record_bytes / _GIGA),
    }


def _quiet(side: Side, size: Size, pids: Sequence[int], seen: Observer, tell: Tell) -> Values:
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
        "expiry_ms": (after["cpu.scheduler"] - before["cpu.scheduler"])
        / _NANOS_PER_MS / BROKERS / (size.quiet_s / (LAG_MS / 2_000)),
    }  # fmt: skip


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
