"""Runs Kafka's own ProducerPerformance, always of the same version, whatever the brokers are."""

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal

from insync.brokers.kafka import cache, process
from insync.brokers.kafka.distribution import Distribution
from insync.brokers.kafka.jvm import LOG_CONFIG
from insync.brokers.kafka.resolve import cached_jars, distribution
from insync.brokers.kafka.versions import DEFAULT, Jar
from insync.errors import InsyncError

TOOLS: Final = Jar(
    "org.apache.kafka", "kafka-tools", "4.3.1",
    sha256="62f3c5dd7aa3442d4c5bc6a95f86e2502178ea09de8e27f74d9563bf955e253c",
)  # fmt: skip
"""The jar with ProducerPerformance, which a broker does not need."""
MAIN: Final = "org.apache.kafka.tools.ProducerPerformance"
Acks = Literal["all", "1"]
_WITHIN_S: Final = 900.0
_FLAGS: Final = ("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
_SUMMARY: Final = re.compile(
    r"^(?P<sent>\d+) records sent, (?P<rate>[\d.]+) records/sec .*"
    r" (?P<p50>\d+) ms 50th, .* (?P<p99>\d+) ms 99th, (?P<p999>\d+) ms 99\.9th\.$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Produced:
    """What ProducerPerformance printed: records per second, latencies in milliseconds."""

    sent: int
    records_per_s: float
    p50_ms: float
    p99_ms: float
    p999_ms: float


@dataclass(frozen=True, slots=True)
class ProducerTool:
    """ProducerPerformance on its class path."""

    dist: Distribution
    jars: Sequence[Path]

    @classmethod
    def fetched(cls, dist: Distribution, tell: Callable[[str], None]) -> "ProducerTool":
        """Return the tool on the Java of `dist`; fetch its jars first if they are missing."""
        own = distribution(DEFAULT, dist.java, tell)
        tools = replace(own.release, jars=(TOOLS,))
        folder = cache.root() / "kafka" / f"tools-{TOOLS.revision}"
        return cls(own, cached_jars(tools, folder, dist.java, tell))

    def produce(
        self, bootstrap: str, topic: str, records: int, record_bytes: int, rate: int, acks: Acks
    ) -> Produced:
        """Produce records, at `rate` per second or with -1 as fast as possible.

        Raises InsyncError if it fails, or does not send all of them.
        """
        with tempfile.TemporaryDirectory(prefix="insync-bench-") as name:
            folder = Path(name)
            log = folder / "producer.log"
            flags = [*_FLAGS, f"-Dlog4j2.configurationFile={LOG_CONFIG}"]
            options = [
                "--topic", topic, "--num-records", str(records),
                "--record-size", str(record_bytes), "--throughput", str(rate),
                "--producer-props", f"bootstrap.servers={bootstrap}", f"acks={acks}",
            ]  # fmt: skip
            command = self.dist.command(flags, MAIN, *options, jars=self.jars)
            code = process.run(command, log=log, folder=folder, within_s=_WITHIN_S)
            return parse(log.read_text(encoding="utf-8", errors="replace"), code, records)


def parse(output: str, code: int, records: int) -> Produced:
    """Return what the tool printed; InsyncError if it failed or sent fewer records."""
    found = list(_SUMMARY.finditer(output))
    if code != 0 or not found or int(found[-1]["sent"]) != records:
        lines = [line for line in output.splitlines() if line.strip()]
        said = lines[-1] if lines else "it printed nothing"
        raise InsyncError(f"bench: ProducerPerformance ended with {code}: {said}")
    last = found[-1]
    return Produced(
        sent=int(last["sent"]),
        records_per_s=float(last["rate"]),
        p50_ms=float(last["p50"]),
        p99_ms=float(last["p99"]),
        p999_ms=float(last["p999"]),
    )
