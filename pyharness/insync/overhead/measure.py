"""Measures one arm on a fresh cluster: its start, under load, and per fetch while it is idle.

The load is Kafka's own ProducerPerformance, always of the same version.
"""

import re
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import psutil

from insync import arms
from insync.brokers.cluster.admin import create_topic
from insync.brokers.cluster.limits import room_for
from insync.brokers.cluster.local import LocalCluster
from insync.brokers.cluster.node import AgentSpec, NodeExtras
from insync.brokers.kafka import cache, process
from insync.brokers.kafka.distribution import FULL_JIT, LOG_CONFIG, Distribution
from insync.brokers.kafka.resolve import cached_jars, distribution
from insync.brokers.kafka.versions import DEFAULT, Jar
from insync.errors import InsyncError
from insync.nodes import BROKERS, spread
from insync.overhead.figures import Values
from insync.overhead.observer import Counters, Observer, observer
from insync.run.plan import built_agent

TOPIC: Final = "load"
PARTITIONS: Final = 12
"""Partitions of the topic, each with three replicas."""
RECORD_BYTES: Final = 1_000
QUIET_S: Final = 10.0
"""How long fetches are counted while nothing is produced."""
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

Tell = Callable[[str], None]
"""Is told what happens."""


TOOLS: Final = Jar(
    "org.apache.kafka:kafka-tools:4.3.1",
    sha256="62f3c5dd7aa3442d4c5bc6a95f86e2502178ea09de8e27f74d9563bf955e253c",
)  # fmt: skip
"""The jar with the tool, which a broker does not need."""
MAIN: Final = "org.apache.kafka.tools.ProducerPerformance"
_WITHIN_S: Final = 900.0
_FLAGS: Final = ("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
_PRINTED: Final = re.compile(
    r"^(?P<records>\d+) records sent, (?P<records_per_s>[\d.]+) records/sec .*"
    r" (?P<p50_ms>\d+) ms 50th, .* (?P<p99_ms>\d+) ms 99th, (?P<p999_ms>\d+) ms 99\.9th\.$",
    re.MULTILINE,
)
"""The line with the figures, by their names."""


@dataclass(frozen=True, slots=True)
class LoadTool:
    """The tool on its class path."""

    dist: Distribution
    jars: Sequence[Path]

    @classmethod
    def fetched(cls, dist: Distribution, tell: Tell) -> "LoadTool":
        """Return the tool on the Java of `dist`; fetch its jar first if it is missing."""
        own = distribution(DEFAULT, dist.java, tell)
        tools = replace(own.release, jars=(TOOLS,))
        folder = cache.root() / "kafka" / f"tools-{TOOLS.parts[2]}"
        return cls(own, cached_jars(tools, folder, tell))

    def produce(self, bootstrap: str, records: int) -> Values:
        """Produce records as fast as possible, with acks=all; return the rate and latencies.

        Raises InsyncError if it fails, or does not send all of them.
        """
        options = [
            "--topic", TOPIC, "--num-records", str(records),
            "--record-size", str(RECORD_BYTES), "--throughput", "-1",
            "--producer-props", f"bootstrap.servers={bootstrap}", "acks=all",
        ]  # fmt: skip
        with tempfile.TemporaryDirectory(prefix="insync-overhead-") as name:
            folder = Path(name)
            log = folder / "tool.log"
            flags = [*_FLAGS, f"-Dlog4j2.configurationFile={LOG_CONFIG}"]
            command = self.dist.command(flags, MAIN, *options, jars=self.jars)
            code = process.run(command, log=log, folder=folder, within_s=_WITHIN_S)
            return figures(log.read_text(encoding="utf-8", errors="replace"), code, records)


def figures(output: str, code: int, records: int) -> Values:
    """Return the figures that the tool printed; InsyncError if it failed or had fewer records."""
    *_, last = (None, *_PRINTED.finditer(output))
    if code != 0 or last is None or int(last["records"]) < records:
        lines = [line for line in output.splitlines() if line.strip()]
        said = lines[-1] if lines else "it printed nothing"
        raise InsyncError(f"overhead: ProducerPerformance ended with {code}: {said}")
    return {name: float(value) for name, value in last.groupdict().items() if name != "records"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """What is measured: a build, its arm, and `settings` beside those of the arm.

    The name is that of the side in files and tables, such as the arm.
    """

    name: str
    kafka: str
    arm: str
    settings: Mapping[str, str] = field(default_factory=dict)
    unknown_methods: bool = False


def measure(
    side: Subject, idle: int, records: int, tool: LoadTool, folder: Path, tell: Tell
) -> Values:
    """Return the figures of one side, measured on a cluster of its own in the new `folder`.

    It has so many `idle` partitions that nobody writes. While it is measured so many records are
    produced, and a fifth as many before, to warm up; with 0 none.
    Raises InsyncError if a node or the producer fails. The brokers' data is removed.
    """
    dist = distribution(side.kafka, tool.dist.java, tell)
    tell("starting the cluster")
    begun = time.monotonic()
    with _cluster(side, dist, idle, folder) as cluster:
        try:
            ready_s = time.monotonic() - begun
            pids = [cluster.nodes[number].pid for number in range(1, BROKERS + 1)]
            started = {"ready_s": ready_s, "start_cpu_s": _cpu_s(pids) / BROKERS}
            create_topic(cluster.bootstrap, TOPIC, spread(PARTITIONS), {})
            for number, begin in enumerate(range(0, idle, PER_TOPIC)):
                tell(f"creating partitions ({begin:,} of {idle:,})")
                rows = spread(min(PER_TOPIC, idle - begin))
                create_topic(
                    cluster.bootstrap, f"idle-{number}", rows, {}, within_s=_CREATED_WITHIN_S
                )
            with observer(dist.java, pids, folder) as seen:
                load = _under_load(records, tool, cluster.bootstrap, pids, tell) if records else {}
                quiet = _quiet(pids, seen, tell)
                heap = _total(seen("collect"))["heap"]
                resident = sum(psutil.Process(pid).memory_info().rss for pid in pids)
                memory = {"heap_mb": heap, "resident_mb": resident}
                means = {name: each / BROKERS / _MEGA for name, each in memory.items()}
                return {**started, **load, **quiet, **means}
        finally:
            cluster.stop()
            cluster.remove_data()


def _cluster(side: Subject, dist: Distribution, idle: int, folder: Path) -> LocalCluster:
    events = folder / "events"
    events.mkdir(parents=True)
    agent = None
    if arms.has_agent(side.arm):
        agent = AgentSpec(
            jar=built_agent(), events_dir=events, bridge_dir=events, cache=cache.woven_classes(),
            unknown_methods=side.unknown_methods,
        )  # fmt: skip
    settings = {
        "replica.fetch.wait.max.ms": str(FETCH_WAIT_MS),
        "replica.lag.time.max.ms": str(LAG_MS),
        **(room_for(idle) if idle else {}),
        **arms.settings(side.arm),
        **side.settings,
    }
    flags = JVM_OF_MANY if idle else JVM
    extras = {number: NodeExtras(flags=flags) for number in range(1, BROKERS + 1)}
    nodes = folder / "nodes"
    return LocalCluster(dist, nodes, brokers=BROKERS, settings=settings, agent=agent, extras=extras)


def _under_load(
    records: int, tool: LoadTool, bootstrap: str, pids: Sequence[int], tell: Tell
) -> Values:
    tell("warming up")
    tool.produce(bootstrap, max(1, records // 5))
    tell("producing")
    before = _cpu_s(pids)
    made = tool.produce(bootstrap, records)
    used = _cpu_s(pids) - before
    return {**made, "cpu_s_per_gb": used / (records * RECORD_BYTES / _GIGA)}


def _quiet(pids: Sequence[int], seen: Observer, tell: Tell) -> Values:
    """Count what each fetch costs while nothing is produced."""
    tell("counting per fetch")
    first = _total(seen("read"))["fetches"]
    deadline = time.monotonic() + _WARM_UP_WITHIN_S
    while (done := _total(seen("read"))["fetches"] - first) < _WARM_UP_FETCHES:
        if time.monotonic() > deadline:
            raise InsyncError(f"{done} fetches of followers in {_WARM_UP_WITHIN_S:.0f} s")
        time.sleep(0.1)
    before, calls = _total(seen("read")), _calls(pids)
    time.sleep(QUIET_S)
    after, more_calls = _total(seen("read")), _calls(pids)
    fetches = after["fetches"] - before["fetches"]
    if fetches <= 0:
        raise InsyncError(f"no follower fetched in {QUIET_S:g} s")

    def per_fetch(what: str) -> float:
        names = [f"{what}.{group}" for group in _SERVING]
        return sum(after[name] - before[name] for name in names) / fetches

    return {
        "bytes_per_fetch": per_fetch("bytes"),
        "blocked_per_fetch": per_fetch("blocked"),
        "waited_per_fetch": per_fetch("waited"),
        "calls_per_fetch": (more_calls - calls) / fetches,
        "expiry_ms": (after["cpu.scheduler"] - before["cpu.scheduler"])
        / _NANOS_PER_MS / BROKERS / (QUIET_S / (LAG_MS / 2_000)),
    }  # fmt: skip


def _total(counters: Sequence[Counters]) -> Counters:
    return {name: sum(each[name] for each in counters) for name in counters[0]}


def _cpu_s(pids: Sequence[int]) -> float:
    times = [psutil.Process(pid).cpu_times() for pid in pids]
    return float(sum(each.user + each.system for each in times))


def _calls(pids: Sequence[int]) -> int:
    """Return how many read and write system calls the processes have made."""
    counts = [psutil.Process(pid).io_counters() for pid in pids]
    return int(sum(each.read_count + each.write_count for each in counts))
