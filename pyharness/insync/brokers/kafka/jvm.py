"""JVM flags for this project's processes: quick to start, small, two cores for all of them."""

from pathlib import Path

# No perf data: its files in the temporary folder would outlive a killed JVM.
SHORT_LIVED = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")
LOG_CONFIG = Path(__file__).with_name("log4j2.properties")


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
