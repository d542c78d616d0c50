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
    "org.apache.kafka:kafka-tools:4.3.1",
    sha256="62f3c5dd7aa3442d4c5bc6a95f86e2502178ea09de8e27f74d9563bf955e253c",
)  # fmt: skip
"""The jar with both tools, which a broker does not need."""
PRODUCER: Final = "org.apache.kafka.tools.ProducerPerformance"
CONSUMER: Final = "org.apache.kafka.tools.ConsumerPerformance"
_WITHIN_S: Final = 900.0
_FLAGS: Final = ("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
_PRINTED: Final = {
    PRODUCER: re.compile(
        r"^(?P<records>\d+) records sent, (?P<records_per_s>[\d.]+) records/sec .*"
        r" (?P<p50_ms>\d+) ms 50th, .* (?P<p99_ms>\d+) ms 99th, (?P<p999_ms>\d+) ms 99\.9th\.$",
        re.MULTILINE,
    ),
    # Begin, end, MB, MB/s, records, records/s, ms of rebalances, ms of fetches, MB/s and records/s
    # of fetches.
    CONSUMER: re.compile(
        r"^[\d: -]+, [\d: -]+, [\d.]+, [\d.]+, (?P<records>\d+), [\d.]+, \d+, \d+, [\d.]+,"
        r" (?P<consumed_per_s>[\d.]+)$",
        re.MULTILINE,
    ),
}
"""The lines with the figures, by their names."""
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
        folder = cache.root() / "kafka" / f"tools-{TOOLS.parts[2]}"
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
        return self._run(PRODUCER, options, records)

    def consume(self, bootstrap: str, topic: str, records: int) -> Values:
        """Consume records from the beginning of a topic; return the rate.

        The time in which the consumer joins its group does not count. Raises InsyncError if it
        fails, or gets fewer.
        """
        options = [
            "--topic", topic, "--num-records", str(records), "--bootstrap-server", bootstrap,
            "--group", f"{topic}-overhead", "--hide-header", "--timeout", str(_SILENT_MS),
        ]  # fmt: skip
        return self._run(CONSUMER, options, records)

    def _run(self, main: str, options: Sequence[str], records: int) -> Values:
        with tempfile.TemporaryDirectory(prefix="insync-overhead-") as name:
            folder = Path(name)
            log = folder / "tool.log"
            flags = [*_FLAGS, f"-Dlog4j2.configurationFile={LOG_CONFIG}"]
            command = self.dist.command(flags, main, *options, jars=self.jars)
            code = process.run(command, log=log, folder=folder, within_s=_WITHIN_S)
            return figures(main, log.read_text(encoding="utf-8", errors="replace"), code, records)


def figures(main: str, output: str, code: int, records: int) -> Values:
    """Return the figures that a tool printed; InsyncError if it failed or had fewer records."""
    *_, last = (None, *_PRINTED[main].finditer(output))
    if code != 0 or last is None or int(last["records"]) < records:
        lines = [line for line in output.splitlines() if line.strip()]
        said = lines[-1] if lines else "it printed nothing"
        raise InsyncError(f"overhead: {main.rpartition('.')[2]} ended with {code}: {said}")
    return {name: float(value) for name, value in last.groupdict().items() if name != "records"}
