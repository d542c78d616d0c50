"""The folder of an arm's event files, and where else their lines go."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from insync.events.writer import EventWriter, Publish


@dataclass(frozen=True)
class EventFolder:
    """Opens the files of one arm; `publish` says by a file's name where else its lines go."""

    path: Path
    publish: Callable[[str], Publish] | None = None

    def open(self, name: str) -> EventWriter:
        """Open a file for appending; raises OSError."""
        return EventWriter(self.path / name, self.publish and self.publish(name))
