"""Runs Kafka's own ProducerPerformance, always of the same version."""

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
    def fetched(cls, dist: Distribution, tell: Callable[[str], None]) -> "LoadTool":
        """Return the tool on the Java of `dist`; fetch its jar first if it is missing."""
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
