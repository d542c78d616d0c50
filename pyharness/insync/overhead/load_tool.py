"""Runs Kafka's own ProducerPerformance and ConsumerPerformance, always of the same version."""

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from insync.brokers.kafka import cache, process
from insync.brokers.kafka.distribution import LOG_CONFIG, Distribution
from insync.brokers.kafka.resolve import cached_jars, distribution
from insync.brokers.kafka.versions import DEFAULT, Jar
from insync.errors import InsyncError
from insync.overhead.figures import Values

TOOLS: Final = Jar(
    "org.apache.kafka", "kafka-tools", "4.3.1",
    sha256="62f3c5dd7aa3442d4c5bc6a95f86e2502178ea09de8e27f74d9563bf955e253c",
)  # fmt: skip
"""The jar with both tools, which a broker does not need."""
PRODUCER: Final = "org.apache.kafka.tools.ProducerPerformance"
CONSUMER: Final = "org.apache.kafka.tools.ConsumerPerformance"
_WITHIN_S: Final = 900.0
_FLAGS: Final = ("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
_SUMMARY: Final = re.compile(
    r"^(?P<sent>\d+) records sent, (?P<records_per_s>[\d.]+) records/sec .*"
    r" (?P<p50_ms>\d+) ms 50th, .* (?P<p99_ms>\d+) ms 99th, (?P<p999_ms>\d+) ms 99\.9th\.$",
    re.MULTILINE,
)

_CONSUMED: Final = re.compile(
    r"^[\d: -]+, [\d: -]+, [\d.]+, [\d.]+, (?P<records>\d+), [\d.]+, \d+, \d+, [\d.]+,"
    r" (?P<rate>[\d.]+)$",
    re.MULTILINE,
)
"""Begin, end, MB, MB/s, records, records/s, ms of rebalances, ms of fetches, MB/s and records/s of
fetches."""
_SILENT_MS: Final = 60_000


@dataclass(frozen=True, slots=True)
class LoadTool:
    """Both tools on their class path."""

    dist: Distribution
    jars: Sequence[Path]

    @classmethod
    def fetched(cls, dist: Distribution, tell: Callable[[str], None]) -> "LoadTool":
        """Return the tools on the Java of `dist`; fetch their jars first if they are missing."""
        own = distribution(DEFAULT, dist.java, tell)
        tools = replace(own.release, jars=(TOOLS,))
        folder = cache.root() / "kafka" / f"tools-{TOOLS.revision}"
        return cls(own, cached_jars(tools, folder, tell))

    def produce(self, bootstrap: str, topic: str, records: int, record_bytes: int) -> Values:
        """Produce records as fast as possible, with acks=all; return the rate and latencies.

        Raises InsyncError if it fails, or does not send all of them.
        """
        options = [
            "--topic", topic, "--num-records", str(records),
            "--record-size", str(record_bytes), "--throughput", "-1",
            "--producer-props", f"bootstrap.servers={bootstrap}", "acks=all",
        ]  # fmt: skip
        return produced(*self._run(PRODUCER, options), records)

    def consume(self, bootstrap: str, topic: str, records: int) -> float:
        """Consume records from the beginning of a topic; return how many per second.

        The time in which the consumer joins its group does not count. Raises InsyncError if it
        fails, or gets fewer.
        """
        options = [
            "--topic", topic, "--num-records", str(records), "--bootstrap-server", bootstrap,
            "--group", f"{topic}-overhead", "--hide-header", "--timeout", str(_SILENT_MS),
        ]  # fmt: skip
        return consumed_per_s(*self._run(CONSUMER, options), records)

    def _run(self, main: str, options: Sequence[str]) -> tuple[str, int]:
        """Return what a tool printed, and its exit code."""
        with tempfile.TemporaryDirectory(prefix="insync-overhead-") as name:
            folder = Path(name)
            log = folder / "tool.log"
            flags = [*_FLAGS, f"-Dlog4j2.configurationFile={LOG_CONFIG}"]
            command = self.dist.command(flags, main, *options, jars=self.jars)
            code = process.run(command, log=log, folder=folder, within_s=_WITHIN_S)
            return log.read_text(encoding="utf-8", errors="replace"), code


def produced(output: str, code: int, records: int) -> Values:
    """Return the figures that the tool printed; InsyncError if it failed or sent fewer records."""
    found = list(_SUMMARY.finditer(output))
    if code != 0 or not found or int(found[-1]["sent"]) != records:
        raise _failed(PRODUCER, output, code)
    return {name: float(found[-1][name]) for name in _SUMMARY.groupindex if name != "sent"}


def consumed_per_s(output: str, code: int, records: int) -> float:
    """Return the records per second that the tool printed; InsyncError if it got fewer."""
    found = list(_CONSUMED.finditer(output))
    if code != 0 or not found or int(found[-1]["records"]) < records:
        raise _failed(CONSUMER, output, code)
    return float(found[-1]["rate"])


def _failed(main: str, output: str, code: int) -> InsyncError:
    lines = [line for line in output.splitlines() if line.strip()]
    said = lines[-1] if lines else "it printed nothing"
    return InsyncError(f"overhead: {main.rpartition('.')[2]} ended with {code}: {said}")
