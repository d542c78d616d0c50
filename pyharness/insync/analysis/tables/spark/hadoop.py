"""Folders and small files on any file system that Spark can reach, by Hadoop's own API.

Goes through the JVM that Spark runs in, so that a path means here what it means to Spark.
Errors are InsyncError in one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

from insync.errors import InsyncError

LOCAL, ONE_SLASH = "^file:/+", "file:/"
"""Local files are named with one slash or with three, by the same Hadoop; here always with one."""


class Hadoop:
    """The file systems behind a session; paths are as Spark's writers want them, no patterns."""

    def __init__(self, spark: SparkSession) -> None:
        self._jvm: Any = spark._jvm
        self._conf: Any = spark._jsc.hadoopConfiguration()

    def exists(self, path: str) -> bool:
        """Whether there is a file or a folder."""
        with _told(path):
            return bool(self._system(path).exists(self._path(path)))

    def children(self, folder: str) -> list[str]:
        """Return the names in a folder, sorted."""
        with _told(folder):
            listed = self._system(folder).listStatus(self._path(folder))
            return sorted(status.getPath().getName() for status in listed)

    def folders(self, folder: str) -> list[str]:
        """Return the names of the folders in a folder, sorted."""
        with _told(folder):
            listed = self._system(folder).listStatus(self._path(folder))
            return sorted(each.getPath().getName() for each in listed if each.isDirectory())

    def matching(self, pattern: str) -> list[str]:
        """Return the paths that a pattern stands for, sorted."""
        with _told(pattern):
            found = self._system(pattern).globStatus(self._path(pattern))
            return sorted(status.getPath().toString() for status in found or ())

    def read(self, path: str) -> str:
        """Return the text of a small file."""
        with _told(path):
            stream = self._system(path).open(self._path(path))
            try:
                return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
            finally:
                stream.close()

    def write(self, path: str, text: str) -> None:
        """Write a small file, in place of what was there."""
        with _told(path):
            stream = self._system(path).create(self._path(path), True)
            try:
                stream.write(text.encode())
            finally:
                stream.close()

    def delete(self, folder: str) -> None:
        """Remove a folder and all in it; nothing if it is not there."""
        with _told(folder):
            self._system(folder).delete(self._path(folder), True)

    def move(self, folder: str, to: str) -> None:
        """Give a folder another name in the same file system; `to` must not be there."""
        with _told(folder):
            moved = self._system(folder).rename(self._path(folder), self._path(to))
        if not moved:
            raise InsyncError(f"{folder}: could not be renamed to {to}")

    def encoded(self, path: str) -> str:
        """Return a folder as Spark names what it lists: a URI in the file system's own words."""
        with _told(path):
            listed = self._system(path).getFileStatus(self._path(path)).getPath()
            return re.sub(LOCAL, ONE_SLASH, str(listed.toUri().toString()))

    def qualified(self, path: str) -> str:
        """Return a path in full, with its file system, as Spark's writers want it."""
        with _told(path):
            return str(self._system(path).makeQualified(self._path(path)).toString())

    def _path(self, path: str) -> Any:
        return self._jvm.org.apache.hadoop.fs.Path(path)

    def _system(self, path: str) -> Any:
        return self._path(path).getFileSystem(self._conf)


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        raise InsyncError(f"{path}: {cause(error)}") from error


def cause(error: BaseException) -> str:
    """Say in one line what is at the bottom of an error of Spark's or of its JVM.

    Py4J's and Spark's own messages open with the call that was under way; the innermost
    cause is the disk that is full or the line that no cast fits.
    """
    java: Any = getattr(error, "_origin", None) or getattr(error, "java_exception", None)
    if java is None:
        return _first_line(str(error)) or type(error).__name__
    while java.getCause() is not None:
        java = java.getCause()
    return _first_line(f"{java.getClass().getSimpleName()}: {java.getMessage()}")


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "")
