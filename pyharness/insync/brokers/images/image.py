"""Describe the image of one Kafka version: its name, its paths, the command of a node."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.brokers.kafka.versions import Release

REPOSITORY = "insync-kafka"
# Names the HOST:PORT that the health check connects to, and can be set for each container.
HEALTH_VARIABLE = "INSYNC_HEALTH"
_HOME = Path("/opt/kafka")


@dataclass(frozen=True)
class Image:
    """One image; all paths are paths inside it.

    `jars` is the class path, in the order in which the AppCDS archive `cds` was dumped.
    """

    tag: str
    java: Path
    jars: tuple[Path, ...]
    cds: Path

    def command(self, flags: Sequence[str], main: str, *arguments: str) -> list[str]:
        """Return the command that runs the class `main` with `arguments`, using the archive."""
        return self._java([f"-XX:SharedArchiveFile={self.cds}", *flags], main, *arguments)

    def dump_command(self, flags: Sequence[str], main: str, *arguments: str) -> list[str]:
        """Return the same command, but one that writes the archive when the JVM exits."""
        return self._java([f"-XX:ArchiveClassesAtExit={self.cds}", *flags], main, *arguments)

    def _java(self, flags: Sequence[str], main: str, *arguments: str) -> list[str]:
        class_path = ":".join(str(jar) for jar in self.jars)
        return [str(self.java), *flags, "-cp", class_path, main, *arguments]


def tag(version: str) -> str:
    """Return the name of the image of a Kafka version."""
    return f"{REPOSITORY}:{version}"


def image_of(release: Release, java: Path) -> Image:
    """Return the image of `release` on a base whose launcher is `java`."""
    jars = tuple(_HOME / "libs" / jar.file_name for jar in release.jars)
    return Image(tag(release.version), java, jars, _HOME / "classes.jsa")
