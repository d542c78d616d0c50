"""Describe a Kafka version that is ready to run from the cache, and build its command lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from insync.brokers.kafka.java import Java
from insync.brokers.kafka.jvm import log_flags
from insync.brokers.kafka.versions import Release


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
        return [*java_command(self.java, path, flags), main, *arguments]


def java_command(java: Java, jars: Sequence[Path], flags: Sequence[str]) -> list[str]:
    """Return a java command with flags and class path; the caller appends the class to run."""
    return [str(java.binary), *flags, "-cp", ":".join(str(jar) for jar in jars)]
