"""Reads, writes, lists and renames the files of local folders.

A path is that of a local folder, with or without `file:` before it. `apache.HadoopFiles` does the
same in the other file systems that Spark can reach.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from insync.analysis.engine import paths
from insync.errors import InsyncError


@dataclass(frozen=True, order=True)
class ListedFile:
    """A file: its path, its size in bytes, and when it was changed, in any unit."""

    path: str
    size: int
    changed: int


class Files:
    """The files of one file system, here of this machine; raises InsyncError that names the path.

    Paths are literal, except the patterns of `matching`.
    """

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder."""
        return local_path(path).exists()

    def children(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted."""
        with _errors_of(folder):
            return sorted(each.name for each in local_path(folder).iterdir())

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, sorted."""
        with _errors_of(folder):
            return sorted(each.name for each in local_path(folder).iterdir() if each.is_dir())

    def matching(self, folder: str, pattern: str) -> list[ListedFile]:
        """Return the files and folders below a folder that match a pattern, sorted."""
        with _errors_of(folder):
            at = str(local_path(folder))
            names = glob.glob(pattern, root_dir=at, include_hidden=True)  # noqa: PTH207
            states = ((f"{folder}/{n}", os.stat(f"{at}/{n}")) for n in names)  # noqa: PTH116
            return sorted(ListedFile(path, of.st_size, of.st_mtime_ns) for path, of in states)

    def read(self, path: str) -> str:
        """Return the text of a small file."""
        with _errors_of(path):
            return local_path(path).read_text(encoding="utf-8")

    def write(self, path: str, content: str | bytes) -> None:
        """Write a small file; replace it if it exists."""
        with _errors_of(path):
            file = local_path(path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)

    def delete(self, folder: str) -> None:
        """Remove a folder and its contents, if it exists."""
        with _errors_of(folder):
            if local_path(folder).exists():
                shutil.rmtree(local_path(folder))

    def move(self, folder: str, to: str) -> None:
        """Rename a folder within its file system; `to` must not exist."""
        with _errors_of(folder):
            local_path(folder).rename(local_path(to))

    def qualified(self, path: str) -> str:
        """Return the absolute path with its file system."""
        return paths.local(local_path(path))


FilesOf = Callable[[str], Files]
"""Returns the file system of a path."""


def is_local(path: str) -> bool:
    """Return whether a path is that of a local file or folder."""
    return "://" not in path or path.startswith("file:")


def local_path(path: str) -> Path:
    """Return a path as one of this machine."""
    return Path(re.sub(r"^file:/+", "/", path))


@contextmanager
def _errors_of(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InsyncError(f"{path}: {error.strerror or type(error).__name__}") from error
