"""JVM flags for this project's processes: quick to start, small, two cores for all of them."""

from pathlib import Path

# No perf data: its files in the temporary folder would outlive a killed JVM.
SHORT_LIVED = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData")


def node_flags(temporary: Path) -> list[str]:
    """Return the flags of a broker or controller; `temporary` is for its native libraries."""
    log_config = Path(__file__).with_name("log4j2.properties")
    return [
        "-Xms64m",
        "-Xmx256m",
        *SHORT_LIVED,
        "-XX:+ExitOnOutOfMemoryError",
        f"-Djava.io.tmpdir={temporary}",
        f"-Dlog4j2.configurationFile={log_config}",
    ]
