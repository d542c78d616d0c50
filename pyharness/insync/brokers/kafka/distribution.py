"""Describe a Kafka version that is ready to run from the cache, and build its command lines."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.brokers.kafka.java import Java
from insync.brokers.kafka.versions import Release

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


@dataclass(frozen=True)
class Distribution:
    """One Kafka version on one Java.

    `jars` is the class path, in the order in which the AppCDS archive `cds` was dumped; `cds` is
    None if this Java cannot dump one. `formats` holds a formatted node of each role, for
    insync.brokers.kafka.formats to copy; brokers on ZooKeeper need none.
    """

    release: Release
    java: Java
    jars: tuple[Path, ...]
    formats: Path
    cds: Path | None

    @property
    def version(self) -> str:
        """The name of the release, such as 4.3.1, or 4.3.1+1a2b3c4d for a user's own build."""
        return self.release.name

    def command(
        self, flags: Sequence[str], main: str, *arguments: str, jars: Sequence[Path] = ()
    ) -> list[str]:
        """Return the command that runs the class `main` with `arguments`, using the archive.

        `jars` are jars that are not Kafka's; at the end of the class path they leave the archive
        valid.
        """
        shared = [f"-XX:SharedArchiveFile={self.cds}"] if self.cds else []
        path = (*self.jars, *jars)
        flags = [*shared, *log_flags(self.jars), *flags]
        return [*java_command(self.java.binary, path, flags), main, *arguments]


def java_command(java: Path, jars: Sequence[Path], flags: Sequence[str]) -> list[str]:
    """Return a java command with flags and class path; the caller appends the class to run."""
    return [str(java), *flags, "-cp", ":".join(str(jar) for jar in jars)]
