"""Append-only JSON lines that survive the death of their writer.

Each line reaches the operating system in one write before `write` returns, so a
killed harness loses at most the line it was writing. A line may go to a second place as well,
which never waits (`Publish`).
"""

import json
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from types import TracebackType
from typing import Self

from insync.events.schema import Line

Publish = Callable[[bytes], None]
"""Takes a line, without its newline, in the order of its file; returns at once."""


def encode(line: Line | Mapping[str, object]) -> bytes:
    """Return a line as compact JSON with its newline."""
    if isinstance(line, Line):
        line = {field.name: getattr(line, field.name) for field in fields(line)}
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


class EventWriter:
    """Writes one file of lines; any thread may call `write`. A context manager."""

    def __init__(self, path: Path, publish: Publish | None = None) -> None:
        """Open `path` for appending; its folder is made if need be.

        Each line is given to `publish` as well once it is in the file.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._fd = os.open(path, flags, 0o644)
        self._lock = threading.Lock()
        self._publish = publish

    def write(self, line: Line | Mapping[str, object]) -> None:
        """Append one line; raises OSError if the file system does."""
        text = encode(line)
        rest = memoryview(text)
        with self._lock:
            while rest:
                rest = rest[os.write(self._fd, rest) :]
            if self._publish is not None:
                self._publish(text.rstrip(b"\n"))

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


@dataclass(frozen=True)
class EventFolder:
    """Opens the files of one arm; `publish` says by a file's name where else its lines go."""

    path: Path
    publish: Callable[[str], Publish] | None = None

    def open(self, name: str) -> EventWriter:
        """Open a file for appending; raises OSError."""
        return EventWriter(self.path / name, self.publish and self.publish(name))


def write_atomic(path: Path, text: str) -> Path:
    """Write `text` beside `path`, put it in its place, and return `path`; raises OSError."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return fresh.replace(path)
