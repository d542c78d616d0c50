"""A broker that comes back with nothing: killed, its log removed, started again.

So does one whose disk was replaced, and so begins a replica that a reassignment adds: it has
everything to fetch. Evidence: that of the kill, and how many bytes were removed.
"""

import shutil
from dataclasses import replace
from pathlib import Path

from insync.events.schema import FaultLine
from insync.faults.base import Fault


class LostLogFault:
    """A `Fault`: a kill, and after it the loss of what the broker had of a topic."""

    def __init__(self, kill: Fault, data: Path, topic: str) -> None:
        """Plan it around a planned `kill`; `data` is where the broker has its partitions."""
        self._kill = kill
        self._data = data
        self._topic = topic
        self._removed = 0

    def prepare(self) -> None:
        """Prepare the kill."""
        self._kill.prepare()

    def inject(self) -> None:
        """Kill the broker and remove what it had of the topic."""
        self._kill.inject()
        for folder in self._data.glob(f"{self._topic}-[0-9]*"):
            self._removed += sum(log.stat().st_size for log in folder.glob("*.log"))
            shutil.rmtree(folder)

    def lift(self) -> None:
        """Start the broker again, without."""
        self._kill.lift()

    def evidence(self) -> FaultLine:
        """Return the kill's evidence and the bytes of records that were removed."""
        line = self._kill.evidence()
        return replace(line, figures={**line.figures, "removed_bytes": float(self._removed)})
