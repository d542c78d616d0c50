"""Write event files as append-only JSON lines, so that a killed harness loses at most one line.

Each line reaches the operating system in one write before `write` returns.
"""

import json
import os
import shutil
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Self

from insync.events.schema import EventLine


def encode(line: EventLine | Mapping[str, object]) -> bytes:
    """Return a line as compact JSON with its newline."""
    if isinstance(line, EventLine):
        line = {field.name: getattr(line, field.name) for field in fields(line)}
    return json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Let an OSError of the block name the file: that of a write, as to a full disk, does not."""
    try:
        yield
    except OSError as error:
        error.filename = error.filename or str(path)
        raise


class EventWriter:
    """Writes one file of lines; any thread may call `write`. A context manager."""

    def __init__(self, path: Path) -> None:
        """Open `path` for appending; create its folder if it does not exist; raises OSError."""
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._path = path
        self._fd = os.open(path, flags, 0o644)
        self._lock = threading.Lock()

    def write(self, line: EventLine | Mapping[str, object]) -> None:
        """Append one line; raises OSError."""
        self.write_encoded(encode(line))

    def write_encoded(self, text: bytes) -> None:
        """Append one line as JSON with its newline; raises OSError."""
        rest = memoryview(text)
        with self._lock, naming(self._path):
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

    def __exit__(self, *_: object) -> None:
        self.close()


def write_atomic(path: Path, text: str) -> Path:
    """Write `text` to a temporary file, rename it to `path`, return `path`; raises OSError."""
    fresh = path.with_name(f".{path.name}.new")
    with naming(path), fresh.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return fresh.replace(path)


@contextmanager
def replaced_together(folders: Iterable[Path]) -> Iterator[dict[Path, Path]]:
    """Yield a new folder for each folder; at the end, their files replace those of the same names.

    The new folder is inside the folder. If the block raises, every folder stays as it was.
    """
    fresh = {folder: folder / ".new" for folder in folders}
    with ExitStack() as removed:
        for new in fresh.values():
            shutil.rmtree(new, ignore_errors=True)  # a killed process left it
            removed.callback(shutil.rmtree, new, ignore_errors=True)
            new.mkdir()
        yield fresh
        for folder, new in fresh.items():
            for file in sorted(new.iterdir()):
                file.replace(folder / file.name)
