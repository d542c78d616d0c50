"""Choose JVM flags for short starts and small heaps, so that all nodes run on two cores."""

from collections.abc import Iterable
from pathlib import Path

# No perf data, because its files in the temporary folder remain after a JVM is killed.
SHORT_LIVED = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
FULL_JIT = "-XX:TieredStopAtLevel=4"
"""As in production: what runs for long is compiled by the optimizing compiler, too."""
LOG_CONFIG = Path(__file__).with_name("log4j2.properties")
_LOG4J_1_CONFIG = Path(__file__).with_name("log4j1.properties")


def node_flags(temporary: Path, log_config: Path = LOG_CONFIG) -> list[str]:
    """Return the flags of a broker or controller; `temporary` is for its native libraries."""
    return [
        "-Xms64m",
        "-Xmx256m",
        *SHORT_LIVED,
        "-XX:+ExitOnOutOfMemoryError",
        f"-Djava.io.tmpdir={temporary}",
        f"-Dlog4j2.configurationFile={log_config}",
    ]


def log_flags(jars: Iterable[Path]) -> list[str]:
    """Return the flags for a build that logs with log4j 1, as Kafka's own archives do up to 3.9."""
    old = any(jar.name.startswith(("reload4j-", "slf4j-log4j12-")) for jar in jars)
    return [f"-Dlog4j.configuration=file:{_LOG4J_1_CONFIG}"] if old else []
