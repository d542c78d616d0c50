"""Append-only JSON lines that survive the death of their writer.

Each line reaches the operating system in one write before `write` returns, so a
killed harness loses at most the line it was writing.
"""

import json
import os
import threading
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from types import TracebackType
from typing import Self

from insync.events.schema import Line


def encode(line: Line | Mapping[str, object]) -> bytes:
    """Return a line as compact JSON with its newline."""
    if isinstance(line, Line):
        line = {field.name: getattr(line, field.name) for field in fields(line)}
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


class EventWriter:
    """Writes one file of lines; any thread may call `write`. A context manager."""

    def __init__(self, path: Path) -> None:
        """Open `path` for appending; its folder is made if need be."""
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._fd = os.open(path, flags, 0o644)
        self._lock = threading.Lock()

    def write(self, line: Line | Mapping[str, object]) -> None:
        """Append one line; raises OSError if the file system does."""
        rest = memoryview(encode(line))
        with self._lock:
            while rest:
                rest = rest[os.write(self._fd, rest) :]

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        with self._lock:
            if self._fd >= 0:
                os.close(self._fd)
                self._fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
